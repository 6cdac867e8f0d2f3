import type { Command } from "../../domain/command.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import { DEFAULT_SENDERS } from "../../simulator/model/default-world.ts";
import type { Member } from "../plan.ts";
import { exchangesOf, fault, someDisabled, someVariant, type FaultKind } from "./fault-kind.ts";

/** What people do to the watchdog. */

const command = (by: string, given: Command) => ({ do: "command", by, command: given }) as const;

/** Entries that the model knows and the config does not name: an entry of the config cannot be added. */
function unwatchedOf({ watched, world }: Member): WatchEntry[] {
  const known = new Set([
    ...watched.watch.liquidations.map(({ id }) => id),
    ...watched.watch.senders.map(({ address }) => address),
  ]);
  const orders = (world.liquidations ?? []).map(({ id }) => ({ kind: "liquidation", target: id }));
  const senders = world.senders ?? DEFAULT_SENDERS;
  return [...orders, ...senders.map((target) => ({ kind: "sender", target }))].filter(
    ({ target }) => !known.has(target),
  );
}

export const OPERATOR_EVENTS: readonly FaultKind[] = [
  fault("reloads with other rules and settings", 3 * MINUTE, (scene) => [
    { do: "reload", variant: someVariant(scene) },
  ]),
  fault("the kill switch and the kill file", 6 * MINUTE, ({ random }) => {
    const until = SECOND + random.upTo(2 * MINUTE);
    if (random.chance(0.5))
      return [
        { do: "kill_file", exists: true },
        { at: until, do: "kill_file", exists: false },
      ];
    return [
      command("alice", { name: "kill", source: "operator" }),
      { at: until, ...command("alice", { name: "unkill", source: "operator" }) },
    ];
  }),
  fault("a restart while the kill switch is on", 5 * MINUTE, (scene) => {
    const variant = someVariant(scene);
    const until = MINUTE + scene.random.upTo(2 * MINUTE);
    return [
      command("bob", { name: "kill", source: "operator" }),
      { at: 5 * SECOND, do: "restart", downFor: SECOND, variant },
      { at: until, ...command("bob", { name: "unkill", source: "operator" }) },
      ...someDisabled(scene, 1, 3),
    ];
  }),
  fault("holds", 3 * MINUTE, (scene) => {
    const { random, member, until } = scene;
    const exchange = random.oneOf(exchangesOf(scene)).name;
    const scope = random.oneOf([
      {},
      { kind: "exchange" },
      { kind: "exchange", id: exchange },
      { aggregator: member.watched.name },
      { rule: "ExchangeDisabled" },
    ]);
    return [
      { do: "hold", by: "alice", scope, length: Math.round(MINUTE + random.upTo(until)) },
      { at: random.upTo(4 * MINUTE), do: "end_longest", what: "hold" },
    ];
  }),
  fault("exchanges that are disabled under a hold", 4 * MINUTE, (scene) => {
    const scope = { aggregator: scene.member.watched.name, kind: "exchange" };
    const length = Math.round(MINUTE + scene.random.upTo(2 * MINUTE));
    return [{ do: "hold", by: "bob", scope, length }, ...someDisabled(scene, 2, 4)];
  }),
  fault("silences", 5 * MINUTE, ({ random, member }) => {
    const scope = { aggregator: member.watched.name };
    return [
      { do: "silence", by: "bob", scope, length: Math.round(random.upTo(10 * MINUTE)) },
      { at: random.upTo(5 * MINUTE), do: "end_longest", what: "silence" },
    ];
  }),
  fault("approvals and denials by two persons", MINUTE, ({ random }) => {
    const by = random.oneOf(["alice", "bob"]);
    const decide = { do: "decide", by, approves: random.chance(0.85) } as const;
    // An operator who is not sure that it worked repeats it.
    return random.chance(0.3) ? [decide, { at: SECOND, ...decide }] : [decide];
  }),
  fault("entries added to watch lists and removed", 3 * MINUTE, ({ random, member }) => {
    const unwatched = unwatchedOf(member);
    if (unwatched.length === 0) return [];
    const { name: aggregator } = member.watched;
    const entry = random.oneOf(unwatched);
    return [
      command("alice", { name: "watch", aggregator, entry }),
      {
        at: SECOND + random.upTo(6 * MINUTE),
        ...command("bob", { name: "unwatch", aggregator, entry }),
      },
    ];
  }),
  fault("released quarantines", 5 * MINUTE, () => [{ do: "end_longest", what: "quarantine" }]),
];

import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import type { Command, Policy } from "../../../src/domain/step.ts";
import { SECOND } from "../../../src/domain/time.ts";
import type { WatchEntry, WatchListing } from "../../../src/domain/watch.ts";
import { listingsOf, watchedOf } from "../../../src/core/change/watch-commands.ts";
import { mergeWatch } from "../../../src/core/change/watch-list.ts";
import { watchKinds } from "../../../src/pollers/watch-kinds.ts";
import { AGGREGATOR, exchange, factIs, order, repair, rule } from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const STUCK = rule({ alert: "OrderStuck", kind: "liquidation", when: factIs("status", "STUCK") });

const liquidation = (target: string, alias?: string): WatchEntry => ({
  kind: "liquidation",
  target,
  ...(alias === undefined ? {} : { alias }),
});

/** The policy that the shell makes of the sources and of the state, as it is now. */
function withLists(world: World, given: readonly WatchListing[]): Policy {
  const watch = { kinds: watchKinds, given: new Map([[AGGREGATOR, given]]) };
  const listings = listingsOf(watch, world.state.tables.watch, AGGREGATOR);
  const { entries } = mergeWatch(watchKinds, listings);
  const orders = [...entries.values()].flatMap(({ kind, target }) =>
    kind === "liquidation" ? [target] : [],
  );
  const { pollers } = world.policy.aggregators[0] ?? { pollers: [] };
  const planned = pollers.map((poller) =>
    poller.name === "liquidations" ? { ...poller, surfaces: new Set(orders) } : poller,
  );
  return { ...world.policy, watch, aggregators: [{ name: AGGREGATOR, pollers: planned }] };
}

const config = (...entries: WatchEntry[]): WatchListing => ({
  source: "config",
  name: "",
  entries,
});

/** The lists change, as the loop puts them in force. */
function relists(world: World, ...given: WatchListing[]): World {
  world.policy = withLists(world, given);
  return world.tell({ type: "watch_changed", listed: [] });
}

function listed(rules = [STUCK], ...given: WatchListing[]): World {
  const world = scriptedWorld({ rules });
  return relists(world, ...given);
}

const add = (entry: WatchEntry) => ({ name: "watch", aggregator: AGGREGATOR, entry }) as const;
const remove = (entry: WatchEntry) => ({ name: "unwatch", aggregator: AGGREGATOR, entry }) as const;
const said = (world: World) => {
  const last = world.found("command").at(-1);
  return [last?.accepted, last?.detail];
};
const targets = (world: World): string[] =>
  world.policy.watch === undefined
    ? []
    : [...watchedOf(world.policy.watch, world.state, AGGREGATOR).entries.values()].map(
        ({ target }) => target,
      );

describe("an operator's entry", () => {
  it("is not the alias of what is watched already, whoever lists that", () => {
    const world = listed([STUCK], config(liquidation("0x5f", "big")));
    world.commands(add(liquidation("0x60", "small")));
    for (const [alias, target] of [
      ["big", "0x5f"],
      ["small", "0x60"],
    ] as const) {
      world.commands(add(liquidation(alias)));
      expect(said(world)).toEqual([
        false,
        `${alias} is the alias of ${target}, which is watched already`,
      ]);
    }
    world.commands(add(liquidation("tiny", "tiny"))).commands(add(liquidation("tiny", "tiny")));
    expect(said(world)).toEqual([true, "liquidation tiny (tiny) is watched"]);
  });

  it("is kept with who, when and why, over a restart", () => {
    const world = listed([STUCK], config())
      .at("5s")
      .commands(add(liquidation("0x5f", "big")));
    expect(said(world)).toEqual([true, "liquidation 0x5f (big) is watched"]);
    world.restarts("1m");
    expect([...world.state.tables.watch]).toEqual([
      [
        "bsc/liquidation/0x5f",
        {
          type: "entry",
          aggregator: "bsc",
          kind: "liquidation",
          target: "0x5f",
          alias: "big",
          by: "alice",
          reason: "she said so",
          at: START + 5 * SECOND,
        },
      ],
    ]);
    expect(targets(world)).toEqual(["0x5f"]);
  });

  it("can be taken off again, once", () => {
    const world = listed([STUCK], config()).commands(add(liquidation("0x5F")));
    world.commands(remove(liquidation("0x5f")));
    expect(said(world)[0]).toBe(true);
    expect(targets(world)).toEqual([]);
    expect(said(world.commands(remove(liquidation("0x5f"))))).toEqual([
      false,
      "liquidation 0x5f is not watched",
    ]);
  });

  it("can be taken off though it would be refused now", () => {
    const world = listed([STUCK], config()).commands(add(liquidation("0x5f")));
    const key = "bsc/liquidation/0x5f";
    const row = world.state.tables.watch.get(key);
    if (row?.type !== "entry") throw new Error("it is not there");
    world.state.tables.watch.delete(key);
    world.state.tables.watch.set(`${key}…`, { ...row, target: "0x5f…" });
    expect(said(world.commands(remove(liquidation("0x5f…"))))[0]).toBe(true);
    expect(targets(world)).toEqual([]);
  });

  it("cannot take off what another source lists, and says which", () => {
    const file = { source: "file", name: "w.yaml", entries: [liquidation("0x5f")] } as const;
    const world = listed([STUCK], config(liquidation("0x5f")), file);
    world.commands(remove(liquidation("0x5f")));
    expect(said(world)).toEqual([
      false,
      "liquidation 0x5f is listed by config, file w.yaml, and can only be removed there",
    ]);
  });

  it.each<[string, Command, string]>([
    ["what is listed", add(liquidation("0x1")), "liquidation 0x1 is watched already, by config"],
    [
      "a name that is taken",
      add(liquidation("0x2", "one")),
      'the alias "one" is that of 0x1 already',
    ],
    ["what is not a target", add(liquidation("0x 2")), "target: must not hold spaces"],
    [
      "an address that is shortened",
      add({ kind: "sender", target: "0x8a12…4f3c" }),
      "target: must be written whole, not shortened",
    ],
    [
      "a first pool, which would narrow what is watched",
      add({ kind: "pool", target: "OrionV2/ORN-USDT" }),
      "every pool that is listed is watched now; a first entry would narrow that to one. Write it into the config, if that is meant",
    ],
    [
      "an aggregator that there is not",
      { ...add(liquidation("0x2")), aggregator: "eth" },
      'there is no aggregator "eth" (bsc)',
    ],
  ])("is refused: %s", (_what, command, detail) => {
    const world = listed([STUCK], config(liquidation("0x1", "one"))).commands(command);
    expect(said(world)).toEqual([false, detail]);
    expect(world.state.tables.watch.size).toBe(0);
  });
});

describe("a list that changes", () => {
  const both = config(liquidation("0x1"), liquidation("0x2"));
  const seen = (world: World, ...ids: string[]): World =>
    world.polls("liquidations", Object.fromEntries(ids.map((id) => [id, [order(id, "STUCK")]])));

  it("ends the entities and alerts of what left it at once, and nothing else", () => {
    const slow = rule({ ...STUCK, alert: "Slow", forMs: 60 * SECOND });
    const world = seen(listed([STUCK, slow], both), "0x1", "0x2").passes("10s");
    relists(world, config(liquidation("0x2")));
    expect(world.entity("liquidation", "0x1")).toBeUndefined();
    expect(world.alerts()).toEqual([
      "OrderStuck 0x1 resolved",
      "OrderStuck 0x2 firing",
      "Slow 0x2 pending",
    ]);
    seen(world, "0x2").passes("25s");
    seen(world, "0x2").at("1m");
    // It has waited since the first reading, through the change of the list.
    expect(world.alert("Slow", "liquidation", "0x2")?.firedAt).toBe(START + 60 * SECOND);
  });

  it("leaves what a poll under way says of it unheard", () => {
    const world = seen(listed([STUCK], both), "0x1", "0x2");
    relists(world, config(liquidation("0x2")));
    seen(world, "0x1", "0x2");
    expect(world.entity("liquidation", "0x1")).toBeUndefined();
    expect(world.entity("liquidation", "0x2")).toBeDefined();
  });

  it("keeps what was read of a new entry through a poll that began before it", () => {
    const world = seen(listed([STUCK], config(liquidation("0x1"))), "0x1");
    relists(world, both);
    const piece = observed("liquidations", [partOf("0x2", world.now, [order("0x2", "STUCK")])]);
    if (piece.type === "observed")
      world.tell({ ...piece, observation: { ...piece.observation, ongoing: true } });
    seen(world, "0x1");
    expect(world.alerts()).toEqual(["OrderStuck 0x1 firing", "OrderStuck 0x2 firing"]);
  });

  it("follows an action that was sent to its end, though nothing reads its order any more", () => {
    const acting = rule({
      ...STUCK,
      act: repair({ action: "force_cancel_order", verifyWithinMs: 20 * SECOND }),
    });
    const world = seen(listed([acting], both), "0x1").passes("1s");
    expect(world.sent.map(({ remediation }) => remediation)).toEqual(["r1"]);
    relists(world, config(liquidation("0x2")));
    expect(world.remediations()).toEqual(["r1 requested"]);
    world.replies("r1", "acknowledged").passes("21s");
    expect(world.remediations()).toEqual(["r1 unverified"]);
    expect(world.sent).toHaveLength(1);
  });

  it("sends no action that only waited for the reading before it", () => {
    const acting = rule({ ...STUCK, act: repair({ action: "force_cancel_order" }) });
    const world = listed([acting], both);
    world.probing = "silent";
    seen(world, "0x1");
    expect(world.probes).toMatchObject([{ surface: "0x1", why: "confirm" }]);
    relists(world, config(liquidation("0x2")));
    world.tell(
      observed("liquidations", [partOf("0x1", world.now, [order("0x1", "STUCK")])], "probe"),
    );
    world.passes("1m");
    expect(world.sent).toEqual([]);
    expect(world.alerts()).toEqual(["OrderStuck 0x1 resolved"]);
  });

  it("keeps what a source gave, until the source is no more", () => {
    const world = listed([STUCK], config());
    const file = { aggregator: AGGREGATOR, source: "file", name: "w.yaml" } as const;
    const entries = [liquidation("0x1")];
    world.tell({ type: "watch_changed", listed: [{ ...file, entries }] });
    world.restarts();
    expect([...world.state.tables.watch.values()]).toMatchObject([{ type: "listing", entries }]);
    world.tell({ type: "watch_changed", listed: [{ ...file, entries: undefined }] });
    expect(world.state.tables.watch.size).toBe(0);
  });

  it("does nothing to the other pollers", () => {
    const world = listed([rule(), STUCK], both).sees("exchanges", [exchange("A", "disabled")]);
    const before = structuredClone(world.alert("ExchangeDisabled", "exchange", "A"));
    relists(world, config());
    expect(world.alert("ExchangeDisabled", "exchange", "A")).toEqual(before);
  });
});

it("says which aggregators there are if none is named of several", () => {
  const world = listed();
  const policy = withLists(world, []);
  world.policy = {
    ...policy,
    aggregators: [...policy.aggregators, { name: "eth", pollers: [] }],
  };
  world.commands({ ...add(liquidation("0x1")), aggregator: "" });
  expect(said(world)).toEqual([false, "there are several (bsc, eth); say which"]);
});

describe("a long poll in pieces", () => {
  const piece = (world: World, surface: string, said: readonly SeenEntity[] | "failed") => {
    const event = observed("liquidations", [partOf(surface, world.now, said)]);
    return event.type === "observed" ? event.observation : undefined;
  };

  it("tells of each as it comes, and of the poller at its end", () => {
    const world = listed([STUCK], config(liquidation("0x1"), liquidation("0x2")));
    const first = piece(world, "0x1", [order("0x1", "STUCK")]);
    if (first !== undefined)
      world.tell({ type: "observed", observation: { ...first, ongoing: true } });
    expect(world.alerts()).toEqual(["OrderStuck 0x1 firing"]);
    const poller = () => world.entity("poller", "liquidations")?.facts;
    expect(poller()).toMatchObject({ stale: false, last_success: world.now });
    expect(poller()?.["up"]).toBeUndefined();
    world.passes("2s");
    const last = piece(world, "0x2", "failed");
    const earlier = { parts: 1, failed: 0, cut: 0, askedAt: START };
    if (last !== undefined) world.tell({ type: "observed", observation: { ...last, earlier } });
    expect(poller()).toMatchObject({ up: true, surfaces: 2, failing_surfaces: 1 });
    expect(world.found("polled").map(({ outcome }) => outcome)).toEqual(["partial"]);
    expect(world.alerts()).toEqual(["OrderStuck 0x1 firing"]);
  });
});

import { rateShare } from "../../config/rate-shares.ts";
import { identifierKey } from "../../domain/identifier.ts";
import type { Rule } from "../../domain/rule.ts";
import { HOME, sendersNumber, sendersUnit, unitOfSender } from "../../domain/lease.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import { pollers } from "../../pollers/index.ts";
import { NOTHING_WATCHED } from "../../pollers/poller.ts";
import { entriesOf, SENDER_POLLERS } from "../../pollers/watch-kinds.ts";
import type { AggregatorSetup, WatchdogSetup } from "../setup.ts";

/** The part of a setup for one unit: `home` has all but the senders, which are spread over units by their hash. */
export function setupOfUnit(setup: WatchdogSetup, unit: string): WatchdogSetup {
  const { shards } = setup.settings.journal;
  if (shards === 0) return setup;
  const number = sendersNumber(unit);
  const aggregators = setup.aggregators.map((one) =>
    number === undefined ? aggregatorOfHome(one, shards) : aggregatorOfUnit(one, number, shards),
  );
  return number === undefined
    ? { ...setup, aggregators }
    : withoutActing({ ...setup, aggregators }, unit);
}

/** What these see, and what is known of the watching itself. */
const UNIT_KINDS: ReadonlySet<string> = new Set([
  ...pollers
    .filter(({ name }) => SENDER_POLLERS.has(name))
    .flatMap(({ kinds }) => kinds.map(({ kind }) => kind)),
  "poller",
  "aggregator",
]);
/** `home` sees by its own pollers if an aggregator is down, and notifies people. */
export const LEFT_TO_HOME: ReadonlySet<string> = new Set(["aggregator"]);

/** The rules that a unit judges by. */
export function rulesOfUnit(rules: readonly Rule[], unit: string): readonly Rule[] {
  return unit === HOME ? rules : rules.filter(isOfSenders);
}

function isOfSenders({ kind, act }: Rule): boolean {
  return UNIT_KINDS.has(kind) && act === undefined;
}

/** What `home` polls of an aggregator, at its part of the rate. */
export function aggregatorOfHome(one: AggregatorSetup, shards: number): AggregatorSetup {
  const { client, pollers: all, watch } = one;
  return {
    ...one,
    client: { ...client, rate: rateShare(client.rate, HOME, shards) },
    pollers: all.filter(({ name }) => !SENDER_POLLERS.has(name)),
    watch: { ...watch, senders: [] },
    part: { watches: (entry) => !isSender(entry) },
  };
}

/** What a unit of senders polls of an aggregator, at its part of the rate. */
export function aggregatorOfUnit(
  one: AggregatorSetup,
  number: number,
  shards: number,
): AggregatorSetup {
  const { client, pollers: all, watch } = one;
  const { senders, historyLimit } = watch;
  const rate = rateShare(client.rate, sendersUnit(number), shards);
  const isOurs = (address: string): boolean =>
    unitOfSender(identifierKey(address), shards) === number;
  const ours = senders.filter(({ address }) => isOurs(address));
  return {
    ...one,
    client: { ...client, auth: { ...client.auth, act: { type: "none" } }, rate },
    pollers: all
      .filter(({ name }) => SENDER_POLLERS.has(name))
      .map((poller) => ({ ...poller, unit: number })),
    watch: { ...NOTHING_WATCHED, historyLimit, senders: ours },
    part: {
      watches: (entry) => isSender(entry) && isOurs(entry.target),
      sharesNames: isSender,
      configured: entriesOf({
        ...NOTHING_WATCHED,
        senders: senders.filter((one) => one.alias !== undefined || isOurs(one.address)),
      }),
    },
  };
}

function isSender({ kind }: WatchEntry): boolean {
  return kind === "sender";
}

/** The number of the unit that has most of these senders; the hash spreads them, and never quite evenly. */
export function fullestUnit(senders: Iterable<string>, shards: number): number {
  const counts = new Map<number, number>([[1, 0]]);
  for (const address of senders) {
    const number = unitOfSender(identifierKey(address), shards);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** A unit of senders judges and alerts; what needs saying only once, `home` says. */
function withoutActing(setup: WatchdogSetup, unit: string): WatchdogSetup {
  const { settings, rules, notify } = setup;
  return {
    ...setup,
    settings: {
      ...settings,
      actions: { ...settings.actions, mode: "shadow" },
      maintenance: [],
      record: { ...settings.record, replies: { ...settings.record.replies, keep: "none" } },
    },
    heartbeat: undefined,
    rules: rules.filter(isOfSenders),
    notify: {
      ...notify,
      leftToHome: LEFT_TO_HOME,
      unit,
      channels: notify.channels.map((channel) => ({
        ...channel,
        policy: { ...channel.policy, watchdog: false },
      })),
    },
  };
}

import { ALERT_STATES } from "../../domain/alert.ts";
import type { Entity } from "../../domain/entity.ts";
import { SECOND, type Instant } from "../../domain/time.ts";
import { PAUSE, type Labels, type MetricsSource, type Series } from "./definition.ts";

/** How gauges are read from state. There may be very many entities, so walks over them have pauses. */
type Reading = Generator<Series | typeof PAUSE>;

/** How many entities are looked at between two pauses. */
const PAUSE_EVERY = 512;

function* entitiesOf({ state }: MetricsSource, kind: string): Generator<Entity | typeof PAUSE> {
  let count = 0;
  for (const key of state.entitiesByKind.get(kind) ?? []) {
    const entity = state.tables.entity.get(key);
    if (entity !== undefined) yield entity;
    count += 1;
    if (count % PAUSE_EVERY === 0) yield PAUSE;
  }
}

export function* perPoller(
  source: MetricsSource,
  value: (facts: Entity["facts"]) => number,
): Reading {
  for (const entity of entitiesOf(source, "poller")) {
    if (entity === PAUSE) continue;
    yield [{ aggregator: entity.aggregator, poller: entity.id }, value(entity.facts)];
  }
}

export function* perExchange(source: MetricsSource, status: string): Reading {
  for (const entity of entitiesOf(source, "exchange")) {
    if (entity === PAUSE) yield PAUSE;
    else {
      const { aggregator, id, facts } = entity;
      yield [{ aggregator, exchange: id }, facts["status"] === status ? 1 : 0];
    }
  }
}

/** Makes one series of all with the same labels, in the order in which the labels first come. */
export function* fold(
  values: Iterable<Series | typeof PAUSE>,
  join: (one: number, other: number) => number,
): Reading {
  const series = new Map<string, [Labels, number]>();
  for (const one of values) {
    if (one === PAUSE) {
      yield PAUSE;
      continue;
    }
    const key = keyOf(one[0]);
    const known = series.get(key);
    if (known === undefined) series.set(key, [...one]);
    else known[1] = join(known[1], one[1]);
  }
  yield* series.values();
}

export function sums(values: Iterable<Series | typeof PAUSE>): Reading {
  return fold(values, (one, other) => one + other);
}

/** One text for a set of labels; all sets of a metric have the same names in the same order. */
function keyOf(labels: Labels): string {
  let key = "";
  for (const name in labels) key += `${labels[name]}\u0000`;
  return key;
}

/** What entities of a kind say, those left out of which `say` gives nothing. */
function* said(
  source: MetricsSource,
  kind: string,
  say: (entity: Entity) => Series | undefined,
): Reading {
  for (const entity of entitiesOf(source, kind)) {
    if (entity === PAUSE) yield PAUSE;
    else {
      const series = say(entity);
      if (series !== undefined) yield series;
    }
  }
}

export function pairsDisabled(source: MetricsSource): Reading {
  return sums(pairsAndNone(source));
}

function* pairsAndNone(source: MetricsSource): Reading {
  yield* said(source, "exchange", ({ aggregator, id }) => [{ aggregator, exchange: id }, 0]);
  yield* said(source, "pair", ({ aggregator, facts }) => [
    { aggregator, exchange: String(facts["exchange"]) },
    1,
  ]);
}

/** What looks like an address, a hash or another long hexadecimal id. */
const RAW_ID = /^0x[0-9a-f]{8,}$|^[0-9a-f]{32,}$/i;

/** An address without an alias is not a label: all such senders are one series. */
function senderLabel(alias: unknown): string {
  return typeof alias !== "string" || RAW_ID.test(alias) ? "unnamed" : alias;
}

/** A sender of which the number is not known says nothing, rather than 0. */
export function swapsActive(source: MetricsSource): Reading {
  return sums(
    said(source, "sender", ({ aggregator, facts }) => {
      const active = facts["active_swaps"];
      if (typeof active !== "number") return undefined;
      return [{ aggregator, sender: senderLabel(facts["alias"]) }, active];
    }),
  );
}

export function oldestActiveSwap(source: MetricsSource): Reading {
  return fold(
    said(source, "swap", ({ aggregator, facts, firstSeen }) => {
      if (facts["active"] !== true) return undefined;
      return [{ aggregator, sender: senderLabel(facts["sender_alias"]) }, firstSeen / SECOND];
    }),
    (one: Instant, other: Instant) => Math.min(one, other),
  );
}

/** A status word that no setting knows is not a label: it may be anything. */
export function liquidationsByStatus(source: MetricsSource): Reading {
  return sums(
    said(source, "liquidation", ({ aggregator, facts }) => {
      const isKnown = facts["final"] !== undefined && facts["status"] !== undefined;
      return [{ aggregator, status: isKnown ? String(facts["status"]) : "unknown" }, 1];
    }),
  );
}

/**
 * By aggregator and status: since when the open order that has had its status longest has had it, in
 * seconds. An order whose status no setting knows is neither open nor final, and is not among them.
 */
export function oldestOpenLiquidation(source: MetricsSource): Reading {
  return fold(
    said(source, "liquidation", ({ aggregator, facts, since }) =>
      facts["final"] === false
        ? [{ aggregator, status: String(facts["status"]) }, since / SECOND]
        : undefined,
    ),
    (one: Instant, other: Instant) => Math.min(one, other),
  );
}

export function* poolReserves(source: MetricsSource): Reading {
  for (const entity of entitiesOf(source, "pool")) {
    if (entity === PAUSE) {
      yield PAUSE;
      continue;
    }
    const { aggregator, facts } = entity;
    const factory = String(facts["factory"]);
    const pair = String(facts["pair"]);
    for (const side of ["base", "quote"] as const) {
      const amount = facts[side];
      const asset = facts[`${side}_asset`];
      if (typeof amount === "number" && typeof asset === "string") {
        yield [{ aggregator, factory, pair, asset }, amount];
      }
    }
  }
}

/** Counts entities of a kind without a set of labels for each of them, as there may be very many. */
export function* countOfKind(
  source: MetricsSource,
  kind: string,
  counts: (entity: Entity) => boolean,
): Reading {
  const byAggregator = new Map<string, number>();
  for (const entity of entitiesOf(source, kind)) {
    if (entity === PAUSE) {
      yield PAUSE;
      continue;
    }
    const known = byAggregator.get(entity.aggregator) ?? 0;
    byAggregator.set(entity.aggregator, known + (counts(entity) ? 1 : 0));
  }
  for (const [aggregator, count] of byAggregator) yield [{ aggregator, kind }, count];
}

export function* alertsByState(source: MetricsSource): Reading {
  yield* sums(knownAlerts(source));
}

function* knownAlerts({ policy, state }: MetricsSource): Reading {
  for (const { name: aggregator } of policy.aggregators) {
    for (const { alert: alertname, severity } of policy.rules.values()) {
      for (const one of ALERT_STATES) {
        if (one !== "resolved") yield [{ aggregator, alertname, severity, state: one }, 0];
      }
    }
  }
  let count = 0;
  for (const { entity, rule, severity, state: one } of state.tables.alert.values()) {
    count += 1;
    if (count % PAUSE_EVERY === 0) yield PAUSE;
    if (one === "resolved") continue;
    const { aggregator } = entity;
    yield [{ aggregator, alertname: rule, severity, state: one }, 1];
  }
}

/** Counts by aggregator; `keys` are names of aggregators, or keys that begin with one. */
export function perAggregator({ policy }: MetricsSource, keys: Iterable<string>): Reading {
  const none = policy.aggregators.map(({ name }): Series => [{ aggregator: name }, 0]);
  const counted = [...keys].map((key): Series => [{ aggregator: key.split("/")[0] ?? "" }, 1]);
  return sums([...none, ...counted]);
}

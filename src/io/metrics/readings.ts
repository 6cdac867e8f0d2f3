import { ALERT_STATES } from "../../domain/alert.ts";
import type { Entity } from "../../domain/entity.ts";
import { SECOND, type Instant } from "../../domain/time.ts";
import type { Labels, MetricsSource } from "./definition.ts";

/** How gauges are read from state. */

function* entitiesOf({ state }: MetricsSource, kind: string): Generator<Entity> {
  for (const key of state.entitiesByKind.get(kind) ?? []) {
    const entity = state.tables.entity.get(key);
    if (entity !== undefined) yield entity;
  }
}

export function* perPoller(
  source: MetricsSource,
  value: (facts: Entity["facts"]) => number,
): Generator<readonly [Labels, number]> {
  for (const entity of entitiesOf(source, "poller")) {
    yield [{ aggregator: entity.aggregator, poller: entity.id }, value(entity.facts)];
  }
}

export function* perExchange(
  source: MetricsSource,
  status: string,
): Generator<readonly [Labels, number]> {
  for (const { aggregator, id, facts } of entitiesOf(source, "exchange")) {
    yield [{ aggregator, exchange: id }, facts["status"] === status ? 1 : 0];
  }
}

/** Sums values by labels, in the order in which the labels first come. */
function sums(values: Iterable<readonly [Labels, number]>): Iterable<readonly [Labels, number]> {
  const series = new Map<string, [Labels, number]>();
  for (const [labels, value] of values) {
    const key = keyOf(labels);
    const known = series.get(key);
    if (known === undefined) series.set(key, [labels, value]);
    else known[1] += value;
  }
  return series.values();
}

/** One text for a set of labels; all sets of a metric have the same names in the same order. */
function keyOf(labels: Labels): string {
  return Object.values(labels).join("\u0000");
}

function tally(
  source: MetricsSource,
  kind: string,
  labels: (entity: Entity) => Labels,
): Iterable<readonly [Labels, number]> {
  return sums([...entitiesOf(source, kind)].map((entity) => [labels(entity), 1] as const));
}

export function pairsDisabled(source: MetricsSource): Iterable<readonly [Labels, number]> {
  const none = [...entitiesOf(source, "exchange")].map(
    ({ aggregator, id }) => [{ aggregator, exchange: id }, 0] as const,
  );
  const disabled = [...entitiesOf(source, "pair")].map(
    ({ aggregator, facts }) => [{ aggregator, exchange: String(facts["exchange"]) }, 1] as const,
  );
  return sums([...none, ...disabled]);
}

/** What looks like an address, a hash or another long hexadecimal id. */
const RAW_ID = /^0x[0-9a-f]{8,}$|^[0-9a-f]{32,}$/i;

/** An address without an alias is not a label: all such senders are one series. */
function senderLabel(alias: unknown): string {
  return typeof alias !== "string" || RAW_ID.test(alias) ? "unnamed" : alias;
}

/** A sender of which the number is not known says nothing, rather than 0. */
export function swapsActive(source: MetricsSource): Iterable<readonly [Labels, number]> {
  return sums(
    [...entitiesOf(source, "sender")].flatMap(({ aggregator, facts }) => {
      const active = facts["active_swaps"];
      if (typeof active !== "number") return [];
      return [[{ aggregator, sender: senderLabel(facts["alias"]) }, active] as const];
    }),
  );
}

export function oldestActiveSwap(source: MetricsSource): Iterable<readonly [Labels, number]> {
  const oldest = new Map<string, [Labels, Instant]>();
  for (const { aggregator, facts, firstSeen } of entitiesOf(source, "swap")) {
    if (facts["active"] !== true) continue;
    const sender = senderLabel(facts["sender_alias"]);
    const key = `${aggregator}\u0000${sender}`;
    const known = oldest.get(key);
    if (known === undefined) oldest.set(key, [{ aggregator, sender }, firstSeen / SECOND]);
    else known[1] = Math.min(known[1], firstSeen / SECOND);
  }
  return oldest.values();
}

/** A status word that no setting knows is not a label: it may be anything. */
export function liquidationsByStatus(source: MetricsSource): Iterable<readonly [Labels, number]> {
  return tally(source, "liquidation", ({ aggregator, facts }) => {
    const isKnown = facts["final"] !== undefined && facts["status"] !== undefined;
    return { aggregator, status: isKnown ? String(facts["status"]) : "unknown" };
  });
}

export function* poolReserves(source: MetricsSource): Generator<readonly [Labels, number]> {
  for (const { aggregator, facts } of entitiesOf(source, "pool")) {
    const labels = {
      aggregator,
      factory: String(facts["factory"]),
      pair: String(facts["pair"]),
    };
    for (const side of ["base", "quote"] as const) {
      const amount = facts[side];
      const asset = facts[`${side}_asset`];
      if (typeof amount === "number" && typeof asset === "string") {
        yield [{ ...labels, asset }, amount];
      }
    }
  }
}

/** Counts entities without a set of labels for each of them, as there may be very many. */
export function* perKind(
  { state }: MetricsSource,
  counts: (entity: Entity) => boolean,
): Generator<readonly [Labels, number]> {
  for (const [kind, keys] of state.entitiesByKind) {
    const byAggregator = new Map<string, number>();
    for (const key of keys) {
      const entity = state.tables.entity.get(key);
      if (entity === undefined) continue;
      const known = byAggregator.get(entity.aggregator) ?? 0;
      byAggregator.set(entity.aggregator, known + (counts(entity) ? 1 : 0));
    }
    for (const [aggregator, count] of byAggregator) yield [{ aggregator, kind }, count];
  }
}

export function alertsByState({
  policy,
  state,
}: MetricsSource): Iterable<readonly [Labels, number]> {
  const values: Array<readonly [Labels, number]> = [];
  for (const { name: aggregator } of policy.aggregators) {
    for (const { alert: alertname, severity } of policy.rules.values()) {
      for (const one of ALERT_STATES) {
        if (one !== "resolved") values.push([{ aggregator, alertname, severity, state: one }, 0]);
      }
    }
  }
  for (const { entity, rule, severity, state: one } of state.tables.alert.values()) {
    if (one === "resolved") continue;
    const { aggregator } = entity;
    values.push([{ aggregator, alertname: rule, severity, state: one }, 1]);
  }
  return sums(values);
}

/** Counts by aggregator; `keys` are names of aggregators, or keys that begin with one. */
export function perAggregator(
  { policy }: MetricsSource,
  keys: Iterable<string>,
): Iterable<readonly [Labels, number]> {
  const none = policy.aggregators.map(({ name }) => [{ aggregator: name }, 0] as const);
  const counted = [...keys].map((key) => [{ aggregator: key.split("/")[0] ?? "" }, 1] as const);
  return sums([...none, ...counted]);
}

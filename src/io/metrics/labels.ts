import type { EntityId, Facts } from "../../domain/entity.ts";
import type { Policy } from "../../domain/step.ts";
import { judges } from "../../core/judge/verdict.ts";

/**
 * The labels of the metrics, and the values that each may hold: the words of a closed list, names from the
 * config and the rules, or public names of entities. None ever holds an id, a hash or an address:
 * `isRawId` checks every value that is written.
 */
export type Label<Name extends string = string, Value extends string = string> = {
  readonly name: Name;
  /**
   * The values that are known beforehand, given those of the labels before this one. If all labels of a metric have
   * known values, its series exist from the start.
   */
  readonly known: ((policy: Policy, before: LabelValues) => Iterable<Value>) | undefined;
};

/** A label that can be read from an entity. */
export type EntityLabel<Name extends string = string, Value extends string = string> = Label<
  Name,
  Value
> & { readonly of: (entity: Labelled) => Value };

export type LabelValues = Readonly<Record<string, string>>;

/** A label's source: an entity, or its name in a finding, which has no facts. */
type Labelled = EntityId & { readonly facts?: Facts };

declare const publicName: unique symbol;
/** A name of an entity that may be public; only the labels of this file make one. */
export type PublicName = string & { readonly [publicName]: true };

/** A label that holds one of a closed list of words. */
export function oneOf<const Name extends string, const Value extends string>(
  name: Name,
  values: readonly Value[],
): Label<Name, Value> {
  return { name, known: () => values };
}

/** A label that holds a name of the config or the rules. */
function configured<const Name extends string>(
  name: Name,
  known?: (policy: Policy, before: LabelValues) => Iterable<string>,
): Label<Name> {
  return { name, known };
}

/** A label that holds an entity's name, read from this fact, or from its id if the id is a name. */
function named<const Name extends string>(
  name: Name,
  factByKind: Readonly<Record<string, string>>,
): EntityLabel<Name, PublicName> {
  return {
    name,
    known: undefined,
    of: ({ kind, id, facts }) => {
      const fact = factByKind[kind];
      if (fact === undefined) throw new Error(`a ${kind} has no name for the label "${name}"`);
      return String(fact === "id" ? id : (facts?.[fact] ?? "")) as PublicName;
    },
  };
}

/**
 * The asset on a side of a pool; the side's own word if the pair does not name two assets, as the reserves would be one
 * series otherwise, with two values.
 */
function sideOfPool(side: "base" | "quote"): EntityLabel<"asset", PublicName> {
  return {
    name: "asset",
    known: undefined,
    of: ({ facts = {} }) => {
      const isNamed = facts["base_asset"] !== facts["quote_asset"];
      return String((isNamed ? facts[`${side}_asset`] : undefined) ?? side) as PublicName;
    },
  };
}

export const AGGREGATOR: EntityLabel<"aggregator"> = {
  ...configured("aggregator", ({ aggregators }) => aggregators.map(({ name }) => name)),
  of: ({ aggregator }) => aggregator,
};

export const POLLER: EntityLabel<"poller"> = {
  ...configured("poller", ({ aggregators }, { aggregator }) =>
    aggregators
      .filter(({ name }) => name === aggregator)
      .flatMap(({ pollers }) => pollers.map(({ name }) => name)),
  ),
  of: ({ id }) => id,
};

/** A kind of entities. */
export const KIND: EntityLabel<"kind"> = { ...configured("kind"), of: ({ kind }) => kind };
export const WATCHED_KIND = configured("kind", ({ watch }) => watch?.kinds.keys() ?? []);
export const REPAIRED_KIND = configured(
  "kind",
  ({ rules }) =>
    new Set(rules.values().flatMap(({ kind, act }) => (act === undefined ? [] : [kind]))),
);

/** The alert of a rule. */
export const ALERTNAME = configured("alertname", ({ rules }) => rules.keys());
/** The alert of a rule that acts on the aggregator. */
export const ACTING_ALERTNAME = configured("alertname", ({ rules }, { aggregator = "" }) =>
  [...rules.values()]
    .filter((rule) => rule.act !== undefined && judges(rule, aggregator))
    .map(({ alert }) => alert),
);
export const SEVERITY = configured("severity", ({ rules }, { alertname = "" }) => {
  const severity = rules.get(alertname)?.severity;
  return severity === undefined ? [] : [severity];
});
export const ACTION = configured("action", ({ actions }) => actions.keys());
export const CHANNEL = configured("channel", ({ notify }) =>
  notify.channels.map(({ name }) => name),
);
/** A budget's action or rule; empty for the budget over all. */
export const BUDGET_NAME = configured("name");
export const METRIC = configured("metric");
export const VERSION = configured("version");
export const NODE_VERSION = configured("node_version");

export const EXCHANGE = named("exchange", { exchange: "id", pair: "exchange" });
export const PAIR = named("pair", { market: "pair", pool: "pair" });
export const FACTORY = named("factory", { pool: "factory" });
export const ASSET = named("asset", { broker_asset: "asset" });
export const BASE_ASSET = sideOfPool("base");
export const QUOTE_ASSET = sideOfPool("quote");
export const SOURCE_NETWORK = named("source_network", { swap_route: "id" });

/** An address without an alias is not a label: all such senders are one series. */
export const SENDER: EntityLabel<"sender", PublicName> = {
  name: "sender",
  known: undefined,
  of: ({ kind, facts }) => {
    const alias = facts?.[kind === "sender" ? "alias" : "sender_alias"];
    return (typeof alias !== "string" || isRawId(alias) ? "unnamed" : alias) as PublicName;
  },
};

/** The status of an order. A word that no setting knows is not a label: it may be anything. */
export const ORDER_STATUS: EntityLabel<"status", PublicName> = {
  name: "status",
  known: undefined,
  of: ({ facts }) => {
    const isKnown = facts?.["final"] !== undefined && facts["status"] !== undefined;
    return (isKnown ? String(facts["status"]) : "unknown") as PublicName;
  },
};

/** Every raw id has this; most values do not, and skip the longer search. */
const HEXADECIMAL = /[0-9a-f]{8}/i;
const SHORTEST_RAW_ID = 10;

const RAW_ID = new RegExp(
  [
    "^0x[0-9a-f]{8,}$",
    "0x[0-9a-f]{16,}",
    "(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  ].join("|"),
  "i",
);

/** Whether a value seems to hold an address, a hash or another long hexadecimal id. */
export function isRawId(value: string): boolean {
  return value.length >= SHORTEST_RAW_ID && HEXADECIMAL.test(value) && RAW_ID.test(value);
}

/** Every set of label values that is known beforehand; none if one label has no known values. */
export function knownLabels(labels: readonly Label[], policy: Policy): LabelValues[] {
  let sets: LabelValues[] = [{}];
  for (const { name, known } of labels) {
    sets = sets.flatMap((before) =>
      [...(known?.(policy, before) ?? [])].map((value) => ({ ...before, [name]: value })),
    );
  }
  return sets;
}

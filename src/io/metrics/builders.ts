import type { Entity } from "../../domain/entity.ts";
import type { Policy } from "../../domain/step.ts";
import { createCombined, type Combine } from "./combine.ts";
import { PAUSE, type CountedMetric, type MetricEvent } from "./definition.ts";
import type { MetricsSource, ScrapedMetric, Series } from "./definition.ts";
import { knownLabels, type EntityLabel, type Label, type LabelValues } from "./labels.ts";

/**
 * Builders for the entries of `definitions/`. A series that lacks a declared label, or has a value that the label may
 * not hold, does not compile; one with an undeclared label is refused when it is read.
 */

type Head<Labels extends readonly Label[]> = {
  readonly name: `aggwatch_${string}`;
  readonly help: string;
  readonly labels: Labels;
};

/** The values of these labels, by their names. */
type ValuesOf<Labels extends readonly Label[]> = {
  readonly [One in Labels[number] as One["name"]]: One extends Label<string, infer Value>
    ? Value
    : never;
};

export type SeriesOf<Labels extends readonly Label[]> = readonly [ValuesOf<Labels>, number];

type EventOf<Type extends MetricEvent["type"]> = Extract<MetricEvent, { readonly type: Type }>;

/** A gauge that is read at scrape; with `kinds`, from entities of these kinds alone. */
export function gauge<const Labels extends readonly Label[]>(
  definition: Head<Labels> & {
    readonly kinds?: readonly string[];
    readonly read: (source: MetricsSource) => Iterable<SeriesOf<Labels> | typeof PAUSE>;
  },
): ScrapedMetric {
  return { ...definition, type: "gauge", from: "scrape" };
}

/** A gauge without labels; it has no series while its value is undefined. */
export function plainGauge({
  value,
  ...head
}: Omit<Head<readonly []>, "labels"> & {
  readonly value: (source: MetricsSource) => number | undefined;
}): ScrapedMetric {
  return gauge({
    ...head,
    labels: [],
    read: (source) => {
      const read = value(source);
      return read === undefined ? [] : [[{}, read] as const];
    },
  });
}

/** A gauge that counts items by their labels; every series that is known beforehand exists, at least as 0. */
export function countGauge<const Labels extends readonly Label[]>({
  items,
  ...head
}: Head<Labels> &
  Pick<ScrapedMetric, "table" | "objects"> & {
    readonly items: (source: MetricsSource) => Iterable<ValuesOf<Labels>>;
  }): ScrapedMetric {
  return {
    ...head,
    type: "gauge",
    from: "scrape",
    read: (source) => countSeries(head.labels, source.policy, items(source)),
  };
}

type EntityGauge = Head<readonly EntityLabel[]> & {
  readonly kinds: readonly string[];
  /** An entity without a value is left out. */
  readonly value: (entity: Entity) => number | undefined;
  /** How the values of entities with the same labels become one series, if there may be several. */
  readonly combine?: Combine;
};

/** A gauge of entities. */
export function entityGauge(definition: EntityGauge): ScrapedMetric {
  const { name, help, labels, kinds } = definition;
  const read = (source: MetricsSource) => entitySeries(source, definition);
  return { name, help, labels, kinds, type: "gauge", from: "scrape", read };
}

/** A counter that something else counts; it is read at scrape. */
export function scrapedCounter<const Labels extends readonly Label[]>(
  definition: Parameters<typeof gauge<Labels>>[0],
): ScrapedMetric {
  return { ...gauge(definition), type: "counter" };
}

/** Counts events of a type. */
export function counter<
  const Labels extends readonly Label[],
  const Type extends MetricEvent["type"],
>({
  labelsOf,
  by = () => 1,
  ...definition
}: Head<Labels> & {
  readonly from: Type;
  /** The series that the event adds to; undefined if none. */
  readonly labelsOf: (event: EventOf<Type>) => ValuesOf<Labels> | undefined;
  /** How much it adds. */
  readonly by?: (event: EventOf<Type>) => number;
}): CountedMetric {
  const { from } = definition;
  return {
    ...definition,
    type: "counter",
    sample: (event) => {
      if (!isOf(event, from)) return undefined;
      const labels = labelsOf(event);
      return labels === undefined ? undefined : [labels, by(event)];
    },
  };
}

/** Observes a number of each event of a type. */
export function histogram<
  const Labels extends readonly Label[],
  const Type extends MetricEvent["type"],
>({
  sample,
  ...definition
}: Head<Labels> & {
  readonly from: Type;
  /** Upper bounds, in the metric's own unit. */
  readonly buckets: readonly number[];
  readonly sample: (event: EventOf<Type>) => SeriesOf<Labels> | undefined;
}): CountedMetric {
  const { from } = definition;
  return {
    ...definition,
    type: "histogram",
    sample: (event) => (isOf(event, from) ? sample(event) : undefined),
  };
}

function isOf<Type extends MetricEvent["type"]>(
  event: MetricEvent,
  type: Type,
): event is EventOf<Type> {
  return event.type === type;
}

/** How many items are read between two pauses. */
const PAUSE_EVERY = 512;

/** Items with pauses between them, as there may be very many. */
function* withPauses<Item>(items: Iterable<Item>): Generator<Item | typeof PAUSE> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % PAUSE_EVERY === 0) yield PAUSE;
  }
}

/** The entities of a kind, with pauses. */
export function* entitiesOf(
  { state }: MetricsSource,
  kind: string,
): Generator<Entity | typeof PAUSE> {
  for (const key of withPauses(state.entitiesByKind.get(kind) ?? []))
    yield key === PAUSE ? PAUSE : state.tables.entity.get(key);
}

/** The series of entities of some kinds; without `combine`, one for each entity. */
function* entitySeries(
  source: MetricsSource,
  { kinds, labels, value, combine }: EntityGauge,
): Generator<Series | typeof PAUSE> {
  const combined = createCombined(combine ?? "sum");
  for (const kind of kinds)
    for (const entity of entitiesOf(source, kind)) {
      const read = entity === PAUSE ? undefined : value(entity);
      if (entity === PAUSE) yield PAUSE;
      else if (read === undefined) continue;
      else if (combine === undefined) yield [entityLabels(entity, labels), read];
      else {
        let place = combined.root;
        for (const { of } of labels) place = place.below(of(entity));
        if (!combined.join(place, read)) combined.begin(place, entityLabels(entity, labels), read);
      }
    }
  yield* combined.series();
}

function entityLabels(entity: Entity, labels: readonly EntityLabel[]): LabelValues {
  const values: Record<string, string> = {};
  for (const { name, of } of labels) values[name] = of(entity);
  return values;
}

function* countSeries(
  labels: readonly Label[],
  policy: Policy,
  items: Iterable<LabelValues>,
): Generator<Series | typeof PAUSE> {
  const combined = createCombined("sum");
  const add = (item: LabelValues, count: number): void => {
    let place = combined.root;
    for (const { name } of labels) place = place.below(item[name] ?? "");
    if (!combined.join(place, count)) combined.begin(place, item, count);
  };
  for (const known of knownLabels(labels, policy)) add(known, 0);
  for (const item of withPauses(items)) {
    if (item === PAUSE) yield PAUSE;
    else add(item, 1);
  }
  yield* combined.series();
}

import { z } from "@hono/zod-openapi";
import { isOfWatching } from "../../../core/observe/poller-health.ts";
import { entityKey, type Entity, type FactValue } from "../../../domain/entity.ts";
import { TRUTHS, type Truth } from "../../../domain/rule.ts";
import { eachInSlices, type Slices } from "../../../domain/slices.ts";
import { pageNext, pageTotal, shownFact } from "../answer-parts.ts";
import { documented, instant, list, named, number, object, plain, text } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import {
  conditionOf,
  entityRow,
  entityRowOf,
  openAlertsOf,
  statusTextOf,
  type OpenAlerts,
} from "./entity-row.ts";
import {
  atQuery,
  BY_FACT,
  pageQuery,
  pagingOf,
  pairsOf,
  pairsQuery,
  sortQuery,
  textMatcher,
  textQuery,
  wordQuery,
} from "./query.ts";
import { createPage, type SortValue } from "./select.ts";
import type { View } from "./view.ts";

/** `GET /api/v1/entities`: entities, a page at a time, and their counts by kind. */

export const kindCount = object({
  kind: text,
  total: number,
  ok: number,
  bad: number,
  unknown: number,
  statuses: documented(plain(z.record(z.string(), z.number())), {
    description: "By the fact `status`. Beyond some words, the rest are under `other`.",
  }),
});

export const entitiesAnswer = documented(
  object({
    at: instant,
    counts: documented(list(kindCount), {
      description: "Of all that the query finds, whatever its kind, status and condition.",
    }),
    total: pageTotal,
    rows: named("entities", list(entityRow)),
    next: pageNext,
    notKept: documented(list(text), {
      description: "Kinds whose past is not kept; none in the present.",
    }),
  }),
  "Entities",
);

const SORTS = ["key", "condition", "status", "since", "first_seen", BY_FACT];

export const entitiesQuery = z.object({
  at: atQuery,
  aggregator: wordQuery,
  kind: wordQuery.openapi({ description: "Left out: all but `poller` and `aggregator`." }),
  status: wordQuery.openapi({ description: "The fact `status`." }),
  condition: z.enum(TRUTHS).optional(),
  fact: pairsQuery(
    "`NAME=VALUE`, once or several times: the entity has this fact, as answers show it.",
  ),
  text: textQuery,
  sort: sortQuery(SORTS, "key"),
  ...pageQuery("entities"),
});

type EntitiesQuery = z.infer<typeof entitiesQuery>;

/** In slices, because there may be hundreds of thousands of entities. Every row is whole at any time. */
export function* entitiesIn(
  view: View,
  query: EntitiesQuery,
  notKept: readonly string[] = [],
): Slices<ValueOf<typeof entitiesAnswer>> {
  const open = openAlertsOf(view);
  const paging = pagingOf("entities", query);
  const matches = matcherOf(view, query);
  const counts = createCounts();
  const found = createPage<Readonly<Entity>>(paging);
  yield* eachInSlices(view.entities, ([key, entity]) => {
    if (!matches(key, entity)) return;
    const alerts = open(key);
    const condition = conditionOf(entity, alerts);
    const status = statusTextOf(entity);
    if (!isOfWatching(entity.kind)) counts.add(entity.kind, condition, status);
    if (query.kind === undefined ? isOfWatching(entity.kind) : query.kind !== entity.kind) return;
    if (query.status !== undefined && query.status !== status) return;
    if (query.condition !== undefined && query.condition !== condition) return;
    found.add({ key, item: entity, value: valueOf(paging.sortBy, entity, alerts) });
  });
  const { page, ...ends } = found.end();
  return {
    at: view.at,
    counts: counts.all(),
    rows: page.map((entity) => entityRowOf(entity, open(entityKey(entity)), view.kinds)),
    ...ends,
    notKept,
  };
}

/** The number of an aggregator's entities, by kind, condition and status. */
export function* countsIn(view: View, aggregator: string): Slices<readonly KindCount[]> {
  const open = openAlertsOf(view);
  const counts = createCounts();
  yield* eachInSlices(view.entities, ([key, entity]) => {
    if (entity.aggregator === aggregator && !isOfWatching(entity.kind))
      counts.add(entity.kind, conditionOf(entity, open(key)), statusTextOf(entity));
  });
  return counts.all();
}

/** The filters of the counts: all except kind, status and condition. */
function matcherOf(
  { kinds }: View,
  { aggregator, fact, text: words }: EntitiesQuery,
): (key: string, entity: Readonly<Entity>) => boolean {
  const facts = pairsOf(fact);
  const hasText = textMatcher(words);
  return (key, entity) =>
    (aggregator === undefined || aggregator === entity.aggregator) &&
    facts.every(([name, value]) => {
      const own = factOf(entity, name);
      if (own === undefined) return false;
      return shownFact(kinds.get(entity.kind), name, own).toString() === value;
    }) &&
    hasText(key, entity.facts);
}

const CONDITION_RANKS = { bad: 0, unknown: 1, ok: 2 } as const;

function valueOf(sortBy: string, entity: Readonly<Entity>, open: OpenAlerts): SortValue {
  switch (sortBy) {
    case "key":
      return undefined;
    case "condition":
      return CONDITION_RANKS[conditionOf(entity, open)];
    case "status":
      return statusTextOf(entity);
    case "since":
      return entity.since;
    case "first_seen":
      return entity.firstSeen;
    default: {
      const value = factOf(entity, sortBy.slice("fact.".length));
      return typeof value === "boolean" ? Number(value) : value;
    }
  }
}

/** The caller gives the name, which may be that of a property that every object has. */
function factOf(
  { facts, firstSeen, since }: Readonly<Entity>,
  name: string,
): FactValue | undefined {
  if (name === "first_seen") return firstSeen;
  if (name === "since") return since;
  return Object.hasOwn(facts, name) ? facts[name] : undefined;
}

/** A status is the aggregator's word, so there may be any number of them. */
const MOST_STATUSES = 20;

type KindCount = ValueOf<typeof kindCount>;

function createCounts(): {
  readonly add: (kind: string, condition: Truth, status: string | undefined) => void;
  readonly all: () => readonly KindCount[];
} {
  type Count = Record<"total" | Truth, number> & {
    readonly statuses: Map<string, number>;
  };
  const byKind = new Map<string, Count>();
  return {
    add: (kind, condition, status) => {
      let count = byKind.get(kind);
      if (count === undefined) {
        count = { total: 0, ok: 0, bad: 0, unknown: 0, statuses: new Map() };
        byKind.set(kind, count);
      }
      count.total += 1;
      count[condition] += 1;
      if (status === undefined) return;
      const { statuses } = count;
      const word = statuses.has(status) || statuses.size < MOST_STATUSES ? status : "other";
      statuses.set(word, (statuses.get(word) ?? 0) + 1);
    },
    all: () =>
      [...byKind]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([kind, { statuses, ...count }]) => ({
          kind,
          ...count,
          statuses: Object.fromEntries(statuses),
        })),
  };
}

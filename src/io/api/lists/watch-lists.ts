import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { watchKey } from "../../../core/change/watch-list.ts";
import { succeed } from "../../../domain/result.ts";
import {
  LONGEST_TARGET,
  originText,
  WATCH_SOURCES,
  type WatchReading,
} from "../../../domain/watch.ts";
import { watchKinds } from "../../../pollers/watch-kinds.ts";
import {
  documented,
  instant,
  list,
  number,
  object,
  orNull,
  text,
  word,
  type ValueOf,
} from "../codec.ts";
import { refuseUnknown } from "./known-names.ts";
import { countQuery, textUpTo } from "./query.ts";
import { addRead } from "../read-route.ts";
import type { ServerSource } from "../server-source.ts";
import { countsOf } from "../watch-counts.ts";

/** `GET /api/v1/watch`: the entries of the watch lists, and their sources. */

const watchList = object({
  name: text,
  counts: list(object({ kind: text, source: word(WATCH_SOURCES), entries: number })),
  sources: list(
    object({
      name: text,
      source: word(WATCH_SOURCES),
      entries: number,
      lastSuccess: orNull(instant),
      problem: orNull(text),
    }),
  ),
  conflicts: list(text),
  total: number,
  entries: list(
    object({
      kind: text,
      target: text,
      alias: orNull(text),
      /** Every source that lists it, in the order of precedence. */
      origins: list(text),
    }),
  ),
});

export const watchAnswer = documented(object({ aggregators: list(watchList) }), "Watch");

export type WatchAnswer = ValueOf<typeof watchAnswer>;

export const MOST_SHOWN = 100_000;
const SHOWN = 1_000;

const query = z.object({
  aggregator: z.string().max(300).optional(),
  kind: z.enum([...watchKinds.keys()]).optional(),
  text: z.string().max(300).optional().openapi({
    description: "Entries with this in their target or their alias, in upper or lower case.",
  }),
  target: textUpTo(LONGEST_TARGET).optional().openapi({
    description: "The entry of this target, as the calls that change the list find it.",
  }),
  limit: countQuery(0, MOST_SHOWN, SHOWN, "The most entries of each aggregator that are shown."),
});

export function addWatchLists(app: OpenAPIHono, source: ServerSource): void {
  addRead(app, {
    path: "/api/v1/watch",
    summary: "The watch lists: entries, where they come from, and the state of their sources.",
    query,
    answer: watchAnswer,
    means: { 200: "The lists." },
    of: ({ aggregator, ...wanted }) => {
      const refused = refuseUnknown({ aggregator }, source.names, () => []);
      const aggregators = source
        .watched()
        .filter((one) => aggregator === undefined || one.aggregator === aggregator)
        .map((one) => watchListOf(one, wanted));
      return refused ?? succeed({ aggregators });
    },
  });
}

function watchListOf(
  reading: WatchReading,
  { kind, text: part = "", target, limit }: Omit<z.infer<typeof query>, "aggregator">,
): ValueOf<typeof watchList> {
  const wanted = part.toLowerCase();
  const keys =
    target === undefined ? undefined : [...watchKinds.values()].map((one) => watchKey(one, target));
  const own = reading.entries.filter(
    (one) =>
      (kind ?? one.kind) === one.kind &&
      (keys === undefined || keys.includes(one.key)) &&
      (one.target.toLowerCase().includes(wanted) ||
        one.alias?.toLowerCase().includes(wanted) === true),
  );
  return {
    name: reading.aggregator,
    counts: countsOf(reading),
    sources: reading.sources.map((one) => ({
      name: originText(one),
      source: one.source,
      entries: one.entries?.length ?? 0,
      lastSuccess: one.successAt,
      problem: one.problem,
    })),
    conflicts: reading.conflicts,
    total: own.length,
    entries: own.slice(0, limit),
  };
}

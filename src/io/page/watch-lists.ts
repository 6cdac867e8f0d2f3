import { html } from "hono/html";
import { originText, type WatchReading } from "../../domain/watch.ts";
import { clock, section, table, type Markup } from "./parts.ts";
import { countsOf } from "../api/watch-counts.ts";

/** The watch lists: how many entries there are, from which source, and what is wrong with a source. */
export function watchSection(readings: readonly WatchReading[]): Markup {
  const counted = readings.flatMap((reading) =>
    countsOf(reading).map(({ kind, source, entries }) => [
      reading.aggregator,
      kind,
      source,
      String(entries),
    ]),
  );
  const sources = readings.flatMap(({ aggregator, sources: own }) =>
    own.map((one) => [
      aggregator,
      originText(one),
      String(one.entries?.length ?? 0),
      one.successAt === undefined ? "not since the start" : clock(one.successAt),
      one.problem?.split("\n")[0] ?? "",
    ]),
  );
  if (counted.length + sources.length === 0) return html``;
  return section(
    "Watch lists",
    html`${table(["aggregator", "kind", "source", "entries"], counted)}
    ${
      sources.length === 0
        ? ""
        : table(["aggregator", "list", "entries", "last read", "problem"], sources)
    }`,
  );
}

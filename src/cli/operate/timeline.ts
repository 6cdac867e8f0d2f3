import { formatInstant, type Instant } from "../../domain/time.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { findingsAnswer } from "../../io/api/findings.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, withQuery, type WatchOptions } from "./client.ts";

type TimelineOptions = WatchOptions & { readonly limit: string };

/** `aggwatch timeline`: what happened, the newest at the bottom. */
export const timelineCommand: CliCommand<TimelineOptions> = {
  name: "timeline",
  describe: (command) =>
    watchingOptions(command)
      .description("What happened last: alerts, actions, commands, holds, and why not.")
      .option("--limit <number>", "the most that are shown", "50"),
  run: ({ limit, ...options }, context) => {
    const path = withQuery("/api/v1/findings", { limit });
    return askAndPrint({ method: "GET", path }, findingsAnswer, options, context, linesOf);
  },
};

function linesOf(
  found: ValueOf<typeof findingsAnswer>,
  width: number | undefined,
): readonly string[] {
  if (found.length === 0) return ["nothing has happened yet"];
  const written = instantsFor(found, width);
  const rows = found
    .toReversed()
    .map(({ at, type, subject, alias, what, detail, by, reason }) => [
      written(at),
      type,
      alias === undefined ? subject : `${subject} (${alias})`,
      what,
      [detail, by === undefined ? "" : `by ${by}`, reason ?? ""]
        .filter((one) => one !== "")
        .join("; "),
    ]);
  return table(["at", "what", "about", "became", "why"], rows, width);
}

/** On a terminal the time alone, unless the list crosses midnight; elsewhere the date too, as output may be read later. */
function instantsFor(
  found: ReadonlyArray<{ readonly at: Instant }>,
  width: number | undefined,
): (at: Instant) => string {
  const days = new Set(found.map(({ at }) => formatInstant(at).slice(0, 10)));
  if (width === undefined) return (at) => `${formatInstant(at).slice(0, 19)}Z`;
  return (at) =>
    formatInstant(at)
      .slice(days.size === 1 ? 11 : 5, 19)
      .replace("T", " ");
}

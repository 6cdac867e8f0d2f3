import { formatInstant } from "../../domain/time.ts";
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
  const rows = found
    .toReversed()
    .map(({ at, type, subject, what, detail, by, reason }) => [
      formatInstant(at).replace(/\.\d+Z$/, "Z"),
      type,
      subject,
      what,
      [detail, by === undefined ? "" : `by ${by}`, reason ?? ""]
        .filter((one) => one !== "")
        .join("; "),
    ]);
  return table(["at", "what", "about", "became", "why"], rows, width);
}

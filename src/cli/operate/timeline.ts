import { InvalidArgumentError, Option } from "commander";
import { TIMELINE_TYPES } from "../../domain/shown/timeline-types.ts";
import { formatInstant, formatSecond, type Instant } from "../../domain/time.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { timelineAnswer } from "../../io/api/details/timeline.ts";
import { systemClock } from "../../io/process/clock.ts";
import { refuse, type CliCommand } from "../context.ts";
import { spanOptions } from "../offline/instant.ts";
import { suggesting } from "../completion.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { filterOptions, filtersOf, type FilterOptions } from "./filters.ts";

type TimelineOptions = WatchOptions &
  FilterOptions & { readonly type?: string; readonly since: string; readonly until?: string };

/** `aggwatch timeline`: what happened, the newest at the bottom. */
export const timelineCommand: CliCommand<TimelineOptions> = {
  name: "timeline",
  describe: (command) =>
    filterOptions(watchingOptions(command), "50")
      .description("What happened last: alerts, actions, commands, holds, and why not.")
      .addOption(
        suggesting(
          new Option(
            "--type <types>",
            "of these types, such as alert,remediation; entity, left_out, took, watch, muted and notified are shown only if named",
          ).argParser(typesOf),
          TIMELINE_TYPES,
        ),
      )
      .option("--since <when>", "from then on, such as 2026-01-31T12:00:00Z, or how long ago", "1d")
      .option("--until <when>", "until then"),
  run: async (options, context, args) => {
    const span = spanOptions(options, systemClock().now());
    if (!span.ok) return refuse(context, { line: span.problem });
    const filters = await filtersOf(options, args, context);
    if (!filters.ok) return refuse(context, filters.problem);
    const path = withQuery("/api/v1/timeline", {
      from: written(span.value.since),
      until: written(span.value.until),
      types: options.type,
      ...filters.value.query,
    });
    const { notKnown } = filters.value;
    return await askAndPrint({ path }, timelineAnswer, options, context, (answer, width) => [
      ...linesOf(answer, width),
      ...(answer.rows.length > 0 || notKnown === undefined ? [] : [notKnown]),
    ]);
  },
};

function typesOf(text: string): string {
  const types: readonly string[] = TIMELINE_TYPES;
  if (text.split(",").every((one) => types.includes(one))) return text;
  throw new InvalidArgumentError(`It must be some of ${types.join(", ")}, with commas between.`);
}

function written(at: Instant | undefined): string | undefined {
  return at === undefined ? undefined : formatInstant(at);
}

type Answer = ValueOf<typeof timelineAnswer>;

function linesOf(
  { from, rows: found, next }: Answer,
  width: number | undefined,
): readonly string[] {
  if (found.length === 0)
    return [`no such thing has happened since ${formatInstant(from)} (--since looks further back)`];
  const at = instantsFor(found, width);
  const rows = found
    .toReversed()
    .map(({ type, subject, alias, what, detail, by, reason, ...one }) => [
      at(one.at),
      type,
      alias === undefined ? subject : `${subject} (${alias})`,
      what,
      // How a hold began is its reason.
      [detail, by === undefined ? "" : `by ${by}`, reason === detail ? "" : (reason ?? "")]
        .filter((part) => part !== "")
        .join("; "),
    ]);
  return [
    ...table(["at", "what", "about", "became", "why"], rows, width),
    ...(next === undefined ? [] : ["… and older ones (--limit, or a filter)"]),
  ];
}

/** On a terminal the time alone, unless the list crosses midnight; elsewhere the date too, as output may be read later. */
function instantsFor(found: Answer["rows"], width: number | undefined): (at: Instant) => string {
  const days = new Set(found.map(({ at }) => formatInstant(at).slice(0, 10)));
  if (width === undefined) return formatSecond;
  return (at) =>
    formatInstant(at)
      .slice(days.size === 1 ? 11 : 5, 19)
      .replace("T", " ");
}

import { Option } from "commander";
import { notSettled } from "../../domain/shown/suppression.ts";
import type { Instant } from "../../domain/time.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { alertsAnswer } from "../../io/api/lists/alerts.ts";
import { heldText, length, mutedTexts, withClocks } from "../../io/page/parts.ts";
import { refuse, type CliCommand } from "../context.ts";
import { entityName } from "./entity-name.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { filterOptions, filtersOf, leftOut, noneOf, type FilterOptions } from "./filters.ts";

type AlertsOptions = WatchOptions &
  FilterOptions & { readonly all?: true; readonly state?: string };

type AlertsAnswer = ValueOf<typeof alertsAnswer>;

/** `aggwatch alerts`: the alerts that fire or are pending. */
export const alertsCommand: CliCommand<AlertsOptions> = {
  name: "alerts",
  describe: (command) =>
    filterOptions(watchingOptions(command), "1000")
      .description("The alerts of a running daemon, the worst first.")
      .addOption(new Option("--all", "those that are just resolved, too").conflicts("state"))
      .addOption(
        new Option("--state <state>", "those in one state").choices([
          "firing",
          "pending",
          "resolved",
        ]),
      ),
  run: async (options, context, args) => {
    const filters = await filtersOf(options, args, context);
    if (!filters.ok) return refuse(context, filters.problem);
    const [state, said] = statesOf(options);
    const path = withQuery("/api/v1/alerts", { ...filters.value.query, state });
    const nothing = noneOf("alert", filters.value, `is ${said}`);
    return await askAndPrint({ path }, alertsAnswer, options, context, (answer, width) =>
      answer.total === 0 ? nothing : linesOf(answer, width),
    );
  },
};

/** The state or states that are asked for, and what they are called. */
function statesOf({ state, all }: AlertsOptions): readonly [string | undefined, string] {
  if (state !== undefined) return [state, state];
  return all === true ? [undefined, "known"] : ["firing,pending", "pending or firing"];
}

function linesOf({ at, rows, total }: AlertsAnswer, width: number | undefined): readonly string[] {
  const isAnyMuted = rows.some((one) => mutedTexts(one).length > 0);
  const isAnyUnknown = rows.some(({ unknownBecause }) => unknownBecause !== undefined);
  const cells = rows.map((one) => [
    one.unknownSince === undefined ? one.state : `${one.state} (unknown)`,
    one.severity,
    one.rule,
    entityName(one.entity, one.alias),
    length(at - (one.resolvedAt ?? one.firedAt ?? one.activeAt)),
    notActedText(one, at),
    ...(isAnyUnknown ? [one.unknownBecause ?? ""] : []),
    ...(isAnyMuted ? [mutedTexts(one).join("; ")] : []),
  ]);
  const heads = ["state", "severity", "alert", "entity", "for", "not acted because"];
  if (isAnyUnknown) heads.push("unknown because");
  if (isAnyMuted) heads.push("not notified because");
  return [...table(heads, cells, width), ...leftOut(rows.length, total)];
}

/** Why no action is sent: a guard objects, or one was sent and is not settled. */
function notActedText(
  { suppressed, openRemediation: open }: AlertsAnswer["rows"][number],
  at: Instant,
): string {
  if (open !== undefined) return `in_flight: ${notSettled(open)}`;
  return suppressed === undefined
    ? ""
    : withClocks(`${heldText(suppressed, at)}: ${suppressed.detail}`);
}

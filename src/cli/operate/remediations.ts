import { Option } from "commander";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { remediationsAnswer } from "../../io/api/lists/remediations.ts";
import { refuse, type CliCommand } from "../context.ts";
import { entityName } from "./entity-name.ts";
import { ago } from "../../io/page/parts.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { filterOptions, filtersOf, leftOut, noneOf, type FilterOptions } from "./filters.ts";

type RemediationsOptions = WatchOptions & FilterOptions & { readonly state?: string };

/** `aggwatch remediations`: what was sent, with its outcome, the newest at the bottom. */
export const remediationsCommand: CliCommand<RemediationsOptions> = {
  name: "remediations",
  describe: (command) =>
    filterOptions(watchingOptions(command), "1000")
      .description("What a running daemon sent, and what came of it.")
      .addOption(new Option("--state <state>", "in one state").choices(REMEDIATION_STATES)),
  run: async (options, context, args) => {
    const { state } = options;
    const filters = await filtersOf(options, args, context);
    if (!filters.ok) return refuse(context, filters.problem);
    const query = { ...filters.value.query, state };
    const path = withQuery("/api/v1/remediations", query);
    const nothing = noneOf("action", { ...filters.value, query }, "was sent");
    return await askAndPrint({ path }, remediationsAnswer, options, context, (answer, width) =>
      answer.total === 0 ? nothing : linesOf(answer, width),
    );
  },
};

function linesOf(
  { at, rows, total }: ValueOf<typeof remediationsAnswer>,
  width: number | undefined,
): readonly string[] {
  const heads = ["id", "outcome", "action", "entity", "rule", "requested", "approved by", "detail"];
  const cells = rows
    .toReversed()
    .map((one) => [
      one.id,
      one.state,
      one.action,
      entityName(one.entity, one.alias),
      one.rule,
      ago(at, one.requestedAt),
      one.approvedBy ?? "",
      one.detail,
    ]);
  return [
    ...table(heads, cells, width, ["approved by", "rule", "requested"]),
    ...leftOut(rows.length, total),
  ];
}

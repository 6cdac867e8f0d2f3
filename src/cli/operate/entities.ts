import { Option } from "commander";
import { TRUTHS, type Truth } from "../../domain/rule.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { aliasIn } from "../../io/api/details/about-finding.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import { length } from "../../io/page/parts.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, withQuery, type WatchOptions } from "./client.ts";
import { thereIsNo } from "../../io/api/lists/there-is-no.ts";
import { MOST_ROWS } from "../../io/api/lists/query.ts";
import { countFrom, leftOut } from "./filters.ts";

type EntitiesOptions = WatchOptions & {
  readonly aggregator?: string;
  readonly kind?: string;
  readonly state?: Truth;
  readonly status?: string;
  readonly limit: string;
};

/** `aggwatch entities`: what is watched, the worst first. */
export const entitiesCommand: CliCommand<EntitiesOptions> = {
  name: "entities",
  describe: (command) =>
    watchingOptions(command)
      .description("What a running daemon watches, the worst first.")
      .argument("[text]", "those with this in their name, their aliases or their facts")
      .option("--aggregator <name>", "those of one aggregator")
      .option("--kind <kind>", "those of one kind, such as exchange")
      .option("--status <word>", "those with this status, such as disabled")
      .addOption(
        new Option("--state <state>", "those that are well, bad or unknown").choices(TRUTHS),
      )
      .option("--limit <number>", "the most that are shown", countFrom(1, MOST_ROWS), "50"),
  run: ({ aggregator, kind, status, state: condition, limit, ...options }, context, [text]) => {
    const query = { aggregator, kind, status, condition, text, limit, sort: "condition" };
    const path = withQuery("/api/v1/entities", query);
    return askAndPrint({ path }, entitiesAnswer, options, context, (answer, width) =>
      answer.total === 0 ? [noneWith(status, answer)] : linesOf(answer, width),
    );
  },
};

type EntitiesAnswer = ValueOf<typeof entitiesAnswer>;

function linesOf(
  { at, counts, rows, total }: EntitiesAnswer,
  width: number | undefined,
): readonly string[] {
  const heads = ["state", "entity", "name", "status", "status for", "alerts"];
  const cells = rows.map((row) => [
    row.condition,
    `${row.aggregator}/${row.kind}/${row.id}`,
    aliasIn(row) ?? "",
    row.status ?? "",
    length(at - row.since),
    row.alerts === 0 ? "" : [String(row.alerts), row.severity ?? "pending"].join(" "),
  ]);
  return [
    ...table(heads, cells, width, ["status for"]),
    ...leftOut(rows.length, total),
    "",
    ...counts.map((one) => `${one.kind}: ${one.total}, ${saidOf(one)}`),
  ];
}

/** A status that no entity has may be misspelt, as statuses are the aggregator's words. */
function noneWith(status: string | undefined, { counts }: EntitiesAnswer): string {
  const known = [...new Set(counts.flatMap((one) => Object.keys(one.statuses)))].toSorted();
  if (status === undefined || known.length === 0 || known.includes(status)) return "no such entity";
  return `no such entity: ${thereIsNo("status", status, known)}`;
}

function saidOf({ ok, bad, unknown }: EntitiesAnswer["counts"][number]): string {
  return [
    `${ok} ok`,
    ...(bad > 0 ? [`${bad} bad`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ].join(", ");
}

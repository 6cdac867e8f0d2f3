import type { StatusJson } from "../../io/api/answers.ts";
import { isAbout } from "../../io/api/lists/query.ts";
import { thereIsNo } from "../../io/api/lists/there-is-no.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, type LinesOf, type WatchOptions } from "./client.ts";

type RulesOptions = WatchOptions & { readonly aggregator?: string; readonly kind?: string };

/** `aggwatch rules`: what each rule finds, and on how much of what is read it can decide. */
export const rulesCommand: CliCommand<RulesOptions> = {
  name: "rules",
  describe: (command) =>
    watchingOptions(command)
      .description(
        "The rules of a running daemon, the worst first: their alerts, and what they cannot judge.",
      )
      .option("--aggregator <name>", "on one aggregator")
      .option("--kind <kind>", "those that judge one kind of entity"),
  run: (options, context) =>
    askAndPrint(
      { path: "/api/v1/status" },
      statusAnswer,
      options,
      context,
      (status, width) => linesOf(status, options, width),
      (status) => filtered(status, options),
    ),
};

/** The status, with the rules and alerts that are asked for alone. */
function filtered(status: StatusJson, { aggregator, kind }: RulesOptions): StatusJson {
  return {
    ...status,
    aggregators: status.aggregators
      .filter(({ name }) => (aggregator ?? name) === name)
      .map((one) => ({
        ...one,
        coverage: one.coverage.filter((own) => (kind ?? own.kind) === own.kind),
      })),
    alerts: status.alerts.filter(({ entity }) => isAbout({ aggregator, kind }, entity)),
  };
}

type Coverage = StatusAnswer["aggregators"][number]["coverage"][number];

function linesOf(
  { aggregators, alerts }: StatusAnswer,
  options: RulesOptions,
  width: number | undefined,
): ReturnType<LinesOf<StatusAnswer>> {
  const unknown = unknownIn(aggregators, options);
  if (unknown !== undefined) return { problem: unknown };
  const heads = ["rule", "aggregator", "kind", "state", "read", "judged", "lacks"];
  const wanted = aggregators.filter(({ name }) => (options.aggregator ?? name) === name);
  const all = wanted.flatMap(({ name, coverage }) => {
    const own = coverage.filter(({ kind }) => (options.kind ?? kind) === kind);
    return own.map((one) => {
      const own = alerts.filter((alert) => alert.rule === one.rule);
      const states = own.flatMap(({ state, entity }) => (entity.aggregator === name ? state : []));
      const { rule, kind, read, undecided, waiting } = one;
      const judged = read - undecided - waiting;
      return [rule, name, kind, stateOf(states), String(read), String(judged), lackOf(one)];
    });
  });
  if (all.length === 0) return ["no rule is in force"];
  const rows = all.toSorted((one, other) => rankOf(one) - rankOf(other));
  const blind = rows.filter(([, , , , , , lack = ""]) => lack.startsWith("BLIND")).length;
  return [
    ...table(heads, rows, width, ["kind", "aggregator"]),
    ...(blind === 0 ? [] : ["", "What a rule cannot judge neither fires nor resolves."]),
  ];
}

/** Why the answer is empty, if no such aggregator or kind exists. */
function unknownIn(
  aggregators: StatusAnswer["aggregators"],
  { aggregator, kind }: RulesOptions,
): string | undefined {
  const names = aggregators.map(({ name }) => name);
  if (aggregator !== undefined && !names.includes(aggregator))
    return thereIsNo("aggregator", aggregator, names);
  const judged = aggregators.flatMap(({ coverage }) => coverage.map((one) => one.kind));
  const kinds = [...new Set(judged)];
  if (kind === undefined || kinds.includes(kind)) return undefined;
  return `no rule judges the kind "${kind}"; rules judge ${kinds.join(", ")}`;
}

/** What it cannot judge comes first, then what fires, and then what is pending. */
function rankOf([, , , state = "", , , lack = ""]: readonly string[]): number {
  if (lack.startsWith("BLIND")) return 0;
  if (state.includes("firing")) return 1;
  return state.includes("pending") ? 2 : 3;
}

function stateOf(states: readonly string[]): string {
  const said = ["firing", "pending"].flatMap((state) => {
    const count = states.filter((one) => one === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return said.length === 0 ? "-" : said.join(", ");
}

function lackOf({ read, undecided, lacks, waiting, waitsFor }: Coverage): string {
  const facts = (lacked: Coverage["lacks"]): string =>
    lacked.map((one) => `${one.facts} of ${one.entities}`).join("; ");
  if (undecided > 0) return `BLIND: ${facts(lacks)} ${undecided === 1 ? "is" : "are"} not known`;
  if (waiting > 0) return `not known yet: ${facts(waitsFor)}`;
  return read === 0 ? "nothing of the kind is read now" : "";
}

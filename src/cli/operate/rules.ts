import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, type WatchOptions } from "./client.ts";

/** `aggwatch rules`: what each rule finds, and on how much of what is read it can decide. */
export const rulesCommand: CliCommand<WatchOptions> = {
  name: "rules",
  describe: (command) =>
    watchingOptions(command).description(
      "The rules of a running daemon: their alerts, and what they cannot judge.",
    ),
  run: (options, context) =>
    askAndPrint({ method: "GET", path: "/api/v1/status" }, statusAnswer, options, context, linesOf),
};

type Coverage = StatusAnswer["aggregators"][number]["coverage"][number];

function linesOf(
  { aggregators, alerts }: StatusAnswer,
  width: number | undefined,
): readonly string[] {
  const heads = ["rule", "aggregator", "kind", "state", "read", "judged", "lacks"];
  const rows = aggregators.flatMap(({ name, coverage }) =>
    coverage.map((one) => {
      const own = alerts.filter((alert) => alert.rule === one.rule);
      const states = own.flatMap(({ state, entity }) => (entity.aggregator === name ? state : []));
      const { rule, kind, read, undecided, waiting } = one;
      const judged = read - undecided - waiting;
      return [rule, name, kind, stateOf(states), String(read), String(judged), lackOf(one)];
    }),
  );
  const blind = rows.filter(([, , , , , , lack = ""]) => lack.startsWith("BLIND")).length;
  return [
    ...table(heads, rows, width),
    ...(blind === 0 ? [] : ["", "What a rule cannot judge neither fires nor resolves."]),
  ];
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

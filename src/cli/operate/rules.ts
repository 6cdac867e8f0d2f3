import { succeed, type Result } from "../../domain/result.ts";
import type { StatusJson } from "../../io/api/answers.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { rulesAnswer } from "../../io/api/details/rules.ts";
import { isAbout } from "../../io/api/lists/query.ts";
import { thereIsNo } from "../../io/api/lists/there-is-no.ts";
import { overviewAnswer } from "../../io/api/overview/overview.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand, CliContext } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, askDaemon, OVERVIEW, watchingOptions, type WatchOptions } from "./client.ts";
import { printAll, type Lines } from "./print-answers.ts";

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
    options.json === true
      ? askAndPrint(
          { path: "/api/v1/status" },
          statusAnswer,
          options,
          context,
          (status) => problemOf(namesIn(status), options) ?? [],
          (status) => filtered(status, options),
        )
      : printAll(() => askForRules(options, context), options, context),
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

/** Not the status, which grows with all that is watched. */
async function askForRules(
  options: RulesOptions,
  context: CliContext,
): Promise<Result<{ readonly lines: Lines }, string>> {
  const [overview, rules] = await Promise.all([
    askDaemon({ path: OVERVIEW }, overviewAnswer, options, context),
    askDaemon({ path: "/api/v1/rules?coverage=true" }, rulesAnswer, options, context),
  ]);
  if (!overview.ok) return overview;
  if (!rules.ok) return rules;
  const covered = rules.value.rules.flatMap((rule) => rule.coverage);
  const aggregators = overview.value.aggregators.map(({ name }) => name);
  const names = { aggregators, kinds: covered.map(({ of }) => of.kind) };
  const problem = problemOf(names, options);
  const wanted = aggregators.flatMap((name) =>
    covered.filter(
      ({ aggregator, of }) =>
        aggregator === name &&
        aggregator === (options.aggregator ?? name) &&
        of.kind === (options.kind ?? of.kind),
    ),
  );
  return succeed({ lines: problem ?? linesOf(wanted, context.width) });
}

type Covered = ValueOf<typeof rulesAnswer>["rules"][number]["coverage"][number];
type Coverage = Covered["of"];

function linesOf(covered: readonly Covered[], width: number | undefined): string[] {
  if (covered.length === 0) return ["no rule is in force"];
  const heads = ["rule", "aggregator", "kind", "state", "read", "judged", "lacks"];
  const all = covered.map((one) => {
    const { rule, kind, read, undecided, waiting } = one.of;
    const judged = read - undecided - waiting;
    return [rule, one.aggregator, kind, stateOf(one), String(read), String(judged), lackOf(one.of)];
  });
  const rows = all.toSorted((one, other) => rankOf(one) - rankOf(other));
  const blind = rows.filter(([, , , , , , lack = ""]) => lack.startsWith("BLIND")).length;
  return [
    ...table(heads, rows, width, ["kind", "aggregator"]),
    ...(blind === 0 ? [] : ["", "What a rule cannot judge neither fires nor resolves."]),
  ];
}

type Names = { readonly aggregators: readonly string[]; readonly kinds: readonly string[] };

function namesIn({ aggregators }: StatusAnswer): Names {
  return {
    aggregators: aggregators.map(({ name }) => name),
    kinds: aggregators.flatMap(({ coverage }) => coverage.map(({ kind }) => kind)),
  };
}

/** Why the answer is empty, if no such aggregator or kind exists. */
function problemOf(
  { aggregators, kinds }: Names,
  { aggregator, kind }: RulesOptions,
): { readonly problem: string } | undefined {
  if (aggregator !== undefined && !aggregators.includes(aggregator))
    return { problem: thereIsNo("aggregator", aggregator, aggregators) };
  if (kind === undefined || kinds.includes(kind)) return undefined;
  const judged = [...new Set(kinds)].join(", ");
  return { problem: `no rule judges the kind "${kind}"; rules judge ${judged}` };
}

/** What it cannot judge comes first, then what fires, and then what is pending. */
function rankOf([, , , state = "", , , lack = ""]: readonly string[]): number {
  if (lack.startsWith("BLIND")) return 0;
  if (state.includes("firing")) return 1;
  return state.includes("pending") ? 2 : 3;
}

function stateOf(counts: Pick<Covered, "firing" | "pending">): string {
  const said = (["firing", "pending"] as const).flatMap((state) =>
    counts[state] === 0 ? [] : [`${counts[state]} ${state}`],
  );
  return said.length === 0 ? "-" : said.join(", ");
}

function lackOf({ read, undecided, lacks, waiting, waitsFor }: Coverage): string {
  const facts = (lacked: Coverage["lacks"]): string =>
    lacked.map((one) => `${one.facts} of ${one.entities}`).join("; ");
  if (undecided > 0) return `BLIND: ${facts(lacks)} ${undecided === 1 ? "is" : "are"} not known`;
  if (waiting > 0) return `not known yet: ${facts(waitsFor)}`;
  return read === 0 ? "nothing of the kind is read now" : "";
}

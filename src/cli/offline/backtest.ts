import { existsSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { renderProblems } from "../../config/problem.ts";
import { MODES, type Mode } from "../../domain/action.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Slices } from "../../domain/slices.ts";
import { isPlainFile, JOURNAL_FILE, refusalOf } from "../../io/journal/file.ts";
import { recordInSlices, type RecordSource } from "../../io/journal/record-source.ts";
import { backtestInSlices, unreadable, type Backtest } from "../../backtest/backtest.ts";
import { isDifferent } from "../../backtest/difference.ts";
import { backtestReport } from "../../backtest/report-data.ts";
import { backtestVerdict } from "../../backtest/verdict.ts";
import { createBar } from "../print/progress.ts";
import { reportProblem, verdictLines, writeReport } from "../print/report-file.ts";
import { MARK, renderBacktest } from "../../backtest/report.ts";
import type { ActingPolicy } from "../../domain/step.ts";
import { EXIT, refuse, variable } from "../context.ts";
import type { CliCommand, CliContext } from "../context.ts";
import { spanOptions, type Span } from "./instant.ts";
import { toEndUnlessInterrupted } from "./interruption.ts";
import { loadRules, problemsOf, readAll, RULES_OPTION, soundOf } from "../load.ts";
import type { LoadInput, ReadAll } from "../load.ts";
import { plain } from "../table.ts";

type BacktestOptions = {
  readonly data?: string;
  readonly rules?: string;
  readonly config?: string;
  readonly since?: string;
  readonly until?: string;
  readonly against?: string;
  readonly mode: Mode;
  readonly html?: string;
  readonly json?: true;
};

const HELP = `
An instant is written 2026-01-31T12:00:00Z, or as a duration before the end of
the record: 14d.
Exit code: 0, or ${EXIT.differs} if --against differs; ${EXIT.problem} if anything cannot be read,
or the report not written.
A line that begins with ${MARK} is uncertain: from there on, an action differs from
what was really sent, and the record cannot show what that would have changed.
`;

/** `aggwatch backtest`: what rules would have done with what was recorded. Nothing is sent. */
export const backtestCommand: CliCommand<BacktestOptions> = {
  name: "backtest",
  describe: (command) =>
    command
      .description("Reports what rules would have done with what the journal recorded.")
      .option(
        "--data <path>",
        "a data directory, or a backup of its journal (default: AGGWATCH_DATA, the config's, or ./data)",
      )
      .option(...RULES_OPTION)
      .option(
        "--config <file>",
        "the config file, for the data directory and the limits of actions and entities (default: AGGWATCH_CONFIG, or its defaults)",
      )
      .option("--since <when>", "reports since then (default: all)")
      .option("--until <when>", "reports until then (default: all)")
      .option("--against <directory>", "other rules: reports how --rules differs from them")
      .addOption(
        new Option("--mode <mode>", "the ceiling of actions; nothing is sent, whatever it is")
          .choices(MODES)
          .default("act"),
      )
      .option(
        "--html <file>",
        "writes a report with a timeline and charts, to be read in a browser",
      )
      .option("--json", "prints JSON")
      .addHelpText("after", HELP),
  run: backtest,
};

async function backtest(options: BacktestOptions, context: CliContext): Promise<number> {
  // What is wrong with the line itself is so wherever the record ends.
  const [early, late] = [spanOptions(options, 0), spanOptions(options, Number.MAX_SAFE_INTEGER)];
  if (!early.ok && !late.ok) return refuse(context, { line: early.problem });
  const unwritable = reportProblem(options.html);
  if (unwritable !== undefined) return refuse(context, unwritable);
  const loaded = load(options, context);
  if (!loaded.ok) return refuse(context, loaded.problem);
  const { data } = loaded.value;
  if (data === undefined) return refuse(context, IN_DATABASE);
  const work = recordInSlices(data, (source) => within(source, options, loaded.value, context));
  const done = await toEndUnlessInterrupted(work, context);
  if (!done.ok) return refuse(context, done.problem);
  const { against } = done.value;
  const names = { rules: loaded.value.directory };
  const verdict = backtestVerdict(done.value, loaded.value.rules);
  if (options.json === true) context.output(JSON.stringify({ ...done.value, verdict }, null, 2));
  else {
    const lines = [...renderBacktest(done.value, names), "", ...verdictLines(verdict)];
    context.print(lines.map(plain).join("\n"));
  }
  if (options.html !== undefined) {
    const report = backtestReport(done.value, verdict, names);
    if (!(await writeReport(options.html, report, context))) return EXIT.problem;
  }
  return against !== undefined && isDifferent(against.difference) ? EXIT.differs : EXIT.ok;
}

const IN_DATABASE =
  "The journal is in PostgreSQL: make a backup with `aggwatch journal backup FILE`, and say --data FILE.";

type Loaded = {
  /** Where the record is; undefined if it is in a database. */
  readonly data: string | undefined;
  readonly directory: string;
  readonly rules: readonly Rule[];
  readonly against: readonly Rule[] | undefined;
  readonly acting: ActingPolicy;
  readonly limits: EntityLimits;
};

/** Stands for the first aggregator if no URL of it is configured. No request is sent. */
const ANY_AGGREGATOR = { AGGWATCH_AGGREGATORS_0_BASE_URL: "https://aggregator.invalid" };

/** The record says what was watched, so no aggregator has to be configured. */
function readAnyhow(input: LoadInput): ReadAll {
  const read = readAll(input);
  const isUnset = read.config.problems.some(
    ({ id, path }) =>
      id === "config/no-aggregator" ||
      (id === "config/missing" && path === "aggregators[0].base_url"),
  );
  return isUnset ? readAll({ ...input, env: { ...input.env, ...ANY_AGGREGATOR } }) : read;
}

/** Also if it cannot be looked at: whoever tries to read it says why. */
function mayHaveRecord(path: string): boolean {
  const file = join(path, JOURNAL_FILE);
  if ([path, file].some((one) => refusalOf(one) !== undefined)) return true;
  return existsSync(file) || isPlainFile(path);
}

function load({ config, data, rules, against, mode }: BacktestOptions, { env }: CliContext) {
  const read = readAnyhow({ config, env, flags: { data, rules }, isTrial: true });
  const all = soundOf(read);
  if (all === undefined) return fail(renderProblems(problemsOf(read)));
  const other = against === undefined ? undefined : loadRules(against);
  if (other?.ok === false) return fail(renderProblems(other.problem));
  const { settings } = all;
  const { data: named } = settings;
  // A container has that variable always: with a database, its directory may hold no journal.
  const isMeant = variable({ env }, "AGGWATCH_DATA") !== undefined && mayHaveRecord(named);
  const isInFile = data !== undefined || isMeant || settings.journal.postgres === undefined;
  return succeed<Loaded>({
    data: isInFile ? named : undefined,
    directory: settings.rules,
    rules: all.rules,
    against: other?.value.rules,
    acting: { ...settings.actions, mode: mode },
    limits: settings.limits,
  });
}

function* within(
  source: RecordSource,
  options: BacktestOptions,
  { rules, against, acting, limits }: Loaded,
  context: CliContext,
): Slices<Result<Backtest, string>> {
  const span = spanOptions(options, source.lastAt);
  if (!span.ok) return fail(span.problem.join("\n"));
  const outside = outsideRecord(span.value, options, source);
  if (outside !== undefined) return fail(outside);
  const bar = createBar(100, "% replayed", context);
  const onProgress = (part: number): void => bar.show(Math.floor(part * 100));
  const decidedBy = { rules, against, acting, limits };
  const request = { ...decidedBy, ...span.value, onProgress };
  try {
    const done = yield* backtestInSlices(source, request);
    const problem = unreadable(done);
    return problem === undefined ? succeed(done) : fail(problem);
  } finally {
    bar.end();
  }
}

function outsideRecord(
  { since = -Infinity, until = Infinity }: Span,
  options: BacktestOptions,
  { firstAt, lastAt }: RecordSource,
): string | undefined {
  if (since <= lastAt && until >= firstAt) return undefined;
  const which = since > lastAt ? `--since ${options.since}` : `--until ${options.until}`;
  const range = `${new Date(firstAt).toISOString()} to ${new Date(lastAt).toISOString()}`;
  return `${which} is outside the record: ${range}`;
}

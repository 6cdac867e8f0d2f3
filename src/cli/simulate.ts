import { createPool, type Pool } from "../simulation/pool.ts";
import type { Outcome } from "../simulation/outcome.ts";
import { renderNarration, renderSummary } from "../simulation/report.ts";
import { simulationReport } from "../simulation/report-data.ts";
import { simulationVerdict } from "../simulation/verdict.ts";
import type { Report } from "../io/report/report.ts";
import { shrink, type Shrunk } from "../simulation/shrink.ts";
import { summarize, type Summary } from "../simulation/summary.ts";
import { planOf } from "../simulation/swarm.ts";
import { steadyNow } from "../io/process/clock.ts";
import { EXIT, interruptedBy, refuse, type CliCommand, type CliContext } from "./context.ts";
import { createBar } from "./print/progress.ts";
import { reportProblem, verdictLines, writeReport } from "./print/report-file.ts";
import {
  describeSimulate,
  readSimulateOptions,
  type SimulateOptions,
  type SimulateSettings,
} from "./simulate-options.ts";

/** For how many invariants a violation is shrunk and narrated, as each takes a while. */
const MOST_SHRUNK = 3;

/**
 * `aggwatch simulate`: the whole daemon below its sockets, on virtual time, against the model of the
 * aggregator with its faults. Exit code 1 if an invariant was violated or a file is bad, 2 if the command line is.
 */
export const simulateCommand: CliCommand<SimulateOptions> = {
  name: "simulate",
  describe: describeSimulate,
  run: async (options, context) => {
    const read = readSimulateOptions(options, context);
    if (!read.ok) return refuse(context, read.problem);
    const settings = read.value;
    const unwritable = reportProblem(options.html);
    if (unwritable !== undefined) return refuse(context, unwritable);
    const pool = createPool(settings.campaign, settings.workers);
    try {
      const began = steadyNow();
      const outcomes = await runAll(pool, settings, context);
      const realMs = steadyNow() - began;
      const summary = summarize(outcomes);
      const isJson = options.json === true;
      if (outcomes.length === 0) return refuse(context, interruptedBy(context));
      const left = settings.seeds.length - outcomes.length;
      if (left > 0)
        context.complain(
          `${interruptedBy(context)}: ${left} of ${settings.seeds.length} runs were not made`,
        );
      if (!isJson) context.print(renderSummary(summary, settings.subject, realMs).join("\n"));
      const shrunk = await shrinkAll(pool, settings, summary, context);
      const verdict = simulationVerdict(summary, settings.rules);
      const result = { ...asJson(outcomes, summary, shrunk), verdict };
      if (isJson) context.output(JSON.stringify(result, undefined, 2));
      else {
        printViolations(settings, summary, shrunk, outcomes, context);
        context.print("");
        context.print(verdictLines(verdict).join("\n"));
      }
      // Its workers may be in the middle of runs that do not count any more.
      if (context.signal.aborted && options.html !== undefined)
        context.complain(`${options.html} is not written`);
      else if (options.html !== undefined) {
        const report = await reportOf(pool, settings, summary, verdict);
        if (!(await writeReport(options.html, report, context))) return EXIT.problem;
      }
      return summary.violations.length === 0 ? EXIT.ok : EXIT.problem;
    } finally {
      await pool.close();
    }
  },
};

/** What becomes of the work, or undefined as soon as a signal comes: ending the pool then ends the work. */
async function unlessInterrupted<Value>(
  { signal }: CliContext,
  work: Promise<Value>,
): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const { promise: interrupted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The runs that are done, in the order of the seeds. */
async function runAll(
  pool: Pool,
  { seeds }: SimulateSettings,
  context: CliContext,
): Promise<Outcome[]> {
  const progress = createBar(seeds.length, "runs", context);
  let done = 0;
  const outcomes = await Promise.all(
    seeds.map(async (seed) => {
      const run = pool.runUnless(context.signal, { of: { seed } });
      const outcome = await unlessInterrupted(context, run);
      done += 1;
      progress.show(done);
      return outcome;
    }),
  );
  progress.end();
  return outcomes.filter((outcome) => outcome !== undefined);
}

/** By invariant: the smallest run that violates it. */
type ShrunkRuns = ReadonlyMap<string, Shrunk>;

async function shrinkAll(
  pool: Pool,
  { campaign }: SimulateSettings,
  { violations }: Summary,
  context: CliContext,
): Promise<ShrunkRuns> {
  const shrunk = new Map<string, Shrunk>();
  for (const { invariant, seed } of violations) {
    if (shrunk.has(invariant) || shrunk.size >= MOST_SHRUNK || context.signal.aborted) continue;
    if (context.isTerminal) context.print(`shrinking seed ${seed} …`);
    const shrinking = shrink(planOf(seed, campaign.swarm), invariant, pool);
    const smallest = await unlessInterrupted(context, shrinking);
    if (smallest !== undefined) shrunk.set(invariant, smallest);
  }
  return shrunk;
}

function printViolations(
  { reproduce }: SimulateSettings,
  { violations, runs }: Summary,
  shrunk: ShrunkRuns,
  outcomes: readonly Outcome[],
  context: CliContext,
): void {
  const [only] = outcomes;
  if (runs === 1 && only !== undefined) context.print(`hash of seed ${only.seed}: ${only.hash}`);
  if (violations.length === 0) {
    context.print("no invariant was violated");
    return;
  }
  const narrated = new Set<string>();
  for (const { seed, invariant, text } of violations) {
    context.print(`VIOLATED ${invariant}, seed ${seed}: ${text}`);
    context.output(`  ${reproduce(seed)}`);
    const smallest = shrunk.get(invariant);
    if (smallest === undefined || narrated.has(invariant)) continue;
    narrated.add(invariant);
    for (const line of renderNarration(smallest)) context.print(line);
  }
  context.print(`${violations.length} of ${runs} runs violated an invariant`);
}

/** Shows the first run that violates anything, else the first of all; it is run once more to get its timeline. */
async function reportOf(
  pool: Pool,
  { seeds, subject }: SimulateSettings,
  summary: Summary,
  verdict: readonly string[],
): Promise<Report> {
  const seed = summary.violations[0]?.seed ?? seeds[0] ?? 1;
  const shown = await pool.run({ of: { seed }, withNarration: true });
  return simulationReport(summary, verdict, subject, shown);
}

function asJson(outcomes: readonly Outcome[], summary: Summary, shrunk: ShrunkRuns): object {
  return {
    ...summary,
    seeds: outcomes.map(({ seed, hash, steps, violations }) => ({ seed, hash, steps, violations })),
    stories: [...shrunk].map(([invariant, { plan, outcome, eventsBefore }]) => ({
      invariant,
      happenings_before: eventsBefore,
      plan,
      told: outcome.narration,
    })),
  };
}

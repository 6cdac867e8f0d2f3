import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { fail, succeed, type Result } from "../domain/result.ts";
import { HOUR, MINUTE, type Millis } from "../domain/time.ts";
import { readTextFile, type NamedText } from "../io/process/files.ts";
import { shippedFile } from "../io/process/own-files.ts";
import { LIMITS, type Own } from "../simulation/swarm.ts";
import type { Campaign } from "../simulation/task.ts";
import { NOTHING_WATCHED } from "../pollers/poller.ts";
import { quietLog } from "../simulation/machine/simulated-setup.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../simulator/model/default-world.ts";
import { parseScenario } from "../simulator/control/scenario.ts";
import { configPath, isAggregatorNamed } from "./config-path.ts";
import { variable, type CliContext, type Refusal } from "./context.ts";
import { loadAll, type Loaded } from "./load.ts";
import { setupOf } from "./setup-of.ts";
import { wholeNumber } from "./simulator-options.ts";

/** The options of `aggwatch simulate`, as the command line gives them. */
export type SimulateOptions = {
  readonly seed: string;
  readonly runs: string;
  readonly hours: string;
  readonly rules?: string;
  readonly config?: string;
  readonly scenario?: string;
  readonly workers?: string;
  readonly replicas?: string;
  readonly shards?: string;
  readonly html?: string;
  readonly json?: true;
};

export type SimulateSettings = {
  readonly seeds: readonly number[];
  readonly workers: number;
  readonly campaign: Campaign;
  /** The names of the rules that are enabled. */
  readonly rules: readonly string[];
  /** Says in words what is run. */
  readonly subject: string;
  /** The command line that repeats the run of one seed. */
  readonly reproduce: (seed: number) => string;
};

export function describeSimulate(command: Command): Command {
  return command
    .description("Runs the rules under faults, crashes and wrong clocks, on virtual time.")
    .option("--seed <number>", "the first seed: the same seed gives the same run", "1")
    .option("--runs <number>", "how many seeds, one after the other", "20")
    .option("--hours <hours>", "how long there are faults in a run, before they end", "0.5")
    .option("--rules <directory>", "your rules, unchanged (default: the shipped ones, varied)")
    .option(
      "--config <file>",
      "your config: its aggregators and actions, not its limits; the mode is act",
    )
    .option("--scenario <file>", "a story in YAML that the first aggregator lives through")
    .option("--workers <number>", "how many threads (default: one for each core)")
    .option(
      "--replicas <number>",
      "how many share a database, which then fails in ways of its own (default: one process alone)",
    )
    .option(
      "--shards <number>",
      "how many units the watched senders are spread over (default: none)",
    )
    .option("--html <file>", "writes a report with a timeline and charts, to be read in a browser")
    .option("--json", "prints the result as JSON");
}

const MOST_RUNS = 1_000_000;
const MOST_WORKERS = 256;
const MOST_REPLICAS = 9;
const MOST_SHARDS = 9;
/** A run that is longer than a quarter of a year is a mistake. */
const MOST_HOURS = 2_000;
/** How long everything may take to recover after the last fault. */
const CALM: Millis = 20 * MINUTE;

/** Reads the command line and what it names; every problem at once, ready to print. */
export function readSimulateOptions(
  options: SimulateOptions,
  context: CliContext,
): Result<SimulateSettings, Refusal> {
  const line: string[] = [];
  const whole = (name: string, text: string, least: number, most: number): number => {
    const value = wholeNumber(text, most);
    if (value !== undefined && value >= least) return value;
    line.push(`--${name} "${text}": it must be a whole number from ${least} to ${most}`);
    return least;
  };
  const first = whole("seed", options.seed, 0, 2 ** 48);
  const runs = whole("runs", options.runs, 1, MOST_RUNS);
  const usual = String(availableParallelism());
  const workers = whole("workers", options.workers ?? usual, 1, MOST_WORKERS);
  const replicas =
    options.replicas === undefined
      ? undefined
      : whole("replicas", options.replicas, 2, MOST_REPLICAS);
  const shards =
    options.shards === undefined ? undefined : whole("shards", options.shards, 1, MOST_SHARDS);
  if (shards !== undefined && replicas === undefined)
    line.push("--shards: replicas share units out, so give --replicas too");
  const hours = /^\d{1,4}(?:\.\d{1,4})?$/.test(options.hours) ? Number(options.hours) : Number.NaN;
  if (!(hours > 0 && hours <= MOST_HOURS))
    line.push(`--hours "${options.hours}": it must be a number above 0, at most ${MOST_HOURS}`);
  const scenario = readScenario(options.scenario);
  const loaded = load(options, context);
  const files = [scenario, loaded].flatMap((one) => (one.ok ? [] : one.problem));
  if (line.length > 0 || !loaded.ok || !scenario.ok) return fail({ line, files });
  const story = scenario.value;
  const own = isOwn(options, context)
    ? ownOf(loaded.value, hasConfig(options, context))
    : undefined;
  const swarm = {
    faultsFor: Math.max(hours * HOUR, story === undefined ? 0 : story.lastsFor + MINUTE),
    calmFor: CALM,
    hasScenario: story !== undefined,
    replicas,
    shards,
    own,
  };
  return succeed({
    seeds: Array.from({ length: runs }, (_, index) => first + index),
    workers: Math.min(workers, runs),
    campaign: { ruleFiles: loaded.value.ruleFiles, swarm, scenario: story?.file },
    rules: loaded.value.rules.map(({ alert }) => alert),
    subject: own === undefined ? "the rules, varied by each seed" : "the rules as they are written",
    reproduce: (seed) => commandLine(seed, options),
  });
}

/** The user has said what to simulate; else the shipped rules are varied to search for bugs of ours. */
function isOwn(options: SimulateOptions, context: CliContext): boolean {
  return options.rules !== undefined || hasConfig(options, context);
}

function hasConfig({ config }: SimulateOptions, { env }: CliContext): boolean {
  return configPath(config, env) !== undefined;
}

/** If neither config nor environment names an aggregator, it watches one by the defaults. */
function load(options: SimulateOptions, context: CliContext): Result<Loaded, string> {
  const { env } = context;
  const isNamed = isAggregatorNamed(options.config, env);
  const isShipped = !isOwn(options, context) && variable(context, "AGGWATCH_RULES") === undefined;
  return loadAll({
    config: options.config,
    env: isNamed ? env : { ...env, AGGWATCH_BASE_URL: "http://aggregator.invalid/bsc" },
    flags: {
      rules: options.rules ?? (isShipped ? fileURLToPath(shippedFile("rules")) : undefined),
    },
  });
}

function ownOf({ settings, rules }: Loaded, isConfigured: boolean): Own {
  const surroundings = { log: quietLog(), version: "", nodeVersion: "" };
  const { aggregators } = setupOf(settings, rules, surroundings);
  const usual = {
    ...NOTHING_WATCHED,
    senders: DEFAULT_SENDERS.map((address) => ({ address })),
    liquidations: DEFAULT_LIQUIDATIONS.map((id) => ({ id })),
  };
  return {
    fleet: aggregators.map(({ name, pollers, watch, statuses, client }) => ({
      name,
      pollers,
      watch: isConfigured ? watch : usual,
      statuses,
      client: {
        rate: client.rate,
        timeouts: client.timeouts,
        maxBodyBytes: client.maxBodyBytes,
        longestPauseMs: client.longestPauseMs,
        conditionalReads: client.conditionalReads,
        retries: client.retries,
      },
    })),
    variant: {
      acting: { ...settings.actions, mode: "act" },
      maintenance: settings.maintenance,
      // The world is small: under limits for a real one no flood would reach them.
      limits: LIMITS[0],
      rules: {},
    },
  };
}

type Story = { readonly file: NamedText; readonly lastsFor: Millis };

function readScenario(file: string | undefined): Result<Story | undefined, readonly string[]> {
  if (file === undefined) return succeed(undefined);
  const read = readTextFile(file);
  if (!read.ok) return fail([`--scenario ${file}: it cannot be read: ${read.problem}`]);
  const parsed = parseScenario(read.value, file);
  if (!parsed.ok) return fail(parsed.problem);
  const lastsFor = Math.max(0, ...parsed.value.steps.map(({ at }) => at));
  return succeed({ file: { name: file, text: read.value }, lastsFor });
}

function commandLine(seed: number, options: SimulateOptions): string {
  const named = (["rules", "config", "scenario", "replicas", "shards"] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  return ["aggwatch simulate", `--seed ${seed} --runs 1 --hours ${options.hours}`, ...named].join(
    " ",
  );
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

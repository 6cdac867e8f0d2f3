import type { FactType, FactValue } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { parseDuration } from "../../domain/time.ts";

/**
 * The values of one fact in a rule test, observation by observation, in a short notation:
 *
 *     enabled x2, disabled x10      runs: two observations of one value, then ten of another
 *     100+10x5                      five numbers, each 10 more than the one before
 *     _ x3                          three observations that do not show the fact
 *     gone                          the entity is absent from the listing
 *
 * After the last run, its last value stays.
 */
export type Timeline = readonly Run[];

/** One run of observations; `step` is added from each observation to the next. */
type Run = {
  readonly sample: Sample;
  readonly step: number;
  readonly count: number;
};

type Sample =
  | { readonly is: "value"; readonly value: FactValue }
  | { readonly is: "missing" }
  | { readonly is: "gone" };

/** Why a timeline cannot be read, and what to write instead. */
export type TimelineProblem = { readonly message: string; readonly hint: string };

const LONGEST_RUN = 100_000;
const MISSING: Sample = { is: "missing" };
const GONE: Sample = { is: "gone" };

/** Reads a timeline of values of a type. Instants are durations since the test's start. */
export function parseTimeline(source: unknown, type: FactType): Result<Timeline, TimelineProblem> {
  const texts = typeof source === "string" ? splitRuns(source) : [source].flat();
  if (texts.length === 0) return refuse("there is no value", type);
  const runs: Run[] = [];
  for (const text of texts) {
    const run = typeof text === "string" ? parseRun(text.trim(), type) : plainRun(text, type);
    if (type === "string" && /^[^"].*\sx\d+\s/.test(String(text).trim()))
      return refuse(
        `"${String(text).trim()}" has a number of observations within it: is a comma missing?`,
        type,
      );
    if (run === undefined) return refuse(`"${String(text).trim()}" is not ${WORDS[type]}`, type);
    if (run.sample.is === "value" && isUnclear(run.sample.value, String(text)))
      return refuse(
        `"${String(text).trim()}" has no space before its number of observations`,
        type,
      );
    if (run.count < 1 || run.count > LONGEST_RUN)
      return refuse(`x${run.count}: a run has 1 to ${LONGEST_RUN} observations`, type);
    runs.push(run);
  }
  return succeed(runs);
}

/** The sample of the observation with this number, counted from 0, and the number of its run. */
export function sampleAt(timeline: Timeline, index: number): { sample: Sample; run: number } {
  let before = 0;
  for (const [run, { sample, step, count }] of timeline.entries()) {
    const isLast = run === timeline.length - 1;
    if (index >= before + count && !isLast) {
      before += count;
      continue;
    }
    const steps = Math.min(index - before, count - 1);
    if (step === 0 || sample.is !== "value") return { sample, run };
    return { sample: { is: "value", value: Number(sample.value) + step * steps }, run };
  }
  return { sample: MISSING, run: 0 };
}

const WORDS: Readonly<Record<FactType, string>> = {
  string: "a text",
  double: "a number",
  bool: "true or false",
  timestamp: "a time since the start of the test",
};

const EXAMPLES: Readonly<Record<FactType, string>> = {
  string: "enabled x2, disabled",
  double: "100 x5, 40, or 100-10x5",
  bool: "true x2, false",
  timestamp: "20m, or -5m x3, 10m",
};

function refuse(message: string, type: FactType) {
  const hint = `write it as in ${EXAMPLES[type]}; _ is a fact that is missing, gone an absent entity`;
  return fail({ message, hint });
}

/** Splits at commas that are not in quotes. */
function splitRuns(text: string): string[] {
  return text.match(/(?:"[^"]*"|[^,])+/g) ?? [];
}

function plainRun(value: unknown, type: FactType): Run | undefined {
  const fits = type === "bool" ? typeof value === "boolean" : typeof value === "number";
  if (!fits || type === "string") return undefined;
  if (type === "timestamp" && value !== 0) return undefined;
  return { sample: { is: "value", value: value as FactValue }, step: 0, count: 1 };
}

/** Whether a text may be a word and a number of observations. In quotes it is a text. */
function isUnclear(value: FactValue, written: string): boolean {
  return typeof value === "string" && value === written.trim() && /^[a-z_]+x\d+$/i.test(value);
}

function parseRun(text: string, type: FactType): Run | undefined {
  const special = /^(_|gone)(?:\s*x(\d+))?$/.exec(text);
  if (special !== null)
    return { sample: special[1] === "_" ? MISSING : GONE, step: 0, count: countOf(special[2]) };
  if (type === "string") return textRun(text);
  if (type === "bool") {
    const match = /^(true|false)(?:\s*x(\d+))?$/.exec(text);
    return match === null ? undefined : run(match[1] === "true", 0, match[2]);
  }
  const part = type === "double" ? String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?` : String.raw`[\dwdhms]+`;
  const pattern = new RegExp(`^([+-]?)(${part})(?:([+-])(${part}))?(?:\\s*x(\\d+))?$`);
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, sign, start = "", stepSign, step, count] = match;
  const read = type === "double" ? Number : parseDuration;
  const first = signed(sign, read(start));
  const each = step === undefined ? 0 : signed(stepSign, read(step));
  if (first === undefined || each === undefined) return undefined;
  return run(first, each, count);
}

function textRun(text: string): Run | undefined {
  const match = /^(?:"([^"]*)"|([^"]+?))(?:\s+x(\d+))?$/.exec(text);
  return match === null ? undefined : run(match[1] ?? match[2] ?? "", 0, match[3]);
}

function run(value: FactValue, step: number, count: string | undefined): Run {
  return { sample: { is: "value", value }, step, count: countOf(count) };
}

function countOf(text: string | undefined): number {
  return text === undefined ? 1 : Number(text);
}

function signed(sign: string | undefined, value: number | undefined): number | undefined {
  return sign === "-" && value !== undefined ? -value : value;
}

import type { Result } from "../domain/result.ts";
import { succeed } from "../domain/result.ts";
import type { Rule } from "../domain/rule.ts";
import type { ActingPolicy } from "../domain/step.ts";
import { DAY, type Instant, type Millis } from "../domain/time.ts";
import type { RecordSource } from "../io/journal/record-source.ts";
import { kinds } from "../pollers/kinds.ts";
import { rebuild, type Recorded } from "../record/rebuild.ts";
import { decidingBy } from "../run/setup.ts";
import { differenceOf, type Difference } from "./difference.ts";
import { landmarksOf, type Gap } from "./landmarks.ts";
import { gatherOutcome, type Outcome } from "./outcome.ts";
import { replay } from "./replay.ts";

/** What is asked of a record. */
export type BacktestRequest = {
  readonly rules: readonly Rule[];
  /** Other rules, for the difference. */
  readonly against?: readonly Rule[] | undefined;
  readonly acting: ActingPolicy;
  /** The report begins here; what comes before only warms up. */
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  /** Told now and then how much is done, from 0 to 1. */
  readonly onProgress?: ((part: number) => void) | undefined;
};

export type Backtest = {
  readonly since: Instant;
  readonly until: Instant;
  /** Without records, within the report. */
  readonly gaps: readonly Gap[];
  readonly polls: number;
  readonly outcome: Outcome;
  readonly against?: { readonly outcome: Outcome; readonly difference: Difference };
  /** What of the record could not be read. */
  readonly problems: readonly string[];
};

/** Replays a record by one or two sets of rules. */
export function runBacktest(
  source: RecordSource,
  request: BacktestRequest,
): Result<Backtest, string> {
  const { acting } = request;
  const until = Math.min(request.until ?? Infinity, source.lastAt);
  const since = Math.max(request.since ?? -Infinity, source.firstAt);
  const sets = [request.rules, ...(request.against === undefined ? [] : [request.against])];
  const from = since - longestMemory(sets.flat());
  const problems = new Set<string>();
  // It is read once for the landmarks, and once for each set of rules.
  const passes = sets.length + 1;
  let pass = -1;
  const record = (): Generator<Recorded> => {
    pass += 1;
    const first = pass;
    return toldOf(
      rebuild(source.pages(from), kinds, (problem) => problems.add(problem)),
      (at) => {
        const part = (at - Math.max(from, source.firstAt)) / Math.max(1, until - from);
        request.onProgress?.((first + Math.min(1, Math.max(0, part))) / passes);
      },
    );
  };
  const landmarks = landmarksOf(record(), until);
  let polls = 0;
  const [outcome, other] = sets.map((rules): Outcome => {
    const policy = decidingBy(rules, acting);
    const gathered = gatherOutcome(policy.rules, since);
    const { onFinding, onDivergence } = gathered;
    const done = replay({ policy, record: record(), landmarks, until, onFinding, onDivergence });
    polls = done.polls;
    return gathered.outcome(until);
  });
  if (outcome === undefined) throw new Error("there is always one set of rules");
  return succeed({
    since,
    until,
    gaps: landmarks.gaps.filter((gap) => gap.until > since),
    polls,
    outcome,
    ...(other === undefined
      ? {}
      : { against: { outcome: other, difference: differenceOf(outcome, other) } }),
    problems: [...problems],
  });
}

/** So many recorded things take some milliseconds. */
const TOLD_EVERY = 2_000;

/** The same, telling now and then how far it has come. */
function* toldOf(record: Iterable<Recorded>, tell: (at: Instant) => void): Generator<Recorded> {
  let count = 0;
  for (const item of record) {
    if (count % TOLD_EVERY === 0) tell(item.at);
    count += 1;
    yield item;
  }
}

/** How far back what rules decide by may reach, and a day for what has been so for long. */
function longestMemory(rules: readonly Rule[]): Millis {
  let longest = 0;
  for (const { forMs, windows } of rules) {
    longest = Math.max(longest, forMs, ...windows.map(({ lengthMs }) => lengthMs));
  }
  return longest + DAY;
}

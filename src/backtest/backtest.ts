import { longestWindow } from "../core/act/settle.ts";
import { HOME } from "../domain/lease.ts";
import type { EntityLimits } from "../domain/limits.ts";
import type { Rule } from "../domain/rule.ts";
import { toEnd, type Slices } from "../domain/slices.ts";
import type { ActingPolicy } from "../domain/step.ts";
import { DAY, type Instant, type Millis } from "../domain/time.ts";
import type { RecordSource } from "../io/journal/record-source.ts";
import { kinds } from "../pollers/kinds.ts";
import { gapBefore, rebuild, type Gap, type Recorded } from "../record/rebuild.ts";
import { decidingBy } from "../run/setup.ts";
import { rulesOfUnit, LEFT_TO_HOME } from "../run/units/unit-setup.ts";
import { differenceOf, type Difference } from "./difference.ts";
import { commonGaps, joinGaps, landmarksOf, lostMs, type Landmarks } from "./landmarks.ts";
import { gatherOutcome, joinOutcomes, type Gathering, type Outcome } from "./outcome.ts";
import { replay, runsUntil, type ReplayOptions } from "./replay.ts";

type BacktestRequest = {
  readonly rules: readonly Rule[];
  /** Other rules, to compare with. */
  readonly against?: readonly Rule[] | undefined;
  readonly acting: ActingPolicy;
  readonly limits: EntityLimits;
  /** The report begins here; earlier events only warm up the state. */
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  /** Called now and then with the share that is done, from 0 to 1. */
  readonly onProgress?: ((part: number) => void) | undefined;
};

export type Backtest = {
  readonly since: Instant;
  readonly until: Instant;
  /** The gaps in the record that end within the report. */
  readonly gaps: readonly Gap[];
  /** How much of it lies in gaps of all units, so that nothing is known of it. */
  readonly unknownMs: Millis;
  readonly polls: number;
  readonly outcome: Outcome;
  readonly against?: { readonly outcome: Outcome; readonly difference: Difference };
  /** Why parts of the record could not be read. */
  readonly problems: readonly string[];
};

/** Replays a record by one or two sets of rules. */
export function runBacktest(source: RecordSource, request: BacktestRequest): Backtest {
  return toEnd(backtestInSlices(source, request));
}

export function* backtestInSlices(
  source: RecordSource,
  request: BacktestRequest,
): Slices<Backtest> {
  const { acting, limits } = request;
  const until = Math.min(request.until ?? Infinity, source.lastAt);
  const since = Math.max(request.since ?? -Infinity, source.firstAt);
  const sets = [request.rules, ...(request.against === undefined ? [] : [request.against])];
  const from = since - Math.max(...sets.map((rules) => longestMemory(rules, request)));
  const problems = new Set<string>();
  const passes = source.units.length * sets.length;
  let pass = -1;
  const recordOf = (unit: string): Generator<Recorded> => {
    pass += 1;
    const first = pass;
    return itemsUntil(
      rebuild(source.pages(from, unit), kinds, (problem) => problems.add(problem)),
      until,
      (at) => {
        const part = (at - Math.max(from, source.firstAt)) / Math.max(1, until - from);
        request.onProgress?.((first + Math.min(1, Math.max(0, part))) / passes);
      },
    );
  };
  let polls = 0;
  const gaps: Array<readonly Gap[]> = [];
  const outcomes: Array<readonly Outcome[]> = [];
  // Each unit is replayed by itself, with its own rules, as it ran.
  for (const unit of source.units) {
    const landmarks = yield* landmarksOf(marksUntil(until, source.pages(from, unit)));
    gaps.push(gapsOf(landmarks, { since, until }));
    const own: UnitReplay[] = [];
    for (const rules of sets) {
      const policy = decidingBy(rulesOfUnit(rules, unit), acting, { limits });
      const given = { policy, record: recordOf(unit), landmarks };
      own.push(yield* replayUnit(unit, given, { since, until }));
    }
    polls += own[0]?.polls ?? 0;
    outcomes.push(own.map(({ outcome }) => outcome));
  }
  const [outcome, other] = sets.map((_, set) =>
    joinOutcomes(outcomes.flatMap((own) => own[set] ?? [])),
  );
  if (outcome === undefined) throw new Error("there is always one set of rules");
  const span = { since, until };
  const against = other && { outcome: other, difference: differenceOf(outcome, other, span) };
  return {
    ...span,
    gaps: joinGaps(gaps.flat()),
    unknownMs: lostMs(commonGaps(gaps), since),
    polls,
    outcome,
    ...(against === undefined ? {} : { against }),
    problems: [...problems],
  };
}

type UnitReplay = { readonly polls: number; readonly outcome: Outcome };

function* replayUnit(
  unit: string,
  given: Pick<ReplayOptions, "policy" | "record" | "landmarks">,
  { since, until }: Pick<Backtest, "since" | "until">,
): Slices<UnitReplay> {
  const { onFinding, onDivergence, outcome } = gatherOutcome(given.policy.rules, since);
  const found = { onFinding: ofUnit(unit, onFinding), onDivergence };
  const { polls, state } = yield* replay({ ...given, ...found });
  return { polls, outcome: outcome(until, state.tables.alert, given.landmarks.lostAt) };
}

/** The gaps that end within the report. If nothing could be read, they begin with it. */
function gapsOf(
  { gaps, lostAt }: Landmarks,
  { since, until }: Pick<Backtest, "since" | "until">,
): readonly Gap[] {
  const all = lostAt === undefined ? gaps : [...gaps, { from: lostAt, until }];
  return all
    .filter((gap) => gap.until > since)
    .map((gap) => ({ ...gap, from: gap.from === 0 ? since : gap.from }));
}

/** Why a backtest says nothing: none of its time could be read from the record of any unit. */
export function unreadable({ since, until, unknownMs, problems }: Backtest): string | undefined {
  if (problems.length === 0 || unknownMs < until - since) return undefined;
  return ["nothing of that time can be read from the record:", ...problems].join("\n  ");
}

/** Alerts on entities that all units judge are taken from `home` alone. */
function ofUnit(unit: string, onFinding: Gathering["onFinding"]): Gathering["onFinding"] {
  if (unit === HOME) return onFinding;
  return (at, finding) => {
    if (finding.type !== "alert" || !LEFT_TO_HOME.has(finding.alert.entity.kind))
      onFinding(at, finding);
  };
}

/** The marks of a record, up to an instant. The replay reports the problems of the record. */
function marksUntil(until: Instant, pages: ReturnType<RecordSource["pages"]>): Generator<Recorded> {
  const marks = rebuild(pages, kinds, () => undefined, "marks");
  return itemsUntil(marks, until, () => undefined);
}

/** How many recorded items lie between two reports of progress. They take some milliseconds. */
const ITEMS_A_REPORT = 2_000;

/** The record up to an instant, which may lie in a gap. Calls `onProgress` now and then. */
function* itemsUntil(
  record: Iterable<Recorded>,
  until: Instant,
  onProgress: (at: Instant) => void,
): Generator<Recorded> {
  let count = 0;
  for (const item of record) {
    if (item.at > until) {
      yield endBefore(item, until);
      return;
    }
    if (count % ITEMS_A_REPORT === 0) onProgress(item.at);
    count += 1;
    yield item;
  }
}

/** How the time up to an instant ends that lies before the next item of a record: in a gap, or time has passed. */
function endBefore(next: Recorded, until: Instant): Recorded {
  const gap = gapBefore(next);
  const isLost = gap !== undefined && gap.from < until;
  if (isLost) return { type: "lost", at: gap.from };
  return { type: "passed", at: Math.min(until, runsUntil(next)) };
}

/** How far back rules and the limits of actions look, and another day for states that have lasted long. */
function longestMemory(rules: readonly Rule[], { acting, limits }: BacktestRequest): Millis {
  const policy = { ...decidingBy(rules, acting, { limits }), aggregators: [] };
  let longest = longestWindow({ policy });
  for (const { forMs, keepFiringForMs, windows } of rules) {
    const lengths = windows.map(({ lengthMs }) => lengthMs);
    longest = Math.max(longest, forMs, keepFiringForMs, ...lengths);
  }
  return longest + DAY;
}

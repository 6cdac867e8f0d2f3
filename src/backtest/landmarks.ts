import { entityKey } from "../domain/entity.ts";
import { surfaceKey } from "../domain/observation.ts";
import { eachInSlices, type Slices } from "../domain/slices.ts";
import { MINUTE, SECOND, type Instant, type Millis } from "../domain/time.ts";
import { gapBefore, type Gap, type Recorded } from "../record/rebuild.ts";

/**
 * The parts of a record that a replay must know in advance: if a probe or an action that these rules request was really
 * made, the replay waits for it instead of making one up.
 */
export type Landmarks = {
  /** Whether a probe of the surface was asked soon after this instant. */
  readonly isProbedSoon: (surface: string, at: Instant) => boolean;
  /** Whether this action on the entity was sent soon after this instant. */
  readonly isSentSoon: (action: string, entity: string, at: Instant) => boolean;
  /** Gaps in the record, oldest first. */
  readonly gaps: readonly Gap[];
  /** Nothing is known from this instant on, to the end. */
  readonly lostAt?: Instant | undefined;
};

/** Gaps of the records of several units, oldest first; those that overlap are one. */
export function joinGaps(gaps: readonly Gap[]): readonly Gap[] {
  const joined: Gap[] = [];
  for (const gap of gaps.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last === undefined || gap.from >= last.until) joined.push(gap);
    else joined[joined.length - 1] = { ...last, until: Math.max(last.until, gap.until) };
  }
  return joined;
}

/** The gaps that the records of all units have at the same time, oldest first. */
export function commonGaps(units: ReadonlyArray<readonly Gap[]>): readonly Gap[] {
  const [first = [], ...others] = units.map(joinGaps);
  return others.reduce(
    (common, gaps) =>
      common.flatMap(({ from, until }) =>
        gaps
          .map((gap) => ({ from: Math.max(from, gap.from), until: Math.min(until, gap.until) }))
          .filter((both) => both.from < both.until),
      ),
    first,
  );
}

/** The time in gaps from `since` on. */
export function lostMs(gaps: readonly Gap[], since: Instant): Millis {
  return gaps.reduce((sum, gap) => sum + gap.until - Math.max(gap.from, since), 0);
}

/** A probe that is asked this soon after it is requested is the same one. */
const PROBE_TAKES: Millis = 10 * SECOND;
/** An action that is sent this soon after it is requested is the same one. */
const SENT_WITHIN: Millis = MINUTE;

/** Reads a record once; only its marks are needed. */
export function* landmarksOf(record: Iterable<Recorded>): Slices<Landmarks> {
  const probes = new Map<string, Instant[]>();
  const sent = new Map<string, Instant[]>();
  const gaps: Gap[] = [];
  let lostAt: Instant | undefined;
  yield* eachInSlices(record, (item) => {
    const gap = gapBefore(item);
    if (gap !== undefined) {
      gaps.push(gap);
    } else if (item.type === "lost") {
      lostAt = item.at;
    } else if (item.type === "sent") {
      note(sent, `${item.action} ${entityKey(item.entity)}`, item.at);
    } else if (item.type === "event" && item.event.type === "observed") {
      const { aggregator, poller, parts, origin } = item.event.observation;
      if (origin !== "probe") return;
      for (const { surface, askedAt } of parts) {
        note(probes, surfaceKey(aggregator, poller, surface), askedAt);
      }
    }
  });
  return {
    gaps,
    lostAt,
    isProbedSoon: (surface, at) => isWithin(probes.get(surface), at, PROBE_TAKES),
    isSentSoon: (action, entity, at) => isWithin(sent.get(`${action} ${entity}`), at, SENT_WITHIN),
  };
}

function note(instants: Map<string, Instant[]>, key: string, at: Instant): void {
  const known = instants.get(key);
  if (known === undefined) instants.set(key, [at]);
  else known.push(at);
}

function isWithin(instants: readonly Instant[] = [], from: Instant, takes: Millis): boolean {
  return instants.some((at) => at >= from && at <= from + takes);
}

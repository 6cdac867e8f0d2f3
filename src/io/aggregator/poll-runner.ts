import type { Failure } from "../../domain/http.ts";
import type { Observation, Part, PollTally } from "../../domain/observation.ts";
import { tallyOf } from "../../domain/observation.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import {
  formatDuration,
  SECOND,
  type Clock,
  type Instant,
  type Millis,
} from "../../domain/time.ts";
import { defaultTimeoutOf, type Surface, type WatchList } from "../../pollers/poller.ts";
import { type Statuses } from "../../pollers/status-words.ts";
import { linkSignals } from "../http/linked-signal.ts";
import { createIdCounts, withHint } from "./missing-ids.ts";
import { startPollDeadline } from "./poll-deadline.ts";
import { bug, failedPart, readSurface, type SurfaceRequest } from "./read-surface.ts";
import { sweep } from "./sweep.ts";

export type PollRequest = SurfaceRequest & {
  readonly aggregator: string;
  readonly watch: WatchList;
  readonly statuses: Statuses;
  readonly clock: Clock;
  /** Aborted at shutdown. */
  readonly signal: AbortSignal;
  /** How long the whole poll may take, unless it is a sweep that goes on reading; by default the poller's own. */
  readonly timeoutMs?: Millis | undefined;
  /** A probe reads one surface alone. */
  readonly only?: ReadonlySet<string> | undefined;
  /** How many surfaces are read at once, and the least time between the starts of two. */
  readonly atOnce?: number | undefined;
  readonly paceMs?: Millis | undefined;
};

/** Twice the default concurrency of a rate, because as many may wait between two tries. */
const AT_ONCE = 32;

/**
 * Reads the surfaces that the poller plans, and returns the observation. Never throws: a bug makes its surface a failed
 * one, whose entities are then unknown. If `only` names a surface that is not watched any more, the observation has no
 * parts. With `onPiece`, a long poll comes in pieces, each after the one before was taken, and the last is returned.
 */
export async function runPoll(
  request: PollRequest,
  onPiece?: (piece: Observation) => void | Promise<void>,
): Promise<Observation> {
  const { aggregator, poller, watch, statuses, clock, origin, atOnce = AT_ONCE } = request;
  const startedAt = clock.now();
  const link = linkSignals(request.signal);
  const surfaces = planned(request);
  const planning = surfaces.ok ? surfaces.value : [];
  const { timeoutMs = defaultTimeoutOf(poller, planning) } = request;
  const deadline = startPollDeadline(
    {
      timeoutMs,
      extendable: planning.length > atOnce ? planning.length : undefined,
      stillAfterMs: Math.min(timeoutMs, poller.defaultTimeoutMs),
    },
    link.abort,
  );
  const limits = {
    signal: link.signal,
    deadlineAt: () => clock.now() + deadline.leftMs(),
    startedAt,
    context: { watch, statuses },
  };
  const ids = createIdCounts();
  let earlier: PollTally | undefined;
  const observe = (parts: readonly Part[]) => {
    const durationMs = clock.now() - startedAt;
    return { aggregator, poller: poller.name, parts, origin, durationMs };
  };
  const givePiece = async (parts: readonly Part[]): Promise<void> => {
    earlier = tallyOf(parts, earlier);
    await onPiece?.({ ...observe(parts), ongoing: true });
  };
  const read = async (surface: Surface): Promise<Part> => {
    const isOverdue = (): boolean => link.signal.aborted && !request.signal.aborted;
    const late = (message: string): Part =>
      failedPart(surface.name, startedAt, { reason: "timeout", message });
    const allowed = (): string => formatDuration(deadline.allowedMs());
    if (isOverdue()) return late(`not asked: the poll has taken ${allowed()} already`);
    const part = await readSurface(surface, request, limits);
    if (part.reading.ok) deadline.noteRead();
    ids.count(surface, part.reading);
    // The poll's own deadline cancelled the request; a time-out says more to people.
    if (part.reading.ok || part.reading.failure.reason !== "cancelled" || !isOverdue()) return part;
    return late(`no answer within the ${allowed()} that the poll may take`);
  };
  const parts = surfaces.ok
    ? await sweep(rotated(surfaces.value, startedAt, atOnce), read, {
        atOnce,
        paceMs: request.paceMs ?? 0,
        signal: link.signal,
        onPiece: onPiece && givePiece,
      })
    : [failedPart([...(request.only ?? ["all"])].join(), startedAt, surfaces.problem)];
  deadline.end();
  link.unlink();
  const hinted = origin === "poll" ? withHint(parts, ids.hint()) : parts;
  return { ...observe(hinted), ...(earlier === undefined ? {} : { earlier }) };
}

/** Its multiples are spread evenly, whatever a schedule in seconds and a number of surfaces have in common. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * A long poll begins at another surface each time, so that polls that are cut off do not always miss the same ones.
 */
function rotated(
  surfaces: readonly Surface[],
  startedAt: Instant,
  atOnce: number,
): readonly Surface[] {
  if (surfaces.length <= atOnce) return surfaces;
  const first = Math.floor((((startedAt / SECOND) * GOLDEN) % 1) * surfaces.length);
  return [...surfaces.slice(first), ...surfaces.slice(0, first)];
}

function planned({ poller, watch, only }: PollRequest): Result<readonly Surface[], Failure> {
  try {
    const surfaces = poller.plan(watch);
    return succeed(only === undefined ? surfaces : surfaces.filter(({ name }) => only.has(name)));
  } catch (error) {
    return fail(bug(error));
  }
}

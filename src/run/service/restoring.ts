import { SECOND, formatDuration, type Millis } from "../../domain/time.ts";
import type { Journal } from "../../io/journal/journal.ts";
import { steadyNow } from "../../io/process/clock.ts";
import { createTimeSlice, inSlices, type TimeSlice } from "../../io/process/time-slice.ts";
import type { Loop } from "../loop.ts";

/** Reads the journal at a start, in slices, and says meanwhile how far it is. */
type Restoring = {
  readonly progress: () => string;
  /** Why the process should be restarted: nothing was read for long. Undefined while it gets on. */
  readonly unhealthy: () => string | undefined;
  /** Rejects with what to tell people, or with the reason of the signal. */
  readonly run: (options: RestoringOptions) => Promise<void>;
};

type RestoringOptions = {
  /** Aborted, it ends. */
  readonly signal: AbortSignal | undefined;
  /** Called between two slices. */
  readonly onTurn: () => void;
  /** How many rows there are, if there are any: they are about to be read. */
  readonly onCounted: (rows: number) => void;
  readonly slice?: Pick<TimeSlice, "isOver" | "next">;
};

/** Rows come by the thousand in a slice. */
const STILL_AFTER: Millis = 15 * SECOND;

export function createRestoring(
  { restore }: Pick<Loop, "restore">,
  { rowCounts }: Pick<Journal, "rowCounts">,
  now: () => Millis = steadyNow,
): Restoring {
  let total: number | undefined;
  let read = 0;
  let counted = 0;
  let seen = { moved: 0, at: now() };

  function* work({ signal, onCounted }: RestoringOptions): ReturnType<Loop["restore"]> {
    for (const rows of rowCounts()) {
      signal?.throwIfAborted();
      counted += rows;
      yield;
    }
    total = counted;
    if (total > 0) onCounted(total);
    yield* restore(() => {
      signal?.throwIfAborted();
      read += 1;
    });
  }

  const progress = (): string => {
    // Beyond the limits, they are read again.
    const rows = total === undefined ? "" : ` (${Math.min(read, total)} of ${total} rows)`;
    return `restoring the journal${rows}`;
  };
  return {
    progress,
    unhealthy: () => {
      const moved = counted + read;
      if (moved !== seen.moved) seen = { moved, at: now() };
      const stillMs = now() - seen.at;
      if (stillMs < STILL_AFTER) return undefined;
      const still = formatDuration(Math.floor(stillMs / SECOND) * SECOND);
      return `${progress()}: nothing was read for ${still}`;
    },
    run: async (options) => {
      const { slice = createTimeSlice(), onTurn } = options;
      const next = async (): Promise<void> => {
        onTurn();
        await slice.next();
      };
      await inSlices(work(options), { isOver: slice.isOver, next });
    },
  };
}

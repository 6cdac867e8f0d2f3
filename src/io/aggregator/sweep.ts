import { SECOND, type Millis } from "../../domain/time.ts";
import { pause } from "../process/pause.ts";

/**
 * A sweep: one question after another over a long list, so many at once and none closer to the one
 * before than the pace. Ten thousand that all waited in the limiter at once would keep every other poll of
 * the aggregator waiting behind them.
 */
export type SweepOptions<Outcome> = {
  readonly atOnce: number;
  /** The least time between two starts; 0 where the rate limit alone spreads them. */
  readonly paceMs: Millis;
  /** Ends the waiting between starts; what is asked then must end by itself. */
  readonly signal: AbortSignal;
  /** Told every second of what has come out since, so that nobody waits for the slowest. */
  readonly onPiece?: ((outcomes: readonly Outcome[]) => void) | undefined;
};

const TELL_EVERY: Millis = SECOND;
/** Timers are not more exact than that; what is due sooner starts at once. */
const SHORTEST_PAUSE: Millis = 4;

/** Gives the outcomes that were not told in pieces, in the order in which they came. */
export async function sweep<Item, Outcome>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Outcome>,
  { atOnce, paceMs, signal, onPiece }: SweepOptions<Outcome>,
): Promise<readonly Outcome[]> {
  let outcomes: Outcome[] = [];
  let next = 0;
  let dueAt = performance.now();
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      const now = performance.now();
      // Starts that were due while all were busy are not made up for in a burst.
      dueAt = Math.max(dueAt, now - paceMs);
      const waitMs = dueAt - now;
      dueAt += paceMs;
      if (waitMs >= SHORTEST_PAUSE) await pause(waitMs, signal);
      const outcome = await ask(item);
      // Only now: what was told meanwhile began another list.
      outcomes.push(outcome);
    }
  };
  const telling =
    onPiece &&
    setInterval(() => {
      if (outcomes.length === 0) return;
      const piece = outcomes;
      outcomes = [];
      onPiece(piece);
    }, TELL_EVERY);
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  } finally {
    clearInterval(telling);
  }
  return outcomes;
}

import { SECOND, type Millis } from "../../domain/time.ts";
import { pause } from "../process/pause.ts";

/**
 * A sweep reads the items of a long list in their order: at most `atOnce` together, and with at least `paceMs` between
 * two starts. If ten thousand waited in the limiter at once, every other poll of the aggregator would wait behind them.
 */
export type SweepOptions<Outcome> = {
  readonly atOnce: number;
  /** The least time between two starts; 0 if the rate limit alone spreads them. */
  readonly paceMs: Millis;
  /** Ends the waits between starts; items under way must end by themselves. */
  readonly signal: AbortSignal;
  /**
   * Called every second with the new outcomes, so that they do not wait for the slowest. Until it has taken the piece
   * before, no further item begins: readings that come faster than they are handled would be old by their turn.
   */
  readonly onPiece?: ((outcomes: readonly Outcome[]) => Promise<void>) | undefined;
};

const PIECE_EVERY: Millis = SECOND;
/** Timers are not more exact than this; an item that is due sooner starts at once. */
const SHORTEST_PAUSE: Millis = 4;

/** Returns the outcomes that no piece held, in the order in which they came. */
export async function sweep<Item, Outcome>(
  items: readonly Item[],
  read: (item: Item) => Promise<Outcome>,
  { atOnce, paceMs, signal, onPiece }: SweepOptions<Outcome>,
): Promise<readonly Outcome[]> {
  let outcomes: Outcome[] = [];
  let next = 0;
  let dueAt = performance.now();
  const piece: { taken?: Promise<void> | undefined; isLate: boolean } = { isLate: false };
  const work = async (): Promise<void> => {
    while (next < items.length) {
      while (piece.isLate && !signal.aborted) await piece.taken;
      if (next >= items.length) return;
      const item = items[next] as Item;
      next += 1;
      const now = performance.now();
      // Starts that were due while all were busy do not follow in a burst.
      dueAt = Math.max(dueAt, now - paceMs);
      const waitMs = dueAt - now;
      dueAt += paceMs;
      if (waitMs >= SHORTEST_PAUSE) await pause(waitMs, signal);
      const outcome = await read(item);
      // Only now: a piece that was given meanwhile began another list.
      outcomes.push(outcome);
    }
  };
  const pieces =
    onPiece &&
    setInterval(() => {
      piece.isLate = piece.taken !== undefined;
      if (piece.isLate || outcomes.length === 0) return;
      const given = outcomes;
      outcomes = [];
      piece.taken = onPiece(given).finally(() => {
        Object.assign(piece, { taken: undefined, isLate: false });
      });
    }, PIECE_EVERY);
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  } finally {
    clearInterval(pieces);
  }
  return outcomes;
}

import { SECOND, type Millis } from "../../domain/time.ts";
import type { Loop } from "../loop.ts";
import { createTicker, whenIdle } from "../sliced-work.ts";
import type { WatchLists } from "../watch-list/watch-lists.ts";

const TICK: Millis = SECOND;

/**
 * Begins with what the journal knows, and ticks from then on; gives what ends that. All that was known is unknown now:
 * with 100 000 entities that takes long, and `/healthz` answers meanwhile.
 */
export function startLoop(
  loop: Pick<Loop, "push" | "isBusy" | "idle">,
  lists: Pick<WatchLists, "sync">,
  beforeTick: () => void,
  isUnchecked: boolean,
): () => void {
  loop.push({ type: "started", ...(isUnchecked && { journal: "unchecked" }) });
  let isOver = false;
  const takeUp = (): void => {
    if (isOver) return;
    lists.sync();
    beforeTick();
  };
  whenIdle(loop, takeUp);
  const ticker = setInterval(createTicker(loop, beforeTick), TICK);
  return () => {
    isOver = true;
    clearInterval(ticker);
  };
}

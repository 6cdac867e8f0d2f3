import type { Millis } from "../../domain/time.ts";
import { pause } from "./pause.ts";

/** Waits until all of them have settled, but at most `graceMs`; true if they did. */
export async function settleWithin(
  running: readonly Promise<void>[],
  graceMs: Millis,
): Promise<boolean> {
  if (running.length === 0) return true;
  const waiting = new AbortController();
  const ended = Promise.allSettled(running).then(() => true);
  const tooLate = pause(graceMs, waiting.signal).then(() => false);
  const isEnded = await Promise.race([ended, tooLate]);
  waiting.abort("settled");
  return isEnded;
}

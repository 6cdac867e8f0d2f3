import type { Millis } from "../../domain/time.ts";
import { SYSTEM, type ClockSources } from "./clock.ts";

/**
 * Detects that the process could not run. The steady clock shows a stopped process; only the wall clock shows a
 * suspended machine, whose steady clock stops. A wall clock that is set forward looks the same.
 */
export type GapDetector = {
  /** The time since the last look, by the clock that shows more; undefined if that is usual. */
  readonly look: () => Millis | undefined;
  /** The same, but the next look finds it too. */
  readonly peek: () => Millis | undefined;
  /** Notes that the process runs, such as in the middle of long work. An earlier gap stays for the next look. */
  readonly noteRunning: () => void;
};

/** Look often enough that the usual time between two looks is never longer than `longestMs`. */
export function createGapDetector(
  longestMs: Millis,
  { wall, steady }: ClockSources = SYSTEM,
): GapDetector {
  let seen = { wall: wall(), steady: steady() };
  const peek = (): Millis | undefined => {
    const awayMs = Math.max(wall() - seen.wall, steady() - seen.steady);
    return awayMs > longestMs ? Math.round(awayMs) : undefined;
  };
  return {
    peek,
    noteRunning: () => {
      if (peek() === undefined) seen = { wall: wall(), steady: steady() };
    },
    look: () => {
      const awayMs = peek();
      seen = { wall: wall(), steady: steady() };
      return awayMs;
    },
  };
}

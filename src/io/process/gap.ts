import type { Millis } from "../../domain/time.ts";
import { SYSTEM, type ClockSources } from "./clock.ts";

/**
 * Notices that the process could not run. A process that is stopped is seen by the steady clock; a machine that is
 * suspended by the wall clock alone, as its steady clock stops. A wall clock that is set forward looks the same.
 */
export type GapDetector = {
  /** How long it has been since the last look, by the clock that says more; undefined if that is usual. */
  readonly look: () => Millis | undefined;
  /** The same, and yet the next look finds it too. */
  readonly peek: () => Millis | undefined;
  /** The process runs, as in the middle of something long. A gap stays to be found by the next look. */
  readonly noteRunning: () => void;
};

/** It is to be looked at often enough that no usual time between two looks is longer than `longestMs`. */
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

import type { Rule } from "../domain/rule.ts";
import type { Millis } from "../domain/time.ts";
import type { Scenario } from "../simulator/control/scenario-schema.ts";
import type { Detection } from "./detection.ts";
import type { Tally } from "./tally.ts";

/** What became of one run. Instants count from its start. */
export type Outcome = {
  readonly seed: number;
  /** Over everything that was seen: the same seed gives the same, byte for byte. */
  readonly hash: string;
  readonly steps: number;
  readonly simulatedMs: Millis;
  readonly violations: readonly Violation[];
  readonly tally: Tally;
  /** Undefined where nothing bad was ever detected. */
  readonly worstDetection: Detection | undefined;
  /** What happened, for people, where it was asked for. */
  readonly story: readonly Told[];
};

export type Violation = { readonly at: Millis; readonly invariant: string; readonly text: string };
export type Told = { readonly at: Millis; readonly text: string };

export type RunOptions = {
  readonly rules: readonly Rule[];
  /** A story that the first aggregator lives through, beside the happenings. */
  readonly scenario?: Scenario | undefined;
  readonly withStory?: boolean;
  /** Ends soon after the first violation. */
  readonly endsAtViolation?: boolean;
};

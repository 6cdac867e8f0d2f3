import type { Moment } from "./moments.ts";
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
  /** Undefined if nothing bad was ever detected. */
  readonly worstDetection: Detection | undefined;
  /** What happened, for people, if it was asked for. */
  readonly narration: readonly NarratedEvent[];
  /** The same for a picture, if a narration was asked for. */
  readonly moments: readonly Moment[];
};

export type Violation = { readonly at: Millis; readonly invariant: string; readonly text: string };
export type NarratedEvent = { readonly at: Millis; readonly text: string };

export type RunOptions = {
  readonly rules: readonly Rule[];
  /** What happens to the first aggregator, beside the scheduled events. */
  readonly scenario?: Scenario | undefined;
  readonly withNarration?: boolean;
  /** Ends soon after the first violation. */
  readonly endsAtViolation?: boolean;
};

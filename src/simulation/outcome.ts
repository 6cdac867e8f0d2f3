import type { Moment } from "./moments.ts";
import type { Rule } from "../domain/rule.ts";
import type { Millis } from "../domain/time.ts";
import type { Scenario } from "../simulator/control/scenario-schema.ts";
import type { Detection } from "./detection.ts";
import type { Tally } from "./tally.ts";

/** The outcome of one run. Instants count from its start. */
export type Outcome = {
  readonly seed: number;
  /** Over everything that the run showed: the same seed gives the same hash. */
  readonly hash: string;
  readonly steps: number;
  readonly simulatedMs: Millis;
  readonly violations: readonly Violation[];
  readonly tally: Tally;
  /** Undefined if nothing bad was ever detected. */
  readonly worstDetection: Detection | undefined;
  /** The events as sentences, if a narration was asked for. */
  readonly narration: readonly NarratedEvent[];
  /** The same for the timeline of a report. */
  readonly moments: readonly Moment[];
};

export type Violation = { readonly at: Millis; readonly invariant: string; readonly text: string };
export type NarratedEvent = { readonly at: Millis; readonly text: string };

export type RunOptions = {
  readonly rules: readonly Rule[];
  /** What happens to the first aggregator, besides the scheduled events. */
  readonly scenario?: Scenario | undefined;
  readonly withNarration?: boolean;
  /** Ends soon after the first violation. */
  readonly endsAtViolation?: boolean;
};

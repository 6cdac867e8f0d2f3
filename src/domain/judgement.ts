import type { ActionName, Mode } from "./action.ts";
import type { FactValue } from "./entity.ts";
import type { SuppressionReason } from "./guard.ts";
import type { Verdict } from "./rule.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * Why a rule's alert on an entity is as it is, at one instant: what the condition read, and what
 * every guard said. Findings carry it into the journal, so that the past can be explained like the
 * present.
 */
export type Judgement = {
  readonly at: Instant;
  readonly condition: {
    readonly source: string;
    readonly verdict: Verdict;
    /** The facts that it reads, and their values; undefined if a fact is not known. */
    readonly facts: ReadonlyArray<{
      readonly name: string;
      readonly value?: FactValue | undefined;
    }>;
    /** The reading that it rests on; undefined if there was none since the start. */
    readonly reading: JudgedReading | undefined;
    readonly unknownSince: Instant | undefined;
    /** A reload has changed `base_url` since the start: `reading` is none from before that. */
    readonly moved?: boolean;
  };
  readonly forMs: Millis;
  readonly keepFiringForMs: Millis;
  /** Undefined if the rule does not act. */
  readonly action: JudgedAction | undefined;
};

export type JudgedReading = {
  readonly poller: string;
  /** When the request of the newest successful reading was sent. */
  readonly askedAt: Instant | undefined;
  /** Why the last reading failed. */
  readonly failure: string | undefined;
  /** Why it may raise an alert but no action; journals of earlier versions do not have it. */
  readonly doubt?: string | undefined;
};

export type JudgedAction = {
  readonly name: ActionName;
  readonly mode: Mode;
  /** In the order of the guards; the first that objects is the reason. Empty if no alert fires. */
  readonly guards: readonly GuardAnswer[];
};

export type GuardAnswer = {
  readonly reason: SuppressionReason;
  readonly objects: boolean;
  /** The answer in words, with the numbers that it judged. */
  readonly detail: string;
};

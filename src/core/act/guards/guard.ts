import { lowestMode, type Mode } from "../../../domain/action.ts";
import type { Alert } from "../../../domain/alert.ts";
import type { Entity } from "../../../domain/entity.ts";
import type { Rule, RuleAction, Verdict } from "../../../domain/rule.ts";
import type { Policy } from "../../../domain/step.ts";
import type { Instant } from "../../../domain/time.ts";
import type { State } from "../../state.ts";

/** A guard is one reason not to send a remediation. In doubt, it objects. */
export type Guard = {
  /** When it objects, as a phrase for the docs. */
  readonly objectsIf: string;
  readonly ask: (context: GuardContext) => Answer;
  /** Whether its answer is relevant at all; left out if it always is. */
  readonly isAsked?: (state: State) => boolean;
  /**
   * What it says may be over while it still objects: another hold stands, or another thing is awaited. What the others
   * say begins with numbers that change at each instant, so what they said first is kept.
   */
  readonly isKeptCurrent?: true;
  /** Too little is known, so the guards after it are not even asked. What they said may go on all the same. */
  readonly isPause?: true;
  /** A rule, a mode or a person intends that it objects; what any other says is notified once it lasts. */
  readonly isIntended?: true;
};

/** An alert that fires, whose rule acts, and what is known at an instant. */
export type GuardContext = {
  readonly policy: Policy;
  readonly state: State;
  readonly at: Instant;
  readonly alert: Alert;
  readonly rule: Rule;
  readonly act: RuleAction;
  readonly entity: Entity;
  /** What the rule's condition says of the entity now. */
  readonly verdict: Verdict;
};

export type Answer = {
  readonly objects: boolean;
  /** The numbers that it judged, for people. Rendered only if they are shown: many alerts may be asked about. */
  readonly say: () => string;
  readonly until: Until;
};

/**
 * How long a guard goes on objecting, or not objecting.
 *
 * - `event`: until an event changes what is known. Time alone changes nothing.
 * - `reading`: the same, or until the surface is read again, even if the reading shows nothing new.
 * - an instant, which is later than the answer: time alone may change it then, and not before.
 * - `whileYoung`: the same, but only while the last reading of the surface is within `max_age`. Each reading extends it.
 */
export type Until = "event" | "reading" | (() => Instant) | { readonly whileYoung: () => Instant };

/** The first instant at which a reading is older than `max_age`; one that was never requested always is. */
export function tooOldAt({ acting }: Policy, askedAt: Instant = -Infinity): Instant {
  return askedAt + acting.maxAgeMs + 1;
}

export function object(say: () => string, until: Until): Answer {
  return { objects: true, say, until };
}

export function pass(say: () => string, until: Until): Answer {
  return { objects: false, say, until };
}

/** The lower of the config's ceiling and the rule's mode. */
export function modeOf({ policy, act }: Pick<GuardContext, "policy" | "act">): Mode {
  return lowestMode(policy.acting.mode, act.mode);
}

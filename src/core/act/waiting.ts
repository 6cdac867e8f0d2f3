import { alertKey } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import { surfaceKey } from "../../domain/observation.ts";
import type { Event, Policy, StateTable } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";
import type { State } from "../state.ts";
import { tooOldAt, type GuardContext } from "./guards/guard.ts";
import { firstObjection, type Objection } from "./guards/index.ts";

/**
 * Ten thousand alerts may fire and want their remediation. A tick asks about all of them only if an answer may have
 * changed. That only saves work: asking more often gives the same answers.
 */

/**
 * Rows that guards decide by, besides those of the alert in question and of its entity: if the latter change, the alert
 * is judged, and asked about in the same step.
 */
const DECIDED_BY: ReadonlySet<StateTable> = new Set([
  "attempt",
  "hold",
  "kill",
  "proposal",
  "quarantine",
  "remediation",
  "storm",
] as const);

/** The keys of the alerts that this step is to ask about, if they fire: those that it has judged, or all that fire. */
export function alertsToAsk(draft: Draft, event: Event): Iterable<string> {
  const { waiting } = draft.state;
  if (mayAnswerOtherwise(draft, event)) waiting.isStale = true;
  // An observation, and the reply to an action, let only the alerts of their own entities act; the others wait for a
  // tick. Thousands of replies may come at once, and each would ask about thousands.
  if (event.type === "observed") return draft.judged;
  if (event.type === "acted") return alertsOnRepaired(draft, event.remediation);
  if (draft.at < asksAllAt(draft.policy, draft.state, draft.at)) return draft.judged;
  waiting.isStale = false;
  waiting.until = Infinity;
  waiting.youngUntil = Infinity;
  waiting.surfaces.clear();
  waiting.aging.clear();
  return draft.state.firing;
}

function alertsOnRepaired({ policy, state }: Draft, id: string): readonly string[] {
  const entity = state.tables.remediation.get(id)?.entity;
  if (entity === undefined) return [];
  const rules = policy.rulesByKind.get(entity.kind) ?? [];
  return rules.map(({ alert }) => alertKey(alert, entityKey(entity)));
}

/**
 * The first instant at which a tick asks about all alerts, if only readings that show nothing new come before it. Never
 * too late, and too early only if it is after `by`. Until when readings are young is computed again once that has
 * passed, and kept in the state.
 */
export function asksAllAt(policy: Policy, { waiting, surfaces, at }: State, by: Instant): Instant {
  if (waiting.isStale) return at;
  if (waiting.youngUntil <= by) {
    waiting.youngUntil = Infinity;
    for (const key of waiting.aging) {
      const oldAt = tooOldAt(policy, surfaces.get(key)?.askedAt);
      waiting.youngUntil = Math.min(waiting.youngUntil, oldAt);
    }
  }
  return Math.min(waiting.until, waiting.youngUntil);
}

/** Call it after all were asked: the outcome may change the answers about others. */
export function noteAsked(draft: Draft): void {
  if (hasDecided(draft)) draft.state.waiting.isStale = true;
}

/** An objection that ends by time alone has another text at each instant. */
export type TimedObjection = Objection & { readonly isTimed: boolean };

/** The first objection; remembers until when the answers hold. */
export function askGuards(draft: Draft, context: GuardContext): TimedObjection | undefined {
  const { waiting, surfaces } = draft.state;
  const { surface } = context.entity;
  let isTimed = false;
  const objection = firstObjection(context, (until) => {
    isTimed = typeof until === "function";
    if (until === "reading") waiting.surfaces.add(surface);
    else if (typeof until === "object") {
      const oldAt = tooOldAt(draft.policy, surfaces.get(surface)?.askedAt);
      waiting.aging.add(surface);
      waiting.youngUntil = Math.min(waiting.youngUntil, oldAt);
      waitUntil(draft, until.whileYoung());
    } else if (until !== "event") waitUntil(draft, until());
  });
  return objection && { ...objection, isTimed };
}

export function waitUntil({ state: { waiting } }: Draft, at: Instant): void {
  waiting.until = Math.min(waiting.until, at);
}

function mayAnswerOtherwise(draft: Draft, event: Event): boolean {
  const { type } = event;
  if (type === "tick" || type === "notified") return hasDecided(draft);
  if (type !== "observed") return true;
  const { aggregator, poller, parts } = event.observation;
  const { surfaces } = draft.state.waiting;
  const isAwaited =
    surfaces.size > 0 &&
    parts.some(({ surface }) => surfaces.has(surfaceKey(aggregator, poller, surface)));
  return isAwaited || hasDecided(draft);
}

function hasDecided({ state, touched }: Draft): boolean {
  if (state.confirming.size > 0) return true;
  for (const [table] of touched.values()) if (DECIDED_BY.has(table)) return true;
  return false;
}

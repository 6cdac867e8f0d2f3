import type { SuppressionReason } from "../../../domain/guard.ts";
import type { GuardAnswer } from "../../../domain/judgement.ts";
import type { Policy } from "../../../domain/step.ts";
import { verdictOf } from "../../judge/verdict.ts";
import type { State } from "../../state.ts";
import { approval } from "./approval.ts";
import { attempts } from "./attempts.ts";
import { budget } from "./budget.ts";
import { condition } from "./condition.ts";
import { cooldown } from "./cooldown.ts";
import type { Guard, GuardContext, Until } from "./guard.ts";
import { held } from "./held.ts";
import { inFlight } from "./in-flight.ts";
import { killed } from "./killed.ts";
import { quarantined } from "./quarantined.ts";
import { shadow } from "./shadow.ts";
import { standby } from "./standby.ts";
import { stale } from "./stale.ts";
import { starting } from "./starting.ts";
import { storm } from "./storm.ts";
import { underWay } from "./under-way.ts";

/**
 * Every guard by its reason, in the order in which they are asked: the first that objects names the reason. The end of
 * a cooldown changes nothing if the attempts are used up, so these come before it.
 */
const BY_REASON = {
  killed,
  standby,
  held,
  starting,
  stale,
  in_flight: inFlight,
  quarantined,
  attempts,
  cooldown,
  storm,
  budget,
  condition,
  approval,
  shadow,
  under_way: underWay,
};

declare module "../../../domain/guard.ts" {
  interface Guards {
    readonly reason: keyof typeof BY_REASON;
  }
}

/** At least one, as the schemas of what may be one of them demand. */
export const SUPPRESSION_REASONS = Object.keys(BY_REASON) as [
  SuppressionReason,
  ...SuppressionReason[],
];

export const GUARDS: ReadonlyArray<Guard & { readonly reason: SuppressionReason }> =
  SUPPRESSION_REASONS.map((reason) => ({ reason, ...BY_REASON[reason] }));

/** The reasons of the guards of which that is true. */
export function reasonsOf(is: (guard: Guard) => true | undefined): ReadonlySet<SuppressionReason> {
  return new Set(GUARDS.filter(is).map(({ reason }) => reason));
}

export type Objection = Pick<GuardAnswer, "reason" | "detail">;

/**
 * The objection of the first guard that objects; undefined if none does. `onAnswer` is called with how long each answer
 * that was needed for it holds.
 */
export function firstObjection(
  context: GuardContext,
  onAnswer: (until: Until) => void = () => undefined,
): Objection | undefined {
  for (const { reason, ask } of GUARDS) {
    const { objects, say, until } = ask(context);
    onAnswer(until);
    if (objects) return { reason, detail: say() };
  }
  return undefined;
}

/** The answers of all guards that are relevant here, in their order, for people. */
export function allAnswers(context: GuardContext): readonly GuardAnswer[] {
  return GUARDS.flatMap(({ reason, ask, isAsked }) => {
    if (isAsked?.(context.state) === false) return [];
    const { objects, say } = ask(context);
    return { reason, objects, detail: say() };
  });
}

/** The same as of the last event, for an alert that fires or would; empty if its rule does not act. */
export function answersNow(
  policy: Policy,
  state: State,
  { alert, rule, entity }: Pick<GuardContext, "alert" | "rule" | "entity">,
): readonly GuardAnswer[] {
  const { act } = rule;
  if (act === undefined) return [];
  const { at } = state;
  const verdict = verdictOf(state, rule, entity, at);
  return allAnswers({ policy, state, at, alert, rule, act, entity, verdict });
}

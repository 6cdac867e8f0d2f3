import { entityKey, type EntityId } from "../../domain/entity.ts";
import { surfaceKey, type Part } from "../../domain/observation.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Rule, RuleAction } from "../../domain/rule.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Step } from "../run-event.ts";

/** The action that a rule wants for an entity, at an instant and under the policy of that time. */
export type Want = Pick<Step, "policy" | "state"> & {
  readonly at: Instant;
  readonly rule: Rule;
  readonly act: RuleAction;
  readonly entity: EntityId;
  /** The key of the entity. */
  readonly key: string;
  /** The run of the alert that wants it. */
  readonly alert: string;
  readonly alertStartedAt: Instant;
  /** The remediation that it became. */
  readonly made?: Remediation;
};

/** An action that a step asks to be sent, with its remediation. */
export type Act = Want & { readonly made: Remediation };

/**
 * The actions that will be sent after this step: none if it could not be committed. An action without a
 * remediation or a rule is left to the checkers of requests.
 */
export function actsOf({ policy, state, stampedAt: at, result, durable }: Step): Act[] {
  return (durable ? result.effects : []).flatMap((effect) => {
    if (effect.type !== "act") return [];
    const made = state.tables.remediation.get(effect.remediation);
    const rule = made && policy.rules.get(made.rule);
    if (made === undefined || rule?.act === undefined) return [];
    const { entity, alert, alertStartedAt } = made;
    const key = entityKey(entity);
    return [{ policy, state, at, rule, act: rule.act, entity, key, alert, alertStartedAt, made }];
  });
}

/** The name of an action in a violation: remediation, entity, rule, and when it was decided. */
export function nameAct({ made, key, at }: Act): string {
  return `${made.id} (${made.action} of ${key} by ${made.rule}), decided at ${formatInstant(at)},`;
}

/** The part of a step's observation that read a surface; undefined if there is none. */
export function partOf({ event }: Step, surface: string): Part | undefined {
  if (event.type !== "observed") return undefined;
  const { aggregator, poller, parts } = event.observation;
  return parts.find((part) => surfaceKey(aggregator, poller, part.surface) === surface);
}

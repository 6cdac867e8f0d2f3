import { entityKey, type EntityId } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Rule, RuleAction } from "../../domain/rule.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker, Witnessed } from "../witness.ts";

export type Step = Extract<Witnessed, { type: "step" }>;

/** What a rule wants to be done to an entity, at an instant and under the policy of then. */
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
};

/** An action that a step asks to be sent, with its remediation. */
export type Act = Want & { readonly made: Remediation };

/** A checker whose books also say whether anything that it knows of stands against an action. */
export type GuardBook = Checker & {
  /** What speaks against it, with the numbers; undefined where nothing does. */
  readonly objection: (want: Want) => string | undefined;
};

/** The actions that will leave after this step: none where it could not be committed. */
export function actsOf(step: Step): Act[] {
  return step.durable ? decidedActsOf(step) : [];
}

/**
 * The actions that this step decides on, whether or not they leave. One without a remediation or a rule
 * is left to the checker of what is sent.
 */
export function decidedActsOf(step: Step): Act[] {
  const { policy, state, stampedAt: at } = step;
  return step.result.effects.flatMap((effect) => {
    if (effect.type !== "act") return [];
    const made = state.tables.remediation.get(effect.remediation);
    const rule = made && policy.rules.get(made.rule);
    if (made === undefined || rule?.act === undefined) return [];
    const { entity, alert, alertStartedAt } = made;
    const key = entityKey(entity);
    return [{ policy, state, at, rule, act: rule.act, entity, key, alert, alertStartedAt, made }];
  });
}

/** How a violation names an action: which, of what, by which rule, and when it was decided. */
export function nameAct({ made, key, at }: Act): string {
  return `${made.id} (${made.action} of ${key} by ${made.rule}), decided at ${formatInstant(at)},`;
}

/** A checker that looks at steps alone. */
export function stepChecker(invariant: string, check: (step: Step) => readonly string[]): Checker {
  return { invariant, witness: (seen) => (seen.type === "step" ? check(seen) : []) };
}

/**
 * A checker of one thing that may stand against acting: no action may leave while it objects. `note`
 * comes before the step's actions are looked at, `done` after each of them, `end` after all.
 */
export function guardBook(
  invariant: string,
  objection: GuardBook["objection"],
  book: {
    readonly note?: (step: Step) => void;
    readonly done?: (act: Act) => void;
    /** Gives what the core ought to know after the step, and does not. */
    readonly end?: (step: Step) => readonly string[] | void;
    readonly restart?: (state: Step["state"]) => void;
  },
): GuardBook {
  return {
    invariant,
    objection,
    witness: (seen) => {
      if (seen.type === "restarted") book.restart?.(seen.state);
      if (seen.type !== "step") return [];
      book.note?.(seen);
      const found: string[] = [];
      for (const act of actsOf(seen)) {
        const problem = objection(act);
        if (problem !== undefined) found.push(`${nameAct(act)} was sent though ${problem}`);
        book.done?.(act);
      }
      const lost = book.end?.(seen) ?? [];
      return [
        ...found,
        ...lost.map(
          (what) => `${what}, after a ${seen.event.type} event at ${formatInstant(seen.stampedAt)}`,
        ),
      ];
    },
  };
}

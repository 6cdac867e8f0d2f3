import type { Kill, State } from "../../../core/state.ts";
import type { ActionName, Mode } from "../../../domain/action.ts";
import type { Hold, Silence } from "../../../domain/hold.ts";
import type { Rule } from "../../../domain/rule.ts";
import type { Policy } from "../../../domain/step.ts";
import { ruleText } from "../details/rule-text.ts";

/**
 * What was in force at an instant: the rules with their text, the config's ceiling on acting, and what people had
 * ordered.
 */
export type InForce = {
  readonly mode: Mode;
  readonly rules: readonly RuleInForce[];
  readonly silences: readonly Silence[];
  /** Left out by versions that did not record it, as the next. */
  readonly holds?: readonly Hold[];
  readonly kills?: readonly Kill[];
};

export type RuleInForce = Pick<Rule, "alert" | "group" | "file" | "line" | "kind" | "severity"> & {
  /** Left out if it judges all of them, and by versions that did not record it. */
  readonly aggregators?: readonly string[];
  readonly action?: ActionName | undefined;
  readonly mode?: Mode | undefined;
  /** As YAML; absent if the texts of all rules are too long. */
  readonly text?: string;
};

/** In characters, for the texts of all rules: the texts beyond that are not recorded. */
const LONGEST_TEXTS = 500_000;

export function inForceOf(
  { acting, rules }: Pick<Policy, "acting" | "rules">,
  { tables }: Pick<State, "tables">,
): InForce {
  let length = 0;
  return {
    mode: acting.mode,
    rules: [...rules.values()].map((rule) => {
      const { text, ...own } = ruleInForce(rule);
      length += text.length;
      return length > LONGEST_TEXTS ? own : { ...own, text };
    }),
    silences: [...tables.silence.values()],
    holds: [...tables.hold.values()],
    kills: [...tables.kill.values()],
  };
}

export function ruleInForce(rule: Rule): RuleInForce & { readonly text: string } {
  const { alert, group, file, line, kind, severity, aggregators, act } = rule;
  const { action, mode } = act ?? {};
  const own = { alert, group, file, line, kind, severity, action, mode, text: textOf(rule) };
  return aggregators === undefined ? own : { ...own, aggregators };
}

const texts = new WeakMap<Rule, string>();

/** A rule object never changes, so its text is made once. */
function textOf(rule: Rule): string {
  const text = texts.get(rule) ?? ruleText(rule);
  texts.set(rule, text);
  return text;
}

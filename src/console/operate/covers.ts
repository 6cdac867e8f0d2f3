import { html, type Markup } from "../element.ts";
import type { ScopeJson, RulesJson } from "../data/answers.ts";
import { useAnswer } from "../data/use-answer.ts";
import { counted } from "../text/words.ts";

export type Rule = RulesJson["rules"][number];

/** What a hold or a silence is for; parts that are left out do not narrow it. */
export type Scope = { readonly [Key in "aggregator" | "kind" | "id" | "rule"]?: string };

const NO_RULES: readonly Rule[] = [];

/** The rules in force, of which most have no alert now. */
export function useRules(): readonly Rule[] {
  const answer = useAnswer<RulesJson>("api/v1/rules", 0);
  return answer?.ok === true ? answer.value.rules : NO_RULES;
}

/** How much a scope covers now. If it covers nothing, that stands out, as it may be a spelling mistake. */
export function Covers({ scope }: { readonly scope: Scope }): Markup {
  const answer = useAnswer<ScopeJson>(`api/v1/scope?${new URLSearchParams(scope)}`);
  if (answer === undefined) return html`<span class="quiet">Loading …</span>`;
  if (!answer.ok) return html`<strong class="bad">${answer.problem}</strong>`;
  const { entities, alerts } = answer.value;
  if (entities + alerts === 0)
    return html`<strong class="bad">0 entities: nothing that is known now</strong>`;
  const all = Object.keys(scope).length === 0 && html`<strong>everything</strong>: `;
  const what = `${counted(entities, "entity", "entities")}, with ${counted(alerts, "alert")} pending or firing`;
  return html`<span>${all}${what}</span>`;
}

import { html, type Markup } from "../element.ts";
import type { Alerts, Entities, Rules } from "../data/answers.ts";
import { overview } from "../data/store.ts";
import { useAnswer, type Path } from "../data/use-answer.ts";
import { counted } from "../text/words.ts";
import { coveredBy, type Scope } from "./covered.ts";

export type Rule = Rules["rules"][number];

const RULES: Path<Rules> = "api/v1/rules";
const NO_RULES: readonly Rule[] = [];

/** The rules in force, of which most have no alert now. */
export function useRules(): readonly Rule[] {
  const answer = useAnswer(RULES, 0);
  return answer?.ok === true ? answer.value.rules : NO_RULES;
}

/** How much a scope covers now. If it covers nothing, that stands out, as it may be a spelling mistake. */
export function Covers({ scope }: { readonly scope: Scope }): Markup {
  const rules = useRules();
  const of = rules.find(({ alertname }) => alertname === scope.rule)?.kind;
  const named = useNamed(scope, of);
  const ofAll = useCounted(scope, of);
  const alerts = useAlerts(scope);
  // What a rule covers is unknown until the rules are loaded.
  const isKnown = scope.rule === undefined || rules !== NO_RULES;
  const all = scope.id === undefined ? ofAll : named;
  const count = isKnown ? all : undefined;
  if (count === undefined) return html`<span class="quiet">Loading …</span>`;
  if (count === 0) return html`<strong class="bad">0 entities: nothing that is known now</strong>`;
  const what = counted(count, "entity", "entities");
  if (scope.id !== undefined) return html`<span>${what} and what belongs to it</span>`;
  const isAll = Object.keys(scope).length === 0;
  return html`<span
    >${isAll ? html`<strong>everything</strong>: ` : ""}${what}${
      alerts !== undefined && `, with ${counted(alerts, "alert")} pending or firing`
    }</span
  >`;
}

/** How many entities it covers, if it names none; those that the overview does not count are asked for. */
function useCounted(scope: Scope, judged: string | undefined): number | undefined {
  const shown = overview.value;
  const count = shown && coveredBy(shown, scope, judged);
  const { aggregator, kind = judged, id } = scope;
  const path: Path<Entities> = `api/v1/entities?${queryOf({ aggregator, kind, limit: "1" })}`;
  const isAsked = id === undefined && shown !== undefined && count === undefined;
  const answer = useAnswer(isAsked ? path : undefined);
  return count ?? (answer?.ok === true ? answer.value.total : undefined);
}

/** How many alerts it covers, if it names no entity, to which others may belong. */
function useAlerts({ aggregator, kind, id, rule }: Scope): number | undefined {
  const given = { aggregator, kind, alertname: rule, state: "pending,firing", limit: "1" };
  const path: Path<Alerts> = `api/v1/alerts?${queryOf(given)}`;
  const answer = useAnswer(id === undefined ? path : undefined);
  return answer?.ok === true ? answer.value.total : undefined;
}

/** What is not said is not asked for. */
function queryOf(given: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const said = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(said);
}

const MOST_NAMED = 500;

/** How many entities have this id; undefined while that is not known. An id may be of several kinds. */
function useNamed(
  { aggregator, kind, id = "", rule }: Scope,
  judged: string | undefined,
): number | undefined {
  const given = { aggregator, kind: kind ?? judged, text: id, limit: String(MOST_NAMED) };
  const path: Path<Entities> = `api/v1/entities?${queryOf(given)}`;
  const answer = useAnswer(id === "" ? undefined : path);
  if (answer?.ok !== true) return undefined;
  const { entities, next } = answer.value;
  const count = entities.filter(
    (one) => one.id === id && (rule === undefined || one.kind === judged),
  ).length;
  // If there is more than one page, the number is not known.
  return count === 0 && next !== null ? undefined : count;
}

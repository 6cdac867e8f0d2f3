import { html, type Markup } from "../element.ts";
import type { Overview } from "../data/answers.ts";
import { overview } from "../data/store.ts";
import { counted } from "../text/words.ts";

/** What a hold or a silence is for; what is not said is not asked for. */
export type Scope = { readonly [Key in "aggregator" | "kind" | "id" | "rule"]?: string };

/** How many entities a scope covers now; none is said loudly, as such a hold may be a misspelt one. */
export function Covers({ scope }: { readonly scope: Scope }): Markup {
  const count = overview.value === undefined ? 0 : coveredBy(overview.value, scope);
  if (count === "one") return html`<span>1 entity and what belongs to it</span>`;
  if (count === 0) return html`<strong class="bad">0 entities: nothing that is known now</strong>`;
  const what = counted(count, "entity", "entities");
  const isAll = Object.keys(scope).length === 0;
  return html`<span>${isAll ? html`<strong>everything</strong>: ` : ""}${what}</span>`;
}

/** From the counts of the overview. */
export function coveredBy(
  { aggregators, alert_groups: groups }: Overview,
  scope: Scope,
): number | "one" {
  if (scope.id !== undefined) return "one";
  if (scope.rule !== undefined && scope.kind === undefined) {
    const own = groups.filter(({ alertname }) => alertname === scope.rule);
    return own.reduce((sum, { firing, pending }) => sum + firing + pending, 0);
  }
  return aggregators
    .filter(({ name }) => scope.aggregator === undefined || name === scope.aggregator)
    .flatMap(({ kinds }) => kinds)
    .filter(({ kind }) => scope.kind === undefined || kind === scope.kind)
    .reduce((sum, { total }) => sum + total, 0);
}

import { html, type Markup } from "../element.ts";
import type { Entities, Overview } from "../data/answers.ts";
import { overview } from "../data/store.ts";
import { useAnswer, type Path } from "../data/use-answer.ts";
import { counted } from "../text/words.ts";

/** What a hold or a silence is for; what is not said is not asked for. */
export type Scope = { readonly [Key in "aggregator" | "kind" | "id" | "rule"]?: string };

/** How many entities a scope covers now; none is said loudly, as such a hold may be a misspelt one. */
export function Covers({ scope }: { readonly scope: Scope }): Markup {
  const named = useNamed(scope);
  const count =
    scope.id !== undefined
      ? named
      : overview.value === undefined
        ? 0
        : coveredBy(overview.value, scope);
  if (count === undefined) return html`<span class="quiet">Loading …</span>`;
  if (count === 0) return html`<strong class="bad">0 entities: nothing that is known now</strong>`;
  const what = counted(count, "entity", "entities");
  if (scope.id !== undefined) return html`<span>${what} and what belongs to it</span>`;
  const isAll = Object.keys(scope).length === 0;
  return html`<span>${isAll ? html`<strong>everything</strong>: ` : ""}${what}</span>`;
}

const MOST_NAMED = 500;

/** How many entities have this id; undefined while that is not known. An id may be of several kinds. */
function useNamed({ aggregator, kind, id = "" }: Scope): number | undefined {
  const words = Object.entries({ aggregator, kind }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const query = new URLSearchParams([...words, ["text", id], ["limit", String(MOST_NAMED)]]);
  const path: Path<Entities> = `api/v1/entities?${query}`;
  const answer = useAnswer(id === "" ? undefined : path);
  if (answer?.ok !== true) return undefined;
  const { entities, next } = answer.value;
  const count = entities.filter((one) => one.id === id).length;
  // Of more than a page it is not known.
  return count === 0 && next !== null ? undefined : count;
}

/** Of a scope without an id, from the counts of the overview. */
function coveredBy({ aggregators, alert_groups: groups }: Overview, scope: Scope): number {
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

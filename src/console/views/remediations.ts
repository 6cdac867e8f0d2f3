import { html, type Markup } from "../element.ts";
import type { Overview } from "../data/answers.ts";
import { Ago, Badge, EntityLink, Quiet, Section } from "../parts/small.ts";
import { Table } from "../parts/table.ts";

/** What aggwatch did last. */
export function Remediations(properties: {
  readonly remediations: Overview["remediations"];
}): Markup {
  const { remediations } = properties;
  return html`<${Section} title="Remediations">
    ${
      remediations.length === 0
        ? html`<${Quiet}>None was sent.<//>`
        : html`<${Table}
            heads=${["Outcome", "Action", "Entity", "Rule", "Requested", "Detail"]}
            rows=${remediations.map(({ state, action, entity, rule, requested_at: at, detail }) => [
              html`<${Badge} word=${state} />`,
              action,
              html`<${EntityLink} entity=${entity} />`,
              rule,
              html`<${Ago} at=${at} />`,
              detail,
            ])}
          />`
    }
  <//>`;
}

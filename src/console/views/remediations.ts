import { html, type Markup } from "../element.ts";
import type { View } from "../address.ts";
import type { OverviewJson } from "../data/answers.ts";
import { linkTo } from "../data/store.ts";
import { Ago, Badge, EntityCell, Quiet, Section } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { alertHash } from "./alert-rows.ts";

/** What aggwatch did last; `of` is what the list of all is filtered by. */
export function Remediations(properties: {
  readonly remediations: OverviewJson["remediations"];
  readonly of?: View["filters"];
}): Markup {
  const { remediations, of } = properties;
  return html`<${Section}
    title="Remediations"
    aside=${remediations.length > 0 && html`<a href=${linkTo(["remediations"], of)}>All of them</a>`}
  >
    ${
      remediations.length === 0
        ? html`<${Quiet}>None was sent.<//>`
        : html`<${Table}
            heads=${["Outcome", "Action", "Entity", "Rule", "Requested", "Detail"]}
            rows=${remediations.map((one) => [
              html`<${Badge} word=${one.state} />`,
              one.action,
              html`<${EntityCell} entity=${one.entity} alias=${one.alias} />`,
              html`<a href=${alertHash({ alertname: one.rule, entity: one.entity })}
                >${one.rule}</a
              >`,
              html`<${Ago} at=${one.requested_at} />`,
              one.detail,
            ])}
          />`
    }
  <//>`;
}

import { html, type Markup } from "../element.ts";
import type { Remediation, RemediationsJson } from "../data/answers.ts";
import { FilteredList, type FilteredListOf } from "../parts/filtered-list.ts";
import { Choice, Word } from "../parts/filters.ts";
import type { Column } from "../parts/long-list.ts";
import { Ago, Badge, EntityCell } from "../parts/small.ts";
import { keyOf as entityKey } from "../text/words.ts";
import { alertHash } from "./alert-rows.ts";

const COLUMNS: readonly Column[] = [
  { head: "Outcome", width: "8rem" },
  { head: "Requested", width: "7rem" },
  { head: "Action", width: "11rem" },
  { head: "Entity", width: "minmax(10rem, 1fr)" },
  { head: "Alert", width: "minmax(8rem, 14rem)" },
  { head: "Approved by", width: "8rem", isLesser: true },
  { head: "Detail", width: "minmax(8rem, 2fr)", isLesser: true },
];

/** All that there are: the compiler names one that is missing. */
const STATES: Readonly<Record<Remediation["state"], true>> = {
  requested: true,
  acknowledged: true,
  in_doubt: true,
  verified: true,
  unverified: true,
  rejected: true,
};
const ACTIONS: Readonly<Record<Remediation["action"], true>> = {
  enable_exchange: true,
  enable_pair: true,
  force_cancel_order: true,
};

/** Everything that was sent, filtered by the address, the newest first. */
export function RemediationsView(): Markup {
  return html`<${FilteredList} list=${LIST} />`;
}

const LIST: FilteredListOf<RemediationsJson, Remediation> = {
  label: "Remediations",
  one: "remediation",
  path: "api/v1/remediations",
  query: { limit: "250" },
  filters: ["state", "action", "alertname", "entity", "kind", "aggregator", "text"],
  fieldsOf: ({ rows }) =>
    html`<${Choice} name="state" label="Outcome" choices=${Object.keys(STATES)} />
      <${Choice} name="action" label="Action" choices=${Object.keys(ACTIONS)} />
      <${Word}
        name="entity"
        label="Entity"
        example="exchange/BINANCE"
        choices=${rows.map(({ entity }) => entityKey(entity))}
      />`,
  columns: COLUMNS,
  rowsOf: ({ remediations }) => remediations,
  keyOf: ({ id }) => id,
  cellsOf,
};

function cellsOf(one: Remediation): readonly unknown[] {
  const { state, action, entity, alias, rule, detail } = one;
  return [
    html`<${Badge} word=${state} />`,
    html`<${Ago} at=${one.requested_at} />`,
    action,
    html`<${EntityCell} entity=${entity} alias=${alias} />`,
    html`<a href=${alertHash({ alertname: rule, entity })}>${rule}</a>`,
    one.approved_by ?? "",
    detail,
  ];
}

import { SEVERITIES } from "../../domain/shown/severity.ts";
import { html, type Markup } from "../element.ts";
import type { Alert, AlertsJson } from "../data/answers.ts";
import { FilteredList, type FilteredListOf } from "../parts/filtered-list.ts";
import { Choice } from "../parts/filters.ts";
import type { Column } from "../parts/long-list.ts";
import { Sentence } from "../parts/sentence.ts";
import { EntityLink, OnAggregator, Since } from "../parts/small.ts";
import { keyOf as entityKey } from "../text/words.ts";
import { AlertBadge, alertHash, alertText, resultText, stateSince } from "./alert-rows.ts";

const COLUMNS: readonly Column[] = [
  { head: "State", width: "10rem" },
  { head: "For", width: "5rem" },
  { head: "Alert", width: "minmax(8rem, 12rem)" },
  { head: "Entity", width: "minmax(14rem, 1.8fr)" },
  { head: "Says", width: "minmax(8rem, 2fr)" },
  { head: "What aggwatch did", width: "minmax(8rem, 1.5fr)", isLesser: true },
];

const STATES = ["firing", "pending", "resolved"];

/** All alerts, filtered by the address. */
export function AlertsView(): Markup {
  return html`<${FilteredList} list=${LIST} />`;
}

const LIST: FilteredListOf<AlertsJson, Alert> = {
  label: "Alerts",
  one: "alert",
  path: "api/v1/alerts",
  query: { limit: "250" },
  topic: "alerts",
  filters: ["alertname", "severity", "state", "kind", "aggregator", "suppressed", "text"],
  fieldsOf: ({ last }) => {
    const rules = [...new Set((last?.counts ?? []).map(({ alertname }) => alertname))];
    return html`<${Choice} name="state" label="State" choices=${STATES} />
      <${Choice} name="alertname" label="Rule" choices=${rules} />
      <${Choice} name="severity" label="Severity" choices=${SEVERITIES.toReversed()} />`;
  },
  columns: COLUMNS,
  rowsOf: ({ alerts }) => alerts,
  keyOf,
  cellsOf,
};

/** The key of an alert, as the daemon's messages name it. */
function keyOf({ alertname, entity }: Alert): string {
  return `${alertname}|${entityKey(entity)}`;
}

function cellsOf(alert: Alert): readonly unknown[] {
  const { alertname, entity, alias } = alert;
  return [
    html`<${AlertBadge} alert=${alert} /> <small>${alert.severity}</small>`,
    html`<${Since} at=${stateSince(alert)} />`,
    html`<a href=${alertHash(alert)}>${alertname}</a>`,
    html`<${EntityLink} entity=${entity} alias=${alias} /> <small>${entity.kind}</small
      ><${OnAggregator} entity=${entity} />`,
    alertText(alert),
    html`<${Sentence} text=${resultText(alert)} />`,
  ];
}

import { html, type Markup } from "../element.ts";
import type { Alert, Alerts } from "../data/answers.ts";
import { usePages } from "../data/pages.ts";
import { view } from "../data/store.ts";
import type { Path } from "../data/use-answer.ts";
import { Choice, FilterBar } from "../parts/filters.ts";
import { LongList, type Column } from "../parts/long-list.ts";
import { EntityLink, Since } from "../parts/small.ts";
import { counted, keyOf as entityKey } from "../text/words.ts";
import { AlertBadge, alertHash, resultText } from "./alert-rows.ts";

const COLUMNS: readonly Column[] = [
  { head: "State", width: "10rem" },
  { head: "For", width: "5rem" },
  { head: "Alert", width: "minmax(8rem, 12rem)" },
  { head: "Entity", width: "minmax(14rem, 1.8fr)" },
  { head: "Says", width: "minmax(8rem, 2fr)" },
  { head: "What aggwatch did", width: "minmax(8rem, 1.5fr)", isLesser: true },
];

const STATES = ["firing", "pending", "resolved"];
const FILTERS = ["alertname", "severity", "state", "kind", "aggregator", "suppressed", "text"];
const PAGE = 250;

/** All alerts, filtered by the address. */
export function AlertsView(): Markup {
  const { filters } = view.value;
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const name of FILTERS) if (filters[name] !== undefined) query.set(name, filters[name]);
  const path: Path<Alerts> = `api/v1/alerts?${query}`;
  const { last, rows, problem, more } = usePages({ path, topic: "alerts", rowsOf, keyOf });
  const total = last?.total ?? 0;
  const rules = [...new Set((last?.counts ?? []).map(({ alertname }) => alertname))];
  return html`<${FilterBar}
      label="Alerts"
      said=${last === undefined ? "" : counted(total, "alert")}
    >
      <${Choice} name="state" label="State" choices=${STATES} />
      <${Choice} name="alertname" label="Rule" choices=${rules} />
      <${Choice} name="severity" label="Severity" choices=${["critical", "warning", "info"]} />
    <//>
    ${problem !== undefined && html`<p class="banner">${problem}</p>`}
    <${LongList}
      label="Alerts"
      columns=${COLUMNS}
      rows=${rows}
      total=${total}
      more=${more}
      none=${last !== undefined && "No alert fits."}
      keyOf=${keyOf}
      cellsOf=${cellsOf}
    />`;
}

function rowsOf({ alerts }: Alerts): readonly Alert[] {
  return alerts;
}

/** The key of an alert, as the daemon's messages name it. */
function keyOf({ alertname, entity }: Alert): string {
  return `${alertname}|${entityKey(entity)}`;
}

function cellsOf(alert: Alert): readonly unknown[] {
  const { alertname, entity, alias, annotations } = alert;
  return [
    html`<${AlertBadge} alert=${alert} /> <small>${alert.severity}</small>`,
    html`<${Since} at=${alert.resolved_at ?? alert.fired_at ?? alert.active_at} />`,
    html`<a href=${alertHash(alert)}>${alertname}</a>`,
    html`<${EntityLink} entity=${entity} alias=${alias} /> <small>${entity.kind}</small>`,
    annotations["description"] ?? annotations["summary"] ?? "",
    resultText(alert),
  ];
}

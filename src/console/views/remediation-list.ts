import { html, type Markup } from "../element.ts";
import type { Remediation, Remediations } from "../data/answers.ts";
import { usePages } from "../data/pages.ts";
import { view } from "../data/store.ts";
import type { Path } from "../data/use-answer.ts";
import { Choice, FilterBar, Word } from "../parts/filters.ts";
import { LongList, type Column } from "../parts/long-list.ts";
import { Ago, Badge, EntityLink } from "../parts/small.ts";
import { counted, keyOf as entityKey } from "../text/words.ts";
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

const FILTERS = ["state", "action", "alertname", "entity", "kind", "aggregator", "text"];
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
const PAGE = 250;

/** Everything that was sent, filtered by the address, the newest first. */
export function RemediationsView(): Markup {
  const { filters } = view.value;
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const name of FILTERS) if (filters[name] !== undefined) query.set(name, filters[name]);
  const path: Path<Remediations> = `api/v1/remediations?${query}`;
  const { last, rows, problem, more } = usePages({ path, rowsOf, keyOf });
  const total = last?.total ?? 0;
  return html`<${FilterBar}
      label="Remediations"
      said=${last === undefined ? "" : counted(total, "remediation")}
    >
      <${Choice} name="state" label="Outcome" choices=${Object.keys(STATES)} />
      <${Choice} name="action" label="Action" choices=${Object.keys(ACTIONS)} />
      <${Word}
        name="entity"
        label="Entity"
        example="exchange/BINANCE"
        choices=${rows.map(({ entity }) => entityKey(entity))}
      />
    <//>
    ${problem !== undefined && html`<p class="banner">${problem}</p>`}
    <${LongList}
      label="Remediations"
      columns=${COLUMNS}
      rows=${rows}
      total=${total}
      more=${more}
      none=${last !== undefined && "No remediation fits."}
      keyOf=${keyOf}
      cellsOf=${cellsOf}
    />`;
}

function rowsOf({ remediations }: Remediations): readonly Remediation[] {
  return remediations;
}

function keyOf({ id }: Remediation): string {
  return id;
}

function cellsOf(one: Remediation): readonly unknown[] {
  const { state, action, entity, alias, rule, detail } = one;
  return [
    html`<${Badge} word=${state} />`,
    html`<${Ago} at=${one.requested_at} />`,
    action,
    html`<${EntityLink} entity=${entity} alias=${alias} />`,
    html`<a href=${alertHash({ alertname: rule, entity })}>${rule}</a>`,
    one.approved_by ?? "",
    detail,
  ];
}

import { html, type Markup } from "../element.ts";
import type { Remediation, Remediations } from "../data/answers.ts";
import { view } from "../data/store.ts";
import { useAnswer, type Path } from "../data/use-answer.ts";
import { Choice, FilterBar } from "../parts/filters.ts";
import { LongList, type Column } from "../parts/long-list.ts";
import { Ago, Badge, EntityLink } from "../parts/small.ts";
import { counted, grouped } from "../text/words.ts";
import { alertHash } from "./alert-rows.ts";

const COLUMNS: readonly Column[] = [
  { head: "Outcome", width: "8rem" },
  { head: "Requested", width: "7rem" },
  { head: "Action", width: "11rem" },
  { head: "Entity", width: "minmax(10rem, 1fr)" },
  { head: "Alert", width: "minmax(8rem, 14rem)" },
  { head: "Approved by", width: "8rem" },
  { head: "Detail", width: "minmax(8rem, 2fr)" },
];

const FILTERS = ["state", "action", "alertname", "kind", "aggregator", "text"];
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
/** The most that a page of the API has. */
const PAGE = 1_000;

/** Everything that was sent, filtered by the address, the newest first. */
export function RemediationsView(): Markup {
  const { filters } = view.value;
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const name of FILTERS) if (filters[name] !== undefined) query.set(name, filters[name]);
  const path: Path<Remediations> = `api/v1/remediations?${query}`;
  const answer = useAnswer(path);
  const { remediations = [], total = 0 } = answer?.ok === true ? answer.value : {};
  return html`<${FilterBar}
      label="Remediations"
      said=${answer?.ok === true ? counted(total, "remediation") : ""}
    >
      <${Choice} name="state" label="Outcome" choices=${Object.keys(STATES)} />
      <${Choice} name="action" label="Action" choices=${Object.keys(ACTIONS)} />
    <//>
    ${answer?.ok === false && html`<p class="banner">${answer.problem}</p>`}
    <${LongList}
      label="Remediations"
      columns=${COLUMNS}
      rows=${remediations}
      total=${remediations.length}
      more=${() => undefined}
      keyOf=${keyOf}
      cellsOf=${cellsOf}
    />
    ${
      total > remediations.length &&
      html`<p class="quiet">
        These are the newest ${grouped(remediations.length)}; filter to see older ones.
      </p>`
    }`;
}

function keyOf({ id }: Remediation): string {
  return id;
}

function cellsOf(one: Remediation): readonly unknown[] {
  const { state, action, entity, rule, detail } = one;
  return [
    html`<${Badge} word=${state} />`,
    html`<${Ago} at=${one.requested_at} />`,
    action,
    html`<${EntityLink} entity=${entity} />`,
    html`<a href=${alertHash({ alertname: rule, entity })}>${rule}</a>`,
    one.approved_by ?? "",
    detail,
  ];
}

import { useEffect, useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { linkTo } from "../data/store.ts";
import type { AlertGroup } from "../data/answers.ts";
import { Badge, Quiet, Since } from "../parts/small.ts";
import { counted, grouped } from "../text/words.ts";
import { AlertRows } from "./alert-rows.ts";

/** Alerts by rule, folded, as the API has them: the worst first. */
export function AlertGroups({ groups }: { readonly groups: readonly AlertGroup[] }): Markup {
  const open = groups.filter(({ firing, pending }) => firing + pending > 0);
  const over = groups.filter(({ firing, pending }) => firing + pending === 0);
  return html`${open.length === 0 && html`<${Quiet}>No alert is pending or firing.<//>`}
  ${open.map((group) => html`<${Group} key=${keyOf(group)} group=${group} />`)}
  ${
    over.length > 0 &&
    html`<${Fold}
      summary=${html`<span class="quiet"
        >Just resolved:
        ${counted(
          over.reduce((sum, { resolved }) => sum + resolved, 0),
          "alert",
        )}</span
      >`}
      >${() => over.map((group) => html`<${Group} key=${keyOf(group)} group=${group} />`)}<//
    >`
  }`;
}

function keyOf({ alertname, severity }: AlertGroup): string {
  return `${alertname}/${severity}`;
}

function Group({ group }: { readonly group: AlertGroup }): Markup {
  const { alertname, severity, firing, pending, resolved, unknown, since, summary } = group;
  const { muted, silenced } = group;
  const state = firing > 0 ? "firing" : pending > 0 ? "pending" : "resolved";
  const words = [
    ...(firing > 0 ? [`${grouped(firing)} firing`] : []),
    ...(pending > 0 ? [`${grouped(pending)} pending`] : []),
    ...(resolved > 0 ? [`${grouped(resolved)} just resolved`] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} not sure now`] : []),
    ...(muted > 0 ? [`${grouped(muted)} muted`] : []),
    ...(silenced > 0 ? [`${grouped(silenced)} silenced`] : []),
  ];
  return html`<${Fold}
    tone=${`${state} ${severity}`}
    summary=${html`<${Badge} word=${state} tone=${`${state} ${severity}`} />
      <b class="rule">${alertname}</b>
      <span class="counts">${words.join(" · ")}</span>
      <span class="quiet">${severity}, for <${Since} at=${since} /></span>
      <span class="summary">${summary}</span>`}
    >${() => html`<${GroupBody} group=${group} />`}<//
  >`;
}

function GroupBody({ group }: { readonly group: AlertGroup }): Markup {
  const { alertname, severity, suppressed, runbook } = group;
  return html`<div class="groupbody">
    <p class="quiet">
      ${
        suppressed.length > 0 &&
        html`Not acted on:
        ${suppressed.map(({ reason, alerts }) => `${reason} ${grouped(alerts)}`).join(", ")}. `
      }
      <a href=${linkTo(["alerts"], { alertname, severity })}>All of them</a>${
        runbook !== null &&
        html` · <a href=${runbook.includes("/") ? runbook : `./runbooks/${runbook}`}>Runbook</a>`
      }
    </p>
    <${AlertRows} filters=${{ alertname, severity }} most=${10} />
  </div>`;
}

/** Shows its inside only once it is open, so that what is folded costs nothing. */
export function Fold(properties: {
  readonly summary: Markup;
  readonly tone?: string;
  /** At first, and from when it becomes so: what a person opens or closes stays as it is. */
  readonly isOpen?: boolean;
  readonly children: () => unknown;
}): Markup {
  const { summary, tone = "", children } = properties;
  const isWanted = properties.isOpen ?? false;
  const [isOpen, setOpen] = useState(isWanted);
  useEffect(() => {
    if (isWanted) setOpen(true);
  }, [isWanted]);
  return html`<details
    class=${`fold ${tone}`}
    open=${isOpen}
    onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
  >
    <summary>${summary}</summary>
    ${isOpen && children()}
  </details>`;
}

import { html, type Markup } from "../element.ts";
import type { Alert, Entity, EntityJson } from "../data/answers.ts";
import { linkTo, overview, view } from "../data/store.ts";
import { useAnswer } from "../data/use-answer.ts";
import { OperateButton } from "../operate/buttons.ts";
import { override, unquarantine, watch, WATCHED } from "../operate/operations.ts";
import { FactValue } from "../parts/facts.ts";
import { Ago, Badge, EntityLink, Quiet, Section, Since } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { spansOf } from "../text/markdown.ts";
import { keyOf, nameOf } from "../text/words.ts";
import { Fold } from "./alert-groups.ts";
import { AlertBadge, alertHash, alertText } from "./alert-rows.ts";
import { EntityHistoryView } from "./entity-history.ts";
import { History } from "./history.ts";
import { Remediations } from "./remediations.ts";
import { shownSpan } from "./runbook.ts";
import { Why } from "./why.ts";

/** The page of one entity: its facts now, its alerts, and why aggwatch acts on it or does not. */
export function EntityView(): Markup {
  const [, aggregator = "", kind = "", id = ""] = view.value.path;
  const parts = [aggregator, kind, id].map(encodeURIComponent);
  const path = `api/v1/entities/${parts.join("/")}`;
  const answer = useAnswer<EntityJson>(path);
  if (answer === undefined) return html`<${Quiet}>Loading …<//>`;
  if (!answer.ok)
    return html`<h2>${id}</h2>
      <${Quiet}>${answer.problem}<//>`;
  const { entity, facts, alerts, rules, remediations, history } = answer.value;
  return html`<${Head} entity=${entity} />
    <${Section} title="Alerts" count=${alerts.length}>
      ${alerts.length === 0 && html`<${Quiet}>None, and none was resolved lately.<//>`}
      ${alerts.map((alert) => html`<${AlertLine} key=${alert.alertname} alert=${alert} />`)}
    <//>
    <${EntityHistoryView} path=${path} firstSeen=${entity.first_seen} />
    <${Section} title="Facts">
      <${Table}
        heads=${["Fact", "Value", "Means"]}
        rows=${facts.map(({ name, value, means }) => [
          name,
          value === null ? html`<i>not known</i>` : html`<${FactValue} value=${value} isWhole />`,
          html`<small>${spansOf(means ?? "").map(shownSpan)}</small>`,
        ])}
      />
    <//>
    <${Section} title="Rules" count=${rules.length}>
      ${rules.map((rule) => html`<${Judged} key=${rule.rule} judged=${rule} />`)}
    <//>
    ${
      remediations.length > 0 &&
      html`<${Remediations} remediations=${remediations} of=${{ entity: keyOf(entity) }} />`
    }
    <${History} history=${history} ofEntity />`;
}

function AlertLine({ alert }: { readonly alert: Alert }): Markup {
  const { alertname, severity } = alert;
  return html`<p class="card">
    <${AlertBadge} alert=${alert} /> <a href=${alertHash(alert)}><b>${alertname}</b></a>
    <span class="quiet">${severity}</span>
    ${alertText(alert)}
  </p>`;
}

/** What a rule says of it, and why; what is wrong is open at once. */
function Judged({ judged }: { readonly judged: EntityJson["rules"][number] }): Markup {
  const { rule, explanation, sentences } = judged;
  const truth = explanation.condition?.truth ?? "unknown";
  return html`<${Fold}
    isOpen=${truth === "bad"}
    tone=${truth === "bad" ? "firing" : ""}
    summary=${html`<${Badge} word=${truth} /> <b>${rule}</b>
      <code class="quiet">${explanation.condition?.source}</code>`}
    >${() => html`<div><${Why} explanation=${explanation} sentences=${sentences} /></div>`}<//
  >`;
}

function Head({ entity }: { readonly entity: Entity }): Markup {
  const { aggregator, kind, id, parent, condition, status, since, facts } = entity;
  const key = keyOf(entity);
  const quarantine = overview.value?.quarantines.find((one) => one.entity === key);
  const scope = { aggregator, kind, id };
  return html`<div class="pagehead">
    <div>
      <p class="quiet">
        <a href=${linkTo(["entities"], { aggregator, kind })}>${kind}</a> on
        ${aggregator}${
          parent !== null && html`, of <${EntityLink} entity=${{ aggregator, ...parent }} />`
        }
      </p>
      <h2>${nameOf(id, facts)}</h2>
      ${nameOf(id, facts) !== id && html`<p><code>${id}</code></p>`}
      <p>
        <${Badge} word=${condition} /> ${status ?? "seen"}, for <${Since} at=${since} />; first seen
        <${Ago} at=${entity.first_seen} />${
          entity.unknown_since !== null &&
          html`; <b>not seen for <${Since} at=${entity.unknown_since} /></b>: its alerts stand still`
        }
      </p>
      ${
        quarantine !== undefined &&
        html`<p><b>Quarantine</b> for <${Since} at=${quarantine.since} />: ${quarantine.reason}</p>`
      }
    </div>
    <p class="buttons">
      <${OperateButton} operation=${() => override("hold", scope)}>Hold<//>
      <${OperateButton} operation=${() => override("silence", scope)}>Silence<//>
      ${
        quarantine !== undefined &&
        html`<${OperateButton} operation=${() => unquarantine(key)}>End quarantine<//>`
      }
      ${
        WATCHED.includes(kind) &&
        html`<${OperateButton} operation=${() => watch("unwatch", entity)}>Watch no longer<//>`
      }
    </p>
  </div>`;
}

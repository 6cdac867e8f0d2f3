import { html, type Markup } from "../element.ts";
import { hashOf } from "../address.ts";
import type { Alerts, Entities, Entity } from "../data/answers.ts";
import { overview, view } from "../data/store.ts";
import { useAnswer, type Path } from "../data/use-answer.ts";
import { OperateButton } from "../operate/buttons.ts";
import { ask } from "../operate/operation.ts";
import { override, unquarantine, watch } from "../operate/operations.ts";
import { FactValue } from "../parts/facts.ts";
import { Ago, Badge, EntityLink, Quiet, Section, Since } from "../parts/small.ts";
import { Table } from "../parts/table.ts";
import { keyOf, nameOf } from "../text/words.ts";
import { AlertBadge, alertHash } from "./alert-rows.ts";
import { Why } from "./why.ts";

/** The page of one entity: its facts now, its alerts, and why aggwatch acts on it or does not. */
export function EntityView(): Markup {
  const [, aggregator = "", kind = "", id = ""] = view.value.path;
  const name = { aggregator, kind, id };
  const query = new URLSearchParams({ aggregator, kind, text: id, limit: "50" });
  const path: Path<Entities> = `api/v1/entities?${query}`;
  const answer = useAnswer(path);
  if (answer === undefined) return html`<${Quiet}>Loading …<//>`;
  if (!answer.ok) return html`<p class="banner">${answer.problem}</p>`;
  const entity = answer.value.entities.find((one) => keyOf(one) === keyOf(name));
  if (entity === undefined)
    return html`<h2>${id}</h2>
      <${Quiet}>There is no such ${kind} on ${aggregator} now.<//>`;
  return html`<${Head} entity=${entity} />
    <${Section} title="Facts">
      <${Table}
        heads=${["Fact", "Value"]}
        rows=${Object.entries(entity.facts).map(([fact, value]) => [
          fact,
          html`<${FactValue} value=${value} isWhole />`,
        ])}
      />
    <//>
    <${AlertsOf} entity=${entity} />`;
}

const WATCHED = new Set(["sender", "liquidation", "order", "pool"]);

function Head({ entity }: { readonly entity: Entity }): Markup {
  const { aggregator, kind, id, parent, condition, status, since, facts } = entity;
  const key = keyOf(entity);
  const quarantine = overview.value?.quarantines.find((one) => one.entity === key);
  const scope = { aggregator, kind, id };
  return html`<div class="pagehead">
    <div>
      <p class="quiet">
        <a href=${hashOf(["entities"], { aggregator, kind })}>${kind}</a> on
        ${aggregator}${
          parent !== null && html`, of <${EntityLink} entity=${{ aggregator, ...parent }} />`
        }
      </p>
      <h2>${nameOf(id, facts)}</h2>
      <p><code>${id}</code></p>
      <p>
        <${Badge} word=${condition} /> ${status ?? "seen"}, since <${Ago} at=${since} />; first seen
        <${Ago} at=${entity.first_seen} />${
          entity.unknown_since !== null &&
          html`; <b>not seen for <${Since} at=${entity.unknown_since} /></b>: its alerts stand still`
        }
      </p>
      ${
        quarantine !== undefined &&
        html`<p><b>Quarantine</b> since <${Ago} at=${quarantine.since} />: ${quarantine.reason}</p>`
      }
    </div>
    <p class="buttons">
      <${OperateButton} needs="operate" onPress=${() => ask(override("hold", scope))}>Hold<//>
      <${OperateButton} needs="operate" onPress=${() => ask(override("silence", scope))}>Silence<//>
      ${
        quarantine !== undefined &&
        html`<${OperateButton} needs="operate" onPress=${() => ask(unquarantine(key))}
          >End quarantine<//
        >`
      }
      ${
        WATCHED.has(kind) &&
        html`<${OperateButton} needs="operate" onPress=${() => ask(watch("unwatch", entity))}
          >Watch no longer<//
        >`
      }
    </p>
  </div>`;
}

/** Each alert of it, with the reasons. */
function AlertsOf({ entity }: { readonly entity: Entity }): Markup {
  const { aggregator, kind, id } = entity;
  const query = new URLSearchParams({ aggregator, entity: `${kind}/${id}`, limit: "50" });
  const path: Path<Alerts> = `api/v1/alerts?${query}`;
  const answer = useAnswer(path);
  const alerts = answer?.ok === true ? answer.value.alerts : [];
  return html`<${Section} title="Alerts" count=${alerts.length}>
    ${answer?.ok === true && alerts.length === 0 && html`<${Quiet}>None, and none was resolved lately.<//>`}
    ${alerts.map(
      (alert) =>
        html`<article class="card" key=${alert.alertname}>
          <p>
            <${AlertBadge} alert=${alert} />
            <a href=${alertHash(alert)}><b>${alert.alertname}</b></a
            >${" "} <span class="quiet">${alert.severity}</span>${" "}
            ${alert.annotations["description"] ?? alert.annotations["summary"] ?? ""}
          </p>
          <${Why} rule=${alert.alertname} entity=${entity} />
        </article>`,
    )}
  <//>`;
}

import { html } from "hono/html";
import type { EntityId } from "../../domain/entity.ts";
import { entityKey } from "../../domain/entity.ts";
import type { AlertStatus, Status } from "../../core/explain/status.ts";
import { ago, leftOut, section, table, type Markup } from "./parts.ts";
import { length, severityRank } from "./verdict.ts";

const MOST_ALERTS = 200;
const MOST_RESOLVED = 50;

const STATES = ["firing", "pending", "resolved"];

/** What is wrong now: what fires before what is pending, the most severe first, then the newest. */
export function alertSection(status: Status): Markup {
  const alerts = status.alerts
    .filter(({ state }) => state !== "resolved")
    .toSorted(
      (one, other) =>
        STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
        severityRank(one.severity) - severityRank(other.severity) ||
        other.startedAt - one.startedAt,
    );
  if (alerts.length === 0)
    return section("Alerts", html`<p class="quiet">No alert is pending or firing.</p>`);
  return section(
    "Alerts",
    html`${table(
      ["State", "Since", "Alert", "Entity", "Said then", "What aggwatch did"],
      alerts
        .slice(0, MOST_ALERTS)
        .map((alert) => [
          html`<span class="badge ${alert.state} ${alert.severity}">${alert.state}</span>`,
          ago(status.at, alert.firedAt ?? alert.activeAt),
          html`${alert.rule}<br /><small>${alert.severity}</small>`,
          entityCell(status, alert.entity),
          saysOf(alert),
          deedsOf(status, alert),
        ]),
    )}
    ${leftOut(alerts.length, MOST_ALERTS)}`,
  );
}

/** What was wrong a while ago; its text is of when it fired, so it is kept apart. */
export function resolvedSection(status: Status): Markup {
  const alerts = status.alerts
    .filter(({ state }) => state === "resolved")
    .toSorted((one, other) => (other.resolvedAt ?? 0) - (one.resolvedAt ?? 0));
  if (alerts.length === 0) return html``;
  return section(
    "Just resolved",
    html`${table(
      ["State", "Resolved", "Alert", "Entity", "Said when it fired", "What aggwatch did"],
      alerts
        .slice(0, MOST_RESOLVED)
        .map((alert) => [
          html`<span class="badge resolved">resolved</span>`,
          ago(status.at, alert.resolvedAt ?? alert.activeAt),
          alert.rule,
          entityCell(status, alert.entity),
          saysOf(alert),
          deedsOf(status, alert),
        ]),
    )}
    ${leftOut(alerts.length, MOST_RESOLVED)}`,
  );
}

/** An entity by the name that people gave it; the whole key shows up under the pointer. */
export function entityCell(status: Status, entity: EntityId): Markup {
  const { aggregator, kind, id } = entity;
  const own = status.aggregators.find(({ name }) => name === aggregator);
  const all = kind === "poller" ? own?.pollers : own?.entities;
  const facts = all?.find((one) => one.kind === kind && one.id === id)?.facts;
  const name = String(facts?.["name"] ?? facts?.["alias"] ?? id);
  return html`<span class="name" title="${entityKey(entity)}">${name}</span>
    <small>${kind} on ${aggregator}</small>`;
}

function saysOf({ annotations }: AlertStatus): string {
  return annotations["description"] ?? annotations["summary"] ?? "";
}

/** What was done, what came of it, and why not more: each is said, as none makes up for another. */
function deedsOf(status: Status, alert: AlertStatus): string {
  const parts: string[] = [];
  const last = status.remediations.find(
    ({ alert: key, alertStartedAt }) => key === alert.key && alertStartedAt === alert.startedAt,
  );
  if (last !== undefined)
    parts.push(`${last.action}: ${last.state}, sent ${ago(status.at, last.requestedAt)}`);
  else if (alert.attempts > 0) parts.push(`sent ${alert.attempts}x`);
  if (alert.attempts > 1) parts.push(`${alert.attempts} attempts`);
  if (alert.state !== "resolved") parts.push(...reasonsNot(status, alert));
  return parts.length === 0 ? "nothing" : parts.join("; ");
}

function reasonsNot(status: Status, alert: AlertStatus): string[] {
  const parts: string[] = [];
  const { unknownSince, suppressed, inhibitedBy } = alert;
  if (unknownSince !== undefined)
    parts.push(`not seen for ${length(status.at - unknownSince)}: stands still, not resolved`);
  if (suppressed !== undefined)
    parts.push(`held back (${suppressed.reason}): ${suppressed.detail}`);
  if (inhibitedBy.length > 0) parts.push(`muted by ${inhibitedBy.join(", ")}`);
  return parts;
}

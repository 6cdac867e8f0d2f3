import { html } from "hono/html";
import type { EntityId } from "../../domain/entity.ts";
import { entityKey } from "../../domain/entity.ts";
import { severityRank } from "../../domain/shown/severity.ts";
import type { AlertStatus } from "../../core/explain/alert-status.ts";
import type { Status } from "../../core/explain/status.ts";
import {
  ago,
  heldText,
  withClocks,
  leftOut,
  mutedTexts,
  nameOf,
  section,
  table,
  unknownText,
  type Markup,
} from "./parts.ts";
import { runbookHref } from "./runbook.ts";

const MOST_ALERTS = 200;
const MOST_RESOLVED = 50;

const STATES = ["firing", "pending", "resolved"];

/** Present alerts: firing before pending, the most severe first, then the newest. */
export function alertSection(status: Status): Markup {
  const alerts = status.alerts
    .filter(({ state }) => state !== "resolved")
    .toSorted(
      (one, other) =>
        STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
        severityRank(other.severity) - severityRank(one.severity) ||
        other.startedAt - one.startedAt,
    );
  if (alerts.length === 0)
    return section("Alerts", html`<p class="quiet">No alert is pending or firing.</p>`);
  const heads = ["State", "Since", "Alert", "Entity", "Said then", "What aggwatch did"];
  return section(
    "Alerts",
    alertTable(status, heads, alerts, MOST_ALERTS, (alert) => [
      html`<span class="badge ${alert.state} ${alert.severity}">${alert.state}</span>`,
      ago(status.at, alert.firedAt ?? alert.activeAt),
      html`${ruleCell(alert)}<br /><small>${alert.severity}</small>`,
    ]),
  );
}

/** Alerts that resolved lately, kept apart because their text is from when they fired. */
export function resolvedSection(status: Status): Markup {
  const alerts = status.alerts
    .filter(({ state }) => state === "resolved")
    .toSorted((one, other) => (other.resolvedAt ?? 0) - (one.resolvedAt ?? 0));
  if (alerts.length === 0) return html``;
  const heads = ["State", "Resolved", "Alert", "Entity", "Said when it fired", "What aggwatch did"];
  return section(
    "Just resolved",
    alertTable(status, heads, alerts, MOST_RESOLVED, (alert) => [
      html`<span class="badge resolved">resolved</span>`,
      ago(status.at, alert.resolvedAt ?? alert.activeAt),
      ruleCell(alert),
    ]),
  );
}

/** The rule, as a link to its runbook if there is one. */
function ruleCell({ rule, annotations }: AlertStatus): Markup {
  const runbook = runbookHref(annotations);
  return runbook === undefined ? html`${rule}` : html`<a href="${runbook}">${rule}</a>`;
}

/** The first `most` alerts: for each the cells of its table, then the common ones. */
function alertTable(
  status: Status,
  heads: readonly string[],
  alerts: readonly AlertStatus[],
  most: number,
  cellsOf: (alert: AlertStatus) => ReadonlyArray<Markup | string>,
): Markup {
  const rows = alerts
    .slice(0, most)
    .map((alert) => [
      ...cellsOf(alert),
      entityCell(status, alert.entity),
      alert.annotations["description"] ?? alert.annotations["summary"] ?? "",
      resultsOf(status, alert),
    ]);
  return html`${table(heads, rows)} ${leftOut(alerts.length, most)}`;
}

/** An entity by its name, with the whole key as its tooltip. */
export function entityCell(status: Status, entity: EntityId): Markup {
  const { aggregator, kind, id } = entity;
  const own = status.aggregators.find(({ name }) => name === aggregator);
  const all = kind === "poller" ? own?.pollers : own?.entities;
  const facts = all?.find((one) => one.kind === kind && one.id === id)?.facts;
  return html`<span class="name" title="${entityKey(entity)}">${nameOf(entity, facts)}</span>
    <small>${kind} on ${aggregator}</small>`;
}

/** The action that was sent, its outcome, and why no more is sent: all three, because none implies another. */
function resultsOf(status: Status, alert: AlertStatus): string {
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
  const { suppressed } = alert;
  const unknown = unknownText(alert, status.at);
  if (unknown !== undefined) parts.push(`${unknown}: stands still, not resolved`);
  if (suppressed !== undefined)
    parts.push(`held back (${heldText(suppressed, status.at)}): ${withClocks(suppressed.detail)}`);
  return [...parts, ...mutedTexts(alert)];
}

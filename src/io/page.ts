import { html, raw } from "hono/html";
import { entityKey } from "../domain/entity.ts";
import { formatDuration, formatInstant } from "../domain/time.ts";
import type { AlertStatus, Status } from "../core/status.ts";
import { aggregatorSection } from "./page-entities.ts";
import { ago, leftOut, section, table, type Markup } from "./page-parts.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { ServerSource } from "./server-source.ts";

/**
 * Characters that show nothing, or change how what follows is shown: controls, and those that turn
 * the direction of writing. An aggregator's text must not make the page say something else.
 */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

type PageSource = Pick<ServerSource, "status" | "version" | "unhealthy">;

/** The page `/`: what a person needs at 3 a.m., worst first. It is made anew every few seconds. */
export async function renderPage(source: PageSource): Promise<string> {
  const page = await pageOf(source.status(), source.version, source.unhealthy());
  return page.toString().replace(INVISIBLE, "\ufffd");
}

function pageOf(status: Status, version: string, problems: readonly string[]): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="refresh" content="5" />
        <title>${titleOf(status)}</title>
        <style>
          ${raw(PAGE_STYLE)}
        </style>
      </head>
      <body>
        <header>
          <h1>aggwatch</h1>
          <p>
            <span class="badge ${status.mode}">actions: ${status.mode}</span>
            <span>${formatInstant(status.at)}</span>
            <span>up for ${formatDuration(status.at - status.startedAt)}</span>
            <span>version ${version}</span>
          </p>
        </header>
        ${problems.map((problem) => html`<p class="banner">${problem}</p>`)}
        ${status.killed.map(
          (kill) =>
            html`<p class="banner">
              No action is sent: the kill switch is on (${kill.source}, by ${kill.by}) since
              ${formatInstant(kill.since)}: ${kill.reason}
            </p>`,
        )}
        ${alertSection(status)} ${proposalSection(status)} ${remediationSection(status)}
        ${status.aggregators.map((aggregator) => aggregatorSection(status, aggregator))}
        <footer>
          <a href="/metrics">/metrics</a> <a href="/api/v1/status">/api/v1/status</a>
          <a href="/healthz">/healthz</a> <a href="/readyz">/readyz</a>
        </footer>
      </body>
    </html>`;
}

function titleOf(status: Status): string {
  const firing = status.alerts.filter((alert) => alert.state === "firing").length;
  return firing === 0 ? "aggwatch" : `(${firing}) aggwatch`;
}

const STATE_ORDER = { firing: 0, pending: 1, resolved: 2 } as const;

const MOST_ALERTS = 200;

function alertSection(status: Status): Markup {
  const alerts = status.alerts.toSorted(
    (one, other) =>
      STATE_ORDER[one.state] - STATE_ORDER[other.state] || other.startedAt - one.startedAt,
  );
  const body =
    alerts.length === 0
      ? html`<p class="quiet">No alert is pending, firing or just resolved.</p>`
      : html`${table(
          ["State", "Alert", "Entity", "Says", "Since", "Remediation"],
          alerts
            .slice(0, MOST_ALERTS)
            .map((alert) => [
              html`<span class="badge ${alert.state} ${alert.severity}">${alert.state}</span>`,
              html`${alert.rule}<br /><small>${alert.severity}</small>`,
              entityKey(alert.entity),
              alert.annotations["description"] ?? alert.annotations["summary"] ?? "",
              ago(status.at, alert.resolvedAt ?? alert.firedAt ?? alert.activeAt),
              remediationOf(alert),
            ]),
        )}
        ${leftOut(alerts.length, MOST_ALERTS)}`;
  return section("Alerts", body);
}

function remediationOf(alert: AlertStatus): string {
  if (alert.unknownSince !== undefined) return "stands still: nothing sure is known";
  if (alert.inhibitedBy.length > 0) return `muted by ${alert.inhibitedBy.join(", ")}`;
  if (alert.suppressed !== undefined) {
    return `held back (${alert.suppressed.reason}): ${alert.suppressed.detail}`;
  }
  return alert.attempts === 0 ? "" : `sent ${alert.attempts}x`;
}

function proposalSection(status: Status): Markup {
  if (status.proposals.length === 0) return html``;
  return section(
    "Waiting for a person",
    table(
      ["Proposal", "Action", "Entity", "Rule", "Proposed", "Expires"],
      status.proposals.map((proposal) => [
        proposal.denial === undefined ? proposal.id : `${proposal.id} (denied)`,
        proposal.action,
        entityKey(proposal.entity),
        proposal.rule,
        ago(status.at, proposal.proposedAt),
        formatInstant(proposal.expiresAt),
      ]),
    ),
  );
}

const MOST_REMEDIATIONS = 50;

function remediationSection(status: Status): Markup {
  if (status.remediations.length === 0) {
    return section("Remediations", html`<p class="quiet">None was sent.</p>`);
  }
  return section(
    "Remediations",
    html`${table(
      ["Outcome", "Action", "Entity", "Rule", "Requested", "Detail"],
      status.remediations
        .slice(0, MOST_REMEDIATIONS)
        .map((one) => [
          html`<span class="badge ${one.state}">${one.state}</span>`,
          one.action,
          entityKey(one.entity),
          one.rule,
          ago(status.at, one.requestedAt),
          one.detail,
        ]),
    )}
    ${leftOut(status.remediations.length, MOST_REMEDIATIONS)}`,
  );
}

import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { entityKey } from "../domain/entity.ts";
import { formatDuration, formatInstant, type Instant } from "../domain/time.ts";
import type { AlertStatus, EntityStatus, Status } from "../core/status.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { ServerSource } from "./server-source.ts";

type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The page `/`: what a person needs at 3 a.m., worst first. It is made anew every few seconds. */
export function renderPage(source: Pick<ServerSource, "status" | "version" | "unhealthy">): Markup {
  const status = source.status();
  const problems = source.unhealthy();
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
            <span>version ${source.version}</span>
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

function alertSection(status: Status): Markup {
  const alerts = status.alerts.toSorted(
    (one, other) =>
      STATE_ORDER[one.state] - STATE_ORDER[other.state] || other.startedAt - one.startedAt,
  );
  const body =
    alerts.length === 0
      ? html`<p class="quiet">No alert is pending, firing or just resolved.</p>`
      : table(
          ["State", "Alert", "Entity", "Says", "Since", "Remediation"],
          alerts.map((alert) => [
            html`<span class="badge ${alert.state} ${alert.severity}">${alert.state}</span>`,
            html`${alert.rule}<br /><small>${alert.severity}</small>`,
            entityKey(alert.entity),
            alert.annotations["description"] ?? alert.annotations["summary"] ?? "",
            ago(status.at, alert.resolvedAt ?? alert.firedAt ?? alert.activeAt),
            remediationOf(alert),
          ]),
        );
  return section(`Alerts`, body);
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
    table(
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
    ),
  );
}

/** A page that a browser can still show, however much is watched. */
const MOST_ENTITIES = 500;

function aggregatorSection(status: Status, aggregator: Status["aggregators"][number]): Markup {
  const shown = aggregator.entities.slice(0, MOST_ENTITIES);
  const left = aggregator.entities.length - shown.length;
  return section(
    `Aggregator ${aggregator.name}`,
    html`${pollerTable(status, aggregator.pollers)}
    ${[...Map.groupBy(shown, (entity) => entity.kind)].map(([kind, entities]) =>
      entityTable(status.at, kind, entities),
    )}
    ${left > 0 ? html`<p class="quiet">… and ${left} more, in /api/v1/status</p>` : ""}`,
  );
}

function pollerTable(status: Status, pollers: readonly EntityStatus[]): Markup {
  return table(
    ["Poller", "Up", "Last read", "Surfaces", "Last failure"],
    pollers.map(({ id, facts }) => [
      id,
      facts["up"] === undefined
        ? html`<span class="badge unknown">not yet</span>`
        : facts["up"] === true && facts["stale"] !== true
          ? html`<span class="badge verified">up</span>`
          : html`<span class="badge firing">${facts["stale"] === true ? "stale" : "down"}</span>`,
      typeof facts["last_success"] === "number" ? ago(status.at, facts["last_success"]) : "never",
      surfacesOf(facts),
      String(facts["error"] ?? ""),
    ]),
  );
}

function surfacesOf(facts: EntityStatus["facts"]): string {
  if (facts["surfaces"] === undefined) return "";
  const failing = Number(facts["failing_surfaces"]);
  return failing > 0 ? `${failing} of ${facts["surfaces"]} failing` : String(facts["surfaces"]);
}

/** Shown in columns of their own, or of no use to a reader. */
const LEFT_OUT: ReadonlySet<string> = new Set(["status", "name"]);

function entityTable(at: Instant, kind: string, entities: readonly EntityStatus[]): Markup {
  return table(
    [kind, "Status", "Since", "Facts"],
    entities.map((entity) => [
      String(entity.facts["name"] ?? entity.facts["alias"] ?? entity.id),
      entity.unknownSince === undefined
        ? html`<span class="status ${String(entity.facts["status"] ?? "")}"
            >${String(entity.facts["status"] ?? "seen")}</span
          >`
        : html`<span class="badge unknown">unknown</span>`,
      ago(at, entity.since),
      html`<small>${factsOf(at, entity)}</small>`,
    ]),
  );
}

function factsOf(at: Instant, { facts }: EntityStatus): string {
  return Object.entries(facts)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => {
      const isInstant = ["created", "updated", "expires"].includes(name);
      return `${name} ${isInstant && typeof value === "number" ? ago(at, value) : String(value)}`;
    })
    .join(" · ");
}

function ago(at: Instant, then: Instant): string {
  return then > at ? `in ${formatDuration(then - at)}` : `${formatDuration(at - then)} ago`;
}

function section(title: string, body: Markup): Markup {
  return html`<section>
    <h2>${title}</h2>
    ${body}
  </section>`;
}

function table(
  heads: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<Markup | string>>,
): Markup {
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

import { html, raw } from "hono/html";
import type { Status } from "../../core/explain/status.ts";
import { actingWord } from "../../domain/shown/acting.ts";
import { unmasked } from "../../domain/shown/lookalike.ts";
import { actingBanners, proposalSection, overrideSection } from "./acting.ts";
import { alertSection, entityCell, resolvedSection } from "./alerts.ts";
import { aggregatorSection } from "./entities.ts";
import { channelBanners, channelSection } from "./channels.ts";
import { ago, clock, leftOut, length, section, table, type Markup } from "./parts.ts";
import { PAGE_STYLE } from "./style.ts";
import { silencedOf, verdictOf } from "./verdict.ts";
import { watchSection } from "./watch-lists.ts";
import { createTimeSlice, inSlices } from "../process/time-slice.ts";
import type { ServerSource } from "../api/server-source.ts";

/**
 * Characters that are invisible, or change how the text after them is shown: controls, and marks of the
 * writing direction. An aggregator's text must not make the page say something else.
 */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

type PageSource = Pick<
  ServerSource,
  "status" | "version" | "unhealthy" | "notices" | "replica" | "watched" | "gate"
>;

/** The path of the page. */
export const PLAIN_PATH = "/plain";

/**
 * The plain page, for browsers without script and for terminals: what a person needs at 3 a.m., worst first. The
 * console shows the same and more. It is rendered again every few seconds.
 */
export async function renderPage(source: PageSource): Promise<string> {
  const status = await inSlices(source.status(), createTimeSlice());
  const page = await pageOf(source, status);
  return shownTexts(page.toString().replace(INVISIBLE, "\ufffd"));
}

/** Unmasks the text between the tags, which people read, and not the tags. */
function shownTexts(page: string): string {
  return page.replaceAll(/<[^>]*>|[^<]+/g, (part) =>
    part.startsWith("<") ? part : unmasked(part),
  );
}

function pageOf({ version, ...source }: PageSource, status: Status): Markup {
  const problems = source.unhealthy();
  const mode = actingWord(status);
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
            <span class="badge ${mode}">actions: ${mode}</span>
            <span>${clock(status.at)}</span>
            <span>up for ${length(status.at - status.startedAt)}</span>
            <span>version ${version}</span>
          </p>
        </header>
        ${verdictSection(status, problems)}
        ${source.replica === undefined ? "" : html`<p>${source.replica()}</p>`}
        ${[...problems, ...source.notices()].map((text) => banner(text))}
        ${status.killed.map(({ source, since, reason }) =>
          banner(
            `No action is sent: the kill switch is on (${source}) since ${clock(since)}: ${reason}`,
          ),
        )}
        ${actingBanners(status).map(({ text, isCalm }) => banner(text, isCalm))}
        ${channelBanners(status).map((text) => banner(text))} ${alertSection(status)}
        ${proposalSection(status, source.gate.isEnabled())} ${overrideSection(status)}
        ${remediationSection(status)} ${resolvedSection(status)} ${channelSection(status)}
        ${status.aggregators.map((aggregator) => aggregatorSection(status, aggregator))}
        ${watchSection(source.watched())}
        <footer>
          <a href="/">the console</a> <a href="/metrics">/metrics</a>
          <a href="/api/v1/status">/api/v1/status</a> <a href="/healthz">/healthz</a>
          <a href="/readyz">/readyz</a>
        </footer>
      </body>
    </html>`;
}

function banner(text: string, isCalm = false): Markup {
  return html`<p class="${isCalm ? "banner calm" : "banner"}">${text}</p>`;
}

function verdictSection(status: Status, problems: readonly string[]): Markup {
  const { tone, headline, lines } = verdictOf(
    {
      ...status,
      pollers: status.aggregators.flatMap((own) => own.pollers),
      silenced: silencedOf(status.alerts),
    },
    problems,
  );
  return html`<div class="verdict ${tone}">
    <strong>${headline}</strong>
    ${lines.map((line) => html`<span>${line}</span>`)}
  </div>`;
}

function titleOf(status: Status): string {
  const firing = status.alerts.filter((alert) => alert.state === "firing").length;
  return firing === 0 ? "aggwatch" : `(${firing}) aggwatch`;
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
          entityCell(status, one.entity),
          one.rule,
          ago(status.at, one.requestedAt),
          one.detail,
        ]),
    )}
    ${leftOut(status.remediations.length, MOST_REMEDIATIONS)}`,
  );
}

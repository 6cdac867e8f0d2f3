import { html, raw } from "hono/html";
import { unmasked } from "../../domain/shown/lookalike.ts";
import { section, table, type Markup } from "../page/parts.ts";
import { drawChart, drawTimeline, legendOf } from "./drawing.ts";
import type { Chart, Report, ReportTable } from "./report.ts";

/** One HTML file for reading offline: it loads nothing and has no script. */
export async function renderReport(report: Report): Promise<string> {
  const { title, verdict, basis, timeline, charts, tables } = report;
  const [sum = "", ...more] = verdict;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${basis.map((line) => html`<p class="basis">${line}</p>`)}
        ${section("Verdict", verdictOf(sum, more))}
        ${timeline === undefined ? "" : section(timeline.title, wide(drawTimeline(timeline)))}
        ${charts.map((chart) => section(chart.title, chartOf(chart)))}
        ${tables.map((one) => section(one.title, tableOf(one)))}
      </body>
    </html>`;
  // Names come from an aggregator, and must not look like others.
  return unmasked((await page).toString());
}

function verdictOf(sum: string, more: readonly string[]): Markup {
  return html`<p class="sum">${sum}</p>
    <ul>
      ${more.map((line) => html`<li>${line}</li>`)}
    </ul>`;
}

function chartOf(chart: Chart): Markup {
  if (chart.bars.length === 0) return html`<p>none</p>`;
  return html`${wide(drawChart(chart))}${legendOf(chart)}`;
}

/** No browser opens a file with a hundred thousand rows. */
const MOST_ROWS = 2_000;

function tableOf({ heads, rows }: ReportTable): Markup {
  if (rows.length === 0) return html`<p>none</p>`;
  const left = rows.length - MOST_ROWS;
  return html`${wide(table(heads, rows.slice(0, MOST_ROWS)))}
  ${left > 0 ? html`<p>and ${left} more</p>` : ""}`;
}

/** Content that scrolls by itself on a narrow screen. */
function wide(content: Markup): Markup {
  return html`<div class="wide" tabindex="0">${content}</div>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #6a737d; --line: #d0d7de; --paper: #fff;
  --bad: #c93c37; --warn: #b7791f; --good: #2f855a; --quiet: #8b949e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --line: #30363d; --paper: #0d1117;
  --bad: #f47067; --warn: #daaa3f; --good: #57ab5a; --quiet: #768390; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.basis { color: var(--soft); margin: 0; } .sum { font-size: 1.15rem; font-weight: 600; }
.wide { overflow-x: auto; } .wide svg { min-width: 42rem; } p, li { overflow-wrap: anywhere; } table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
svg { width: 100%; height: auto; } .legend { font-size: 12px; color: var(--soft); } .legend svg { width: 10px; } text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.tick { fill: var(--soft); } .grid { stroke: var(--line); }
.bad { fill: var(--bad); } .warn { fill: var(--warn); } .good { fill: var(--good); } .quiet { fill: var(--quiet); }
`;

import { html, raw } from "hono/html";
import { readdirSync, readFileSync } from "node:fs";
import { runbookOf, runbookPath } from "../../domain/runbook.ts";
import { shippedFile } from "../process/own-files.ts";
import type { Markup } from "./parts.ts";
import { PAGE_STYLE } from "./style.ts";

const FOLDER = shippedFile("docs/runbooks/");

/** The names of the runbooks that come with aggwatch. */
const NAMES: ReadonlySet<string> = new Set(
  readdirSync(FOLDER).map((file) => file.replace(/\.md$/, "")),
);

/** The link from the page to the runbook of an alert; undefined if there is none. */
export function runbookHref(annotations: Readonly<Record<string, string>>): string | undefined {
  const runbook = runbookOf(annotations);
  if (runbook === undefined) return undefined;
  if ("url" in runbook) return runbook.url;
  return NAMES.has(runbook.name) ? runbookPath(runbook.name) : undefined;
}

/** A shipped runbook, in Markdown; undefined if there is none of this name. */
export function runbookText(name: string): string | undefined {
  return NAMES.has(name) ? readFileSync(new URL(`${name}.md`, FOLDER), "utf8") : undefined;
}

/** A runbook as a page: its Markdown as it is written, with its links to others. */
export function renderRunbook(name: string, text: string): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${name} · runbook</title>
        <style>
          ${raw(PAGE_STYLE)}
        </style>
      </head>
      <body>
        <p><a href="/">aggwatch</a></p>
        <pre class="runbook">${linked(text)}</pre>
      </body>
    </html>`;
}

const LINK = /\[([^\]]+)\]\(([A-Za-z0-9_-]+)\.md\)/g;

function linked(text: string): Markup[] {
  const parts: Markup[] = [];
  let end = 0;
  for (const { 0: whole, 1: words, 2: name = "", index } of text.matchAll(LINK)) {
    parts.push(html`${text.slice(end, index)}<a href="${runbookPath(name)}">${words}</a>`);
    end = index + whole.length;
  }
  return [...parts, html`${text.slice(end)}`];
}

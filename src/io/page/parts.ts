import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { formatDuration, formatInstant, SECOND, type Instant } from "../../domain/time.ts";

/** What the page is made of. Every text that goes into `html` is escaped by it. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** In whole seconds, as nobody reads milliseconds on a page. */
export function ago(at: Instant, then: Instant): string {
  const length = formatDuration(Math.floor(Math.abs(then - at) / SECOND) * SECOND);
  return then > at ? `in ${length}` : `${length} ago`;
}

/** An instant as a person reads it. */
export function clock(at: Instant): string {
  return `${formatInstant(at).slice(0, 19).replace("T", " ")} UTC`;
}

export function section(title: string, body: Markup): Markup {
  return html`<section id="${title.toLowerCase().replaceAll(" ", "-")}">
    <h2>${title}</h2>
    ${body}
  </section>`;
}

export function table(
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
            ${cells.map((cell, index) => html`<td data-head="${heads[index] ?? ""}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Says how many rows a table leaves out, so that nobody takes a part for the whole. */
export function leftOut(all: number, shown: number): Markup {
  if (all <= shown) return html``;
  return html`<p class="quiet">… and ${all - shown} more, in /api/v1/status</p>`;
}

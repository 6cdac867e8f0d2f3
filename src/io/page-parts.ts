import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { formatDuration, type Instant } from "../domain/time.ts";

/** What the page is made of. Every text that goes into `html` is escaped by it. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

export function ago(at: Instant, then: Instant): string {
  return then > at ? `in ${formatDuration(then - at)}` : `${formatDuration(at - then)} ago`;
}

export function section(title: string, body: Markup): Markup {
  return html`<section>
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
            ${cells.map((cell) => html`<td>${cell}</td>`)}
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

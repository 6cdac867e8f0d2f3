import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";
import { grouped } from "../text/words.ts";

/** A short table; on a narrow screen each row is a block in which every cell names its head. */
export function Table(properties: {
  readonly heads: readonly string[];
  readonly rows: ReadonlyArray<readonly ComponentChildren[]>;
  /** If these are the newest of so many. */
  readonly all?: number;
}): Markup {
  const { heads, rows, all = rows.length } = properties;
  return html`<table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, index) => html`<td data-head=${heads[index]}>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${
      all > rows.length &&
      html`<p class="quiet">The newest ${grouped(rows.length)} of ${grouped(all)} are shown.</p>`
    }`;
}

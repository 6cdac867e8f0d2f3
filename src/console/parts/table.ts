import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";

/** A short table; on a narrow screen each row is a block in which every cell names its head. */
export function Table(properties: {
  readonly heads: readonly string[];
  readonly rows: ReadonlyArray<readonly ComponentChildren[]>;
}): Markup {
  const { heads, rows } = properties;
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
  </table>`;
}

import { html, type Markup } from "../element.ts";
import { valueOf } from "../parts/filters.ts";
import type { Field, Given } from "./operation.ts";

/** What the fields hold at first. */
export function initialOf(fields: readonly Field[]): Given {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

/** One thing that the dialog asks for: a field to write into, or a choice. */
export function FieldInput(properties: {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}): Markup {
  const { field, value, onValue } = properties;
  const id = `operation-${field.name}`;
  const set = (event: Event): void => onValue(valueOf(event));
  const choices = typeof field.choices === "function" ? field.choices() : field.choices;
  const input =
    choices === undefined
      ? html`<input
          id=${id}
          value=${value}
          required=${field.isRequired}
          autocomplete="off"
          spellcheck="false"
          onInput=${set}
        />`
      : html`<select id=${id} value=${value} onChange=${set}>
          ${choices.map((choice) => html`<option value=${choice}>${choice || "any"}</option>`)}
        </select>`;
  return html`<label for=${id}>${field.label}</label> ${input}
    ${field.hint !== undefined && html`<small>${field.hint}</small>`}`;
}

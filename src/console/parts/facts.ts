import { html, type Markup } from "../element.ts";
import { isInstant } from "../text/time.ts";
import { shortened, type Facts } from "../text/words.ts";
import { Ago } from "./small.ts";

/** Facts in one line; an instant among them as how long ago it was. */
export function FactList(properties: {
  readonly facts: Facts;
  /** The id of the entity: a fact that only repeats it is left out. */
  readonly id?: string;
}): Markup {
  const { facts, id } = properties;
  const others = Object.entries(facts).filter(([, value]) => value !== id);
  return html`<span class="factlist"
    >${others.map(
      ([name, value]) => html`<span><i>${name}</i> <${FactValue} value=${value} /></span> `,
    )}</span
  >`;
}

export function FactValue(properties: {
  readonly value: unknown;
  /** However long it is. */
  readonly isWhole?: boolean;
}): Markup {
  const { value, isWhole = false } = properties;
  if (isInstant(value)) return html`<${Ago} at=${value} />`;
  const text = String(value);
  return html`<span title=${text}>${isWhole ? text : shortened(text, 60)}</span>`;
}

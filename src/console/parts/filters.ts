import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { filtered, viewOf } from "../address.ts";
import { linkTo, view } from "../data/store.ts";

/** The filters of a list. They stand in the address, so that what is shown is a link. */
export function FilterBar(properties: {
  readonly label: string;
  /** How many were found. */
  readonly said: string;
  readonly children?: ComponentChildren;
}): Markup {
  const { label, said, children } = properties;
  const { path, filters } = view.value;
  return html`<form class="filters" aria-label=${`Filters of ${label}`} onSubmit=${stay}>
    <h2>${label}</h2>
    <label
      >Text
      <input
        type="search"
        value=${filters["text"] ?? ""}
        onInput=${(event: Event) => change("text", valueOf(event))}
      />
    </label>
    ${children}
    ${Object.keys(filters).some((name) => name !== "at") && html`<a href=${linkTo(path)}>Clear</a>`}
    <output role="status">${said}</output>
  </form>`;
}

function stay(event: Event): void {
  event.preventDefault();
}

export function Choice(properties: {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly string[];
}): Markup {
  const { name, label, choices } = properties;
  const chosen = view.value.filters[name] ?? "";
  const all = chosen === "" || choices.includes(chosen) ? choices : [...choices, chosen];
  return html`<label
    >${label}
    <select value=${chosen} onChange=${(event: Event) => change(name, valueOf(event))}>
      <option value="">any</option>
      ${all.map((choice) => html`<option value=${choice}>${choice}</option>`)}
    </select>
  </label>`;
}

/** A word that is asked for once it is whole: what is typed so far would be refused. */
export function Word(properties: {
  readonly name: string;
  readonly label: string;
  /** What it looks like. */
  readonly example: string;
  readonly choices: readonly string[];
}): Markup {
  const { name, label, example, choices } = properties;
  const list = `${name}-choices`;
  const given = view.value.filters[name] ?? "";
  // What is being typed must survive a drawing that comes meanwhile.
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  return html`<label
    >${label}
    <input
      type="search"
      list=${list}
      placeholder=${example}
      value=${typed}
      onInput=${(event: Event) => setTyped(valueOf(event))}
      onChange=${(event: Event) => change(name, valueOf(event).trim())}
    />
    <datalist id=${list}>
      ${[...new Set(choices)].map((choice) => html`<option value=${choice}></option>`)}
    </datalist>
  </label>`;
}

/** Without an entry of the history for each letter that is typed. */
function change(name: string, value: string): void {
  const hash = filtered(view.value, { [name]: value });
  location.replace(hash);
  // The browser says so later; whatever is drawn before must not take back what was typed.
  view.value = viewOf(hash);
}

/** What is in the field that an event is of. */
export function valueOf({ currentTarget }: Event): string {
  return (currentTarget as HTMLInputElement | HTMLSelectElement).value;
}

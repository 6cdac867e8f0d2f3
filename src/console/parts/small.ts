import type { ComponentChildren } from "preact";
import { html, type Markup } from "../element.ts";
import { aggregators, chooseZone, clock, linkTo, now, zone } from "../data/store.ts";
import { agoText, clockText, lengthText } from "../text/time.ts";
import { keyOf, nameOf, shortened, type EntityName, type Facts } from "../text/words.ts";

/** Small things that every view is made of. */

/** How long ago an instant is, ticking; the instant itself is its tooltip. */
export function Ago({ at }: { readonly at: string }): Markup {
  return html`<time datetime=${at} title=${clockText(Date.parse(at), zone.value)}
    >${agoText(at, now.value)}</time
  >`;
}

/** How long something lasts already, ticking. */
export function Since({ at }: { readonly at: string }): Markup {
  return html`<time datetime=${at} title=${clockText(Date.parse(at), zone.value)}
    >${lengthText(now.value - Date.parse(at))}</time
  >`;
}

/** An instant on the clock, in the zone that the reader chose; the other one is its tooltip. */
export function Clock({ at }: { readonly at: string | number }): Markup {
  const instant = typeof at === "number" ? at : Date.parse(at);
  const other = zone.value === "UTC" ? "local" : "UTC";
  return html`<time datetime=${new Date(instant).toISOString()} title=${clockText(instant, other)}
    >${clockText(instant, zone.value)}</time
  >`;
}

/** The time now; pressing it changes between local time and UTC. */
export function ClockButton(): Markup {
  const other = zone.value === "UTC" ? "local" : "UTC";
  const shown = clockText(clock.value, zone.value);
  return html`<button
    type="button"
    class="plain"
    title=${`Show ${other === "UTC" ? "UTC" : "local time"}`}
    onClick=${() => chooseZone(other)}
  >
    <span class="date">${shown.slice(0, 11)}</span>${shown.slice(11)}
  </button>`;
}

/** A word with a colour and a shape of its own, so that it can be recognised without colours, too. */
export function Badge({ word, tone = word }: { word: string; tone?: string }): Markup {
  return html`<span class=${`badge ${tone}`}>${word}</span>`;
}

/** A part of a view under a heading. */
export function Section(properties: {
  readonly title: string;
  readonly count?: number;
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}): Markup {
  const { title, count, aside, children } = properties;
  const id = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return html`<section aria-labelledby=${id}>
    <div class="head">
      <h2 id=${id}>
        ${title}${count === undefined ? "" : html` <span class="count">${count}</span>`}
      </h2>
      ${aside}
    </div>
    ${children}
  </section>`;
}

/** An entity by the name that people gave it, as a link to its own page; the tooltip is its whole key. */
export function EntityLink(properties: {
  readonly entity: EntityName;
  readonly facts?: Facts | undefined;
  /** If the facts are not at hand; null and undefined: it has none. */
  readonly alias?: string | null | undefined;
}): Markup {
  const { entity, facts, alias } = properties;
  const { aggregator, kind, id } = entity;
  return html`<a
    class="entity"
    href=${linkTo(["entity", aggregator, kind, id])}
    title=${keyOf(entity)}
    >${shortened(alias ?? nameOf(id, facts), 40)}</a
  >`;
}

/** An entity in a row; if several aggregators are watched, with its own, as an id may be on all of them. */
export function EntityCell(properties: Parameters<typeof EntityLink>[0]): Markup {
  return html`<${EntityLink} ...${properties} /><${OnAggregator} entity=${properties.entity} />`;
}

/** On which aggregator it is, if that is not plain. */
export function OnAggregator({ entity }: { readonly entity: EntityName }): Markup | undefined {
  return aggregators.value.length > 1 ? html`<small> on ${entity.aggregator}</small>` : undefined;
}

/** What must be noticed; beside it, what can be done about it. */
export function Banner(properties: {
  readonly tone?: string;
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}): Markup {
  const { tone = "bad", aside, children } = properties;
  return html`<div class=${`banner ${tone}`}>
    <span>${children}</span>
    ${aside}
  </div>`;
}

/** Terms with their texts; those whose text is false are left out. */
export function Terms({ terms }: { readonly terms: readonly Term[] }): Markup {
  return html`<dl class="facts">
    ${terms
      .filter(([, text]) => text !== false)
      .map(
        ([term, text]) =>
          html`<dt>${term}</dt>
            <dd>${text}</dd>`,
      )}
  </dl>`;
}
export type Term = readonly [term: string, text: ComponentChildren];

/** Text of little weight, such as that there is nothing to show. */
export function Quiet({ children }: { readonly children?: ComponentChildren }): Markup {
  return html`<p class="quiet">${children}</p>`;
}

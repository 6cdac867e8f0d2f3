import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { AlertStatus } from "../../core/explain/alert-status.ts";
import type { Status } from "../../core/explain/status.ts";
import type { MutedBy } from "../../core/tell/muted-by.ts";
import type { Suppression } from "../../domain/alert.ts";
import { isTimestamp, type EntityId, type Facts } from "../../domain/entity.ts";
import { isOfThen } from "../../domain/shown/suppression.ts";
import {
  formatDuration,
  formatInstant,
  parseInstant,
  SECOND,
  type Instant,
  type Millis,
} from "../../domain/time.ts";

/** A piece of the page. `html` escapes every text that it is given. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A duration in whole seconds: a page needs no milliseconds. */
export function length(milliseconds: Millis): string {
  return formatDuration(Math.floor(milliseconds / SECOND) * SECOND);
}

/** How long before or after `at` an instant is. */
export function ago(at: Instant, then: Instant): string {
  return then > at ? `in ${length(then - at)}` : `${length(at - then)} ago`;
}

/** An instant for people. */
export function clock(at: Instant): string {
  return `${formatInstant(at).slice(0, 19).replace("T", " ")} UTC`;
}

/** A sentence of aggwatch's, its instants as `clock` writes them. */
export function withClocks(text: string): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (found) => {
    const at = parseInstant(found);
    return at === undefined ? found : clock(at);
  });
}

/** That an alert's condition is unknown, for how long, and why; undefined if it is known. */
export function unknownText(
  {
    unknownSince,
    unknownBecause,
  }: Pick<AlertStatus, "unknownBecause"> & {
    readonly unknownSince?: Instant | undefined;
  },
  at: Instant,
): string | undefined {
  if (unknownSince === undefined) return undefined;
  const because = unknownBecause === undefined ? "" : ` (${unknownBecause})`;
  return `unknown for ${length(at - unknownSince)}${because}`;
}

/** Why no action is sent, and of when that is if it was true only then. */
export function heldText(suppression: Suppression, at: Instant): string {
  const { reason, since } = suppression;
  if (!isOfThen(suppression)) return reason;
  const [day, ...time] = clock(since).split(" ");
  const isToday = clock(at).startsWith(`${day} `);
  return `${reason}, as of ${isToday ? time.join(" ") : clock(since)}`;
}

/** What mutes an alert's notifications, a text for each kind of it. */
export function mutedTexts({ inhibitedBy, silencedBy, silencedUntil }: MutedBy): string[] {
  const inhibited = inhibitedBy.length === 0 ? [] : [`muted by ${inhibitedBy.join(", ")}`];
  if (silencedUntil === undefined) return inhibited;
  return [...inhibited, `silenced by ${silencedBy.join(", ")} until ${clock(silencedUntil)}`];
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

/** Says how many rows a table leaves out. */
export function leftOut(all: number, shown: number): Markup {
  if (all <= shown) return html``;
  return html`<p class="quiet">… and ${all - shown} more, in /api/v1/status</p>`;
}

/** An entity by the name that people gave it. */
export function nameOf({ id }: Pick<EntityId, "id">, facts: Facts | undefined): string {
  return String(facts?.["name"] ?? facts?.["alias"] ?? id);
}

/** Facts in one line; an instant reads as its age. */
export function factsText({ at, kinds }: Status, kind: string, facts: Facts): string {
  return Object.entries(facts)
    .map(([name, value]) => {
      const isInstant = isTimestamp(kinds.get(kind), name) && typeof value === "number";
      return `${name} ${isInstant ? ago(at, value) : String(value)}`;
    })
    .join(" · ");
}

import htm from "htm";
import { h, type ComponentChild, type VNode } from "preact";
import { readable } from "../domain/shown/lookalike.ts";
import { shownProperties } from "./text/shown.ts";

/** What a component renders to. */
export type Markup = VNode;

type Write = (parts: TemplateStringsArray, ...values: readonly unknown[]) => Markup;

const write = (htm as unknown as { bind(create: typeof element): Write }).bind(element);

/** The library knows a template by this array, so each is made once. */
const spaced = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/**
 * Writes elements as HTML: html`<p>${text}</p>`. Every text is shown as it is, never as markup, and what would steer
 * or mislead a reader is made visible. A line break is a space, as in HTML; the library alone would drop it.
 */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  let own = spaced.get(parts);
  if (own === undefined) {
    own = parts.map((part) => part.replaceAll(/\s*\n\s*/g, " ")) as unknown as TemplateStringsArray;
    spaced.set(parts, own);
  }
  return write(own, ...values);
}

function element(
  type: string,
  properties: Record<string, unknown> | null,
  ...children: ComponentChild[]
): VNode {
  const safe = children.map(shownChild);
  return h(type, properties && shownProperties(properties), ...safe);
}

function shownChild(child: ComponentChild): ComponentChild {
  if (typeof child === "string") return readable(child);
  return Array.isArray(child) ? (child as ComponentChild[]).map(shownChild) : child;
}

import htm from "htm";
import { h, type ComponentChild, type VNode } from "preact";
import { shown } from "./text/shown.ts";

/** What a component renders to. */
export type Markup = VNode;

/**
 * Writes elements as HTML: html`<p>${text}</p>`. Every text is shown as it is, never as markup, and what would steer
 * or mislead a reader is made visible.
 */
export const html: Write = (htm as unknown as { bind(create: typeof element): Write }).bind(
  element,
);

type Write = (parts: TemplateStringsArray, ...values: readonly unknown[]) => Markup;

function element(
  type: string,
  properties: Record<string, unknown> | null,
  ...children: ComponentChild[]
): VNode {
  const safe = children.map(shownChild);
  if (typeof properties?.["title"] !== "string") return h(type, properties, ...safe);
  return h(type, { ...properties, title: shown(properties["title"]) }, ...safe);
}

function shownChild(child: ComponentChild): ComponentChild {
  if (typeof child === "string") return shown(child);
  return Array.isArray(child) ? (child as ComponentChild[]).map(shownChild) : child;
}

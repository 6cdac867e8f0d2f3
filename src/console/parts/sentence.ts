import type { Markup } from "../element.ts";
import { html } from "../element.ts";
import { splitByInstants } from "../text/time.ts";
import { Clock } from "./small.ts";

/** A sentence of aggwatch's, its instants in the zone that the reader chose. */
export function Sentence({ text }: { readonly text: string | null }): Markup | undefined {
  if (text === null) return undefined;
  const parts = splitByInstants(text).map((part) =>
    typeof part === "string" ? part : html`<${Clock} at=${part.at} />`,
  );
  return html`<span>${parts}</span>`;
}

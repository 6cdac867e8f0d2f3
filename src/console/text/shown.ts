import { readable } from "../../domain/shown/lookalike.ts";

/** Properties of an element that people read, or hear. */
const TEXTS = ["title", "aria-label", "aria-valuetext", "placeholder"];

/** The same properties, with what would steer or mislead a reader made visible. */
export function shownProperties(properties: Record<string, unknown>): Record<string, unknown> {
  const texts = TEXTS.filter((name) => typeof properties[name] === "string");
  if (texts.length === 0) return properties;
  const shown = texts.map((name) => [name, readable(properties[name] as string)]);
  return { ...properties, ...Object.fromEntries(shown) };
}

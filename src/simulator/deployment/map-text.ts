import type { Deployment } from "./deployment.ts";
import { nameIn, PAGE } from "./encode.ts";
import type { Fields, Listing, Shape } from "./shapes.ts";

/**
 * JSONata that turns a deployment's reply into the usual one: the reverse of `encode.ts`, by the same shapes. It names
 * each field that it reads, so that an absent field stays absent, and it fails if a listing is missing.
 */

/** Undefined if the decoders can read the reply: it is as usual, or differs only in, say, numbers as texts. */
export function mapText(deployment: Deployment, shape: Shape): string | undefined {
  const { listings, wrapper } = deployment;
  const isPaged = listings === "paged" && isListing(shape);
  const around = [...(wrapper === undefined ? [] : [wrapper]), ...(isPaged ? [PAGE.items] : [])];
  const place = around.map((name) => nameIn(deployment, name)).join(".");
  const isSame = !differs(deployment, shape);
  if (place === "" && isSame) return undefined;
  if (isListing(shape)) return listingText(deployment, shape, place === "" ? "$" : place);
  if (isSame) return place;
  const made = fieldsText(deployment, shape as Fields, "");
  return place === "" ? made : `${place}.${made}`;
}

function isListing(shape: Shape): shape is Listing {
  return typeof shape === "object" && "each" in shape;
}

/** Whether the decoders need a map for this shape. Units and the case of statuses need none. */
function differs(deployment: Deployment, shape: Shape): boolean {
  if (typeof shape === "string") return false;
  if ("each" in shape) return deployment.listings === "keyed" || differs(deployment, shape.each);
  return Object.entries(shape.fields).some(
    ([name, own]) => nameIn(deployment, name) !== name || differs(deployment, own),
  );
}

function listingText(deployment: Deployment, { each, by }: Listing, at: string): string {
  const made = deployment.listings === "keyed" ? keyed() : listed();
  if (at === "$") return made;
  return `$exists(${at}) ? ${made} : $error("there is no ${at}")`;

  function listed(): string {
    if (each === "text" || !differs(deployment, each)) return `[${at}]`;
    return `[${at}.${fieldsText(deployment, each, "")}]`;
  }

  function keyed(): string {
    if (each === "text") return `[$keys(${at})]`;
    return `[${filedText(deployment, each, by, at, {})}${by.length > 1 ? ".$" : ""}]`;
  }
}

/** `keys`: the fields that are keys, each with the variable that holds it. */
function filedText(
  deployment: Deployment,
  each: Fields,
  by: readonly string[],
  at: string,
  keys: Readonly<Record<string, string>>,
): string {
  const [field = "", ...others] = by;
  const variable = `$${field}`;
  const known = { ...keys, [field]: variable };
  const entry = others.length === 0 ? "$entry" : `$of_${field}`;
  const made =
    others.length === 0
      ? fieldsText(deployment, each, "$entry.", known)
      : filedText(deployment, each, others, entry, known);
  return `$each(${at}, function(${entry}, ${variable}) { ${made} })`;
}

function fieldsText(
  deployment: Deployment,
  { fields }: Fields,
  before: string,
  keys: Readonly<Record<string, string>> = {},
): string {
  const made = Object.entries(fields)
    .filter(([, shape]) => shape !== "any")
    .map(([name, shape]) => {
      const from = keys[name] ?? `${before}${nameIn(deployment, name)}`;
      return `"${name}": ${valueText(deployment, shape, from)}`;
    });
  return `{ ${made.join(", ")} }`;
}

function valueText(deployment: Deployment, shape: Shape, from: string): string {
  if (isListing(shape)) return listingText(deployment, shape, from);
  if (typeof shape === "object")
    return differs(deployment, shape) ? fieldsText(deployment, shape, `${from}.`) : from;
  return from;
}

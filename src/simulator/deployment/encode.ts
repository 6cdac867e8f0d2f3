import type { Json } from "../../domain/result.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Deployment } from "./deployment.ts";
import type { Listing, Shape } from "./shapes.ts";

/** Turns a usual reply into a deployment's. `map-text.ts` does the reverse. */

/** The keys of a page, and its size in entries, which no argument changes. */
export const PAGE = { items: "items", next: "nextCursor", size: 5 } as const;
/** The value of each key in a keyed listing of texts. */
const LISTED = true;

type Source = { readonly [key: string]: Json };

export function nameIn({ naming }: Pick<Deployment, "naming">, name: string): string {
  if (naming === "pascal") return name.replace(/^./, (first) => first.toUpperCase());
  if (naming === "snake") return name.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`);
  return name;
}

/** Encodes a whole reply: its entries, the requested page of them, and the wrapper. */
export function encodeReply(
  deployment: Deployment,
  shape: Shape,
  body: Json,
  cursor: string | undefined,
): Json {
  const { listings, wrapper } = deployment;
  const said = encode(deployment, shape, body);
  const paged = listings === "paged" && Array.isArray(said);
  const shown = paged ? pageOf(deployment, said as readonly Json[], cursor) : said;
  if (wrapper === undefined) return shown;
  return { [nameIn(deployment, "success")]: true, [nameIn(deployment, wrapper)]: shown };
}

function pageOf(deployment: Deployment, all: readonly Json[], cursor = "0"): Json {
  const start = /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0;
  const end = start + PAGE.size;
  return {
    [nameIn(deployment, PAGE.items)]: all.slice(start, end),
    [nameIn(deployment, PAGE.next)]: end < all.length ? String(end) : null,
  };
}

function encode(deployment: Deployment, shape: Shape, value: Json): Json {
  if (value === null) return null;
  if (typeof shape === "object" && "each" in shape)
    return encodeListing(deployment, shape, value as readonly Json[]);
  if (typeof shape === "object") {
    const known = Object.entries(value as Source).map(([name, own]) => [
      nameIn(deployment, name),
      encode(deployment, shape.fields[name] ?? "any", own),
    ]);
    return Object.fromEntries(known) as Json;
  }
  if (shape === "instant") return encodeInstant(deployment, Number(value));
  if (shape === "number" && deployment.numbers === "texts") return String(Number(value));
  if (shape === "status" && deployment.statuses === "lower") return (value as string).toLowerCase();
  return shape === "any" ? renamed(deployment, value) : value;
}

function encodeInstant({ instants, numbers }: Deployment, at: number): Json {
  if (instants === "iso") return formatInstant(at);
  const value = instants === "seconds" ? Math.floor(at / 1_000) : at;
  return numbers === "texts" ? String(value) : value;
}

function encodeListing(deployment: Deployment, shape: Listing, entries: readonly Json[]): Json {
  const { each, by } = shape;
  if (deployment.listings !== "keyed")
    return entries.map((entry) => encode(deployment, each, entry));
  const keyed: Record<string, Json> = {};
  for (const entry of entries) {
    if (each === "text") keyed[entry as string] = LISTED;
    else fileUnder(keyed, by, entry as Source, (rest) => encode(deployment, each, rest));
  }
  return keyed;
}

/** Puts an entry under its keys, without the fields that the keys hold. */
function fileUnder(
  keyed: Record<string, Json>,
  by: readonly string[],
  entry: Source,
  encoded: (rest: Source) => Json,
): void {
  const [field = "", ...others] = by;
  const { [field]: key, ...rest } = entry;
  const name = key as string;
  if (others.length === 0) keyed[name] = encoded(rest);
  else {
    const inner = (keyed[name] ??= {}) as Record<string, Json>;
    fileUnder(inner, others, rest, encoded);
  }
}

function renamed(deployment: Deployment, value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => renamed(deployment, item));
  const fields = Object.entries(value as Source);
  return Object.fromEntries(
    fields.map(([name, own]) => [nameIn(deployment, name), renamed(deployment, own)]),
  );
}

import { messageOf } from "../domain/error-message.ts";
import { OPENINGS, type Entry, type Unchanged } from "./entry.ts";

type Kind = Exclude<Entry, Unchanged>["t"];
type JsonType = "string" | "number" | "object" | "array";

/** The fields without which an entry of each kind cannot be read, beside `dt`. */
const NEEDS: Readonly<Record<Kind, Readonly<Record<string, JsonType>>>> = {
  open: { why: "string", watched: "array" },
  source: { n: "number", aggregator: "string", poller: "string" },
  piece: { s: "number", surface: "string" },
  read: { s: "number", lag: "number", parts: "array" },
  tick: {},
  resumed: { gap: "number", away: "number" },
  sent: { action: "string", entity: "object" },
  acted: { action: "string", entity: "object", outcome: "string" },
  command: { by: "string", reason: "string", command: "object" },
  policy: { moved: "array", watched: "array" },
  watch: { watched: "array" },
};

/** The entries of a page, or what is wrong with the first that cannot be read. */
export function decodeEntries(body: string): readonly Entry[] | { readonly problem: string } {
  let entries: unknown;
  try {
    entries = JSON.parse(body);
  } catch (error) {
    return { problem: `not JSON: ${messageOf(error)}` };
  }
  if (!Array.isArray(entries)) return { problem: "not a list of entries" };
  for (const [index, entry] of entries.entries()) {
    const problem = problemOf(entry);
    if (problem !== undefined) return { problem: `its entry ${index + 1} ${problem}` };
  }
  return entries as Entry[];
}

function problemOf(entry: unknown): string | undefined {
  if (Array.isArray(entry)) {
    const isThree = entry.length === 3 && entry.every((value) => typeof value === "number");
    return isThree ? undefined : "is not three numbers";
  }
  if (typeof entry !== "object" || entry === null) return "is not an entry";
  const given = entry as Readonly<Record<string, unknown>>;
  const kind = String(given["t"]);
  if (!isKind(kind)) return `is of a kind that this version does not know: ${kind}`;
  for (const [name, type] of Object.entries({ dt: "number", ...NEEDS[kind] })) {
    const value = given[name];
    const is = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    if (is !== type) return `has no "${name}" of the type ${type}`;
  }
  return kind === "open" && !OPENINGS.some((why) => why === given["why"])
    ? `opens a chapter for a reason that this version does not know: ${String(given["why"])}`
    : undefined;
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(NEEDS, text);
}

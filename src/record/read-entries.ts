import { messageOf } from "../io/process/error-message.ts";
import { OPENINGS, type Entry } from "./entry.ts";

/** What makes an entry of each kind one that can be told; the rest of it is as it was written. */
const NEEDS: Readonly<Record<string, ReadonlyArray<readonly [name: string, type: string]>>> = {
  open: [
    ["why", "string"],
    ["watched", "array"],
  ],
  source: [
    ["n", "number"],
    ["aggregator", "string"],
    ["poller", "string"],
  ],
  read: [
    ["s", "number"],
    ["lag", "number"],
    ["parts", "array"],
  ],
  tick: [],
  sent: [
    ["action", "string"],
    ["entity", "object"],
  ],
  acted: [
    ["action", "string"],
    ["entity", "object"],
    ["outcome", "string"],
  ],
  command: [
    ["by", "string"],
    ["reason", "string"],
    ["command", "object"],
  ],
  policy: [
    ["moved", "array"],
    ["watched", "array"],
  ],
  watch: [["watched", "array"]],
};

/** The entries of a page, or what is wrong with the first one that is none. */
export function readEntries(body: string): readonly Entry[] | { readonly problem: string } {
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
  if (typeof entry !== "object" || entry === null) return "is no entry";
  const said = entry as Readonly<Record<string, unknown>>;
  const needs = Object.hasOwn(NEEDS, String(said["t"])) ? NEEDS[String(said["t"])] : undefined;
  if (needs === undefined)
    return `is of a kind that this version does not know: ${String(said["t"])}`;
  for (const [name, type] of [["dt", "number"] as const, ...needs]) {
    const value = said[name];
    const is = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    if (is !== type) return `has no "${name}" of the type ${type}`;
  }
  const isOpening = said["t"] === "open";
  return isOpening && !OPENINGS.some((why) => why === said["why"])
    ? `opens a chapter for a reason that this version does not know: ${String(said["why"])}`
    : undefined;
}

import { isRecord } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";
import { alikeName } from "./alike.ts";
import type { Place } from "./body.ts";
import {
  emptyReading,
  readingOf,
  SEPARATORS,
  splitTexts,
  type Candidate,
  type Reading,
} from "./candidates.ts";
import { listingsAt, type Listing } from "./listing.ts";
import { errorText, ifThere, keyText, pathText, recordText } from "./map-text.ts";
import type { Field, Target } from "./target.ts";

/**
 * Maps for a reply that is an object of two lists: names, and records that hold such a name, such as disabled exchanges
 * and pairs. A map never drops an entry: each comes out in one of the lists, or the map fails.
 */
export function listCandidates(place: Place, target: Target): readonly Candidate[] {
  // The inner values of an entry may be the actual listing.
  if (target.type !== "lists" || holdsMore(place.value)) return [];
  const found = Array.isArray(place.value)
    ? mixedLists(place, target.lists)
    : separateLists(place, target.lists);
  return found === undefined ? [] : [found];
}

const PAIR_LIKE = /^[A-Z0-9.]{1,12}[-_/:][A-Z0-9.]{1,12}$/i;

/** Whether a record in a list holds further records or lists. */
function holdsMore(value: Json): boolean {
  if (Array.isArray(value))
    return value.some(
      (entry: Json) =>
        isRecord(entry) &&
        Object.values(entry).some((inner) => typeof inner === "object" && inner !== null),
    );
  return (
    isRecord(value) &&
    Object.values(value).some((inner) => Array.isArray(inner) && holdsMore(inner))
  );
}

/** Whether a field that the map does not read may hold a pair. */
function hidesPair(entries: readonly Json[], unused: readonly string[]): boolean {
  return entries.some((entry) =>
    unused.some((key) => isRecord(entry) && PAIR_LIKE.test(wordOf(entry[key]))),
  );
}

/** What is disabled has no instants. */
const NO_UNIT = "milliseconds";

type Lists = Readonly<Record<string, Target>>;

/** A map for a body that has each list under its own key. */
function separateLists({ path, value }: Place, lists: Lists): Candidate | undefined {
  if (!isRecord(value)) return undefined;
  const parts: { readonly key: string; readonly own: string; readonly reading: Reading }[] = [];
  for (const [key, target] of Object.entries(lists)) {
    const own = alikeName(key, Object.keys(value));
    const inner = own === undefined ? undefined : value[own];
    if (own === undefined || inner === undefined) return undefined;
    const reading = emptyOr(inner, [...path, own], target);
    if (reading === undefined) return undefined;
    parts.push({ key, own, reading });
  }
  const body = parts.map(({ key, reading }) => `${JSON.stringify(key)}: ${reading.text}`);
  const uses = parts.map(({ own }) => [...path, own]);
  const missing = errorText("a listing is not there");
  const areThere = uses.map((one) => `$exists(${pathText(one)})`).join(" and ");
  return {
    text: `${areThere} ? { ${body.join(", ")} } : ${missing}`,
    uses,
    entries: parts.flatMap(({ key, reading }) => reading.entries.map((entry) => [key, entry])),
    unused: parts.flatMap(({ reading }) => reading.unused),
    lacks: parts.flatMap(({ reading }) => reading.lacks),
    far: parts.reduce((sum, { reading }) => sum + reading.far, 0),
    units: [],
  };
}

/** An empty list shows no shape: later entries must have the default shape, or they are a mismatch. */
function emptyOr(value: Json, path: readonly string[], target: Target): Reading | undefined {
  const listings = listingsAt({ path, value });
  const readings = listings.flatMap((listing) => readingOf(listing, target, NO_UNIT) ?? []);
  const [first] = readings;
  if (first !== undefined) return hidesPair(first.entries, first.unused) ? undefined : first;
  if (isRecord(value) && Object.keys(value).length === 0) return emptyByName(path);
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty ? emptyReading(`[${pathText(path)}]`) : undefined;
}

/** An empty object shows no shape either: its first entry must be an error, and not be overlooked. */
function emptyByName(path: readonly string[]): Reading {
  const at = pathText(path);
  const text = `$count($keys(${at})) = 0 ? [] : ${errorText(`there is something in ${path.join(".")}: probe again`)}`;
  return emptyReading(text, [`${path.join(".")}, of which nothing was there to see`]);
}

/** A map for one list of both: a record that holds two names, or a text with a slash, is a pair. */
function mixedLists({ path, value }: Place, lists: Lists): Candidate | undefined {
  const entries = value as readonly Json[];
  const [names, records] = Object.entries(lists);
  if (names?.[1].type !== "names" || records?.[1].type !== "records" || entries.length === 0)
    return undefined;
  const [first, second] = records[1].fields;
  if (first === undefined || second === undefined) return undefined;
  const split = entries.every((entry) => typeof entry === "string")
    ? textSplit(entries, first, second)
    : entries.every((entry) => isRecord(entry))
      ? recordSplit(entries, [names[1], records[1]], second)
      : undefined;
  if (split === undefined) return undefined;
  const all = `$all := [${pathText(path)}]`;
  const both = `{ ${JSON.stringify(names[0])}: $one, ${JSON.stringify(records[0])}: $two }`;
  const count = `$count($one) + $count($two) = $count($all)`;
  const neither = errorText("an entry is of neither kind");
  const text = `(${all}; ${split.guard}$one := ${split.one}; $two := ${split.two}; ${count} ? ${both} : ${neither})`;
  return {
    text: ifThere(path, text),
    uses: [path],
    entries,
    unused: split.unused,
    lacks: [],
    far: 0,
    units: [],
  };
}

type Split = {
  readonly guard: string;
  readonly one: string;
  readonly two: string;
  readonly unused: readonly string[];
};

function textSplit(texts: readonly string[], first: Field, second: Field): Split {
  const own = SEPARATORS.find((one) => texts.some((text) => text.includes(one))) ?? SEPARATORS[0];
  const isPair = `$contains($, ${JSON.stringify(own)})`;
  const others = [...SEPARATORS, "|", "@", " "].filter((one) => one !== own);
  const holdsOther = others.map((one) => `$contains($, ${JSON.stringify(one)})`).join(" or ");
  const unclear = errorText("it is not clear what is an exchange and what a pair");
  return {
    // If no entry is a pair, its separator is a guess: a text with another one must be an error.
    guard: `$all := $count($all[${holdsOther}]) > 0 ? ${unclear} : $all; `,
    one: `[$all[$not(${isPair})]]`,
    two: `[$all[${isPair}].${recordText(splitTexts(first, second, "$", own))}]`,
    unused: [],
  };
}

const KIND = /^(?:type|kind|entity|entitytype|target|targettype|level|scope)$/i;

/** Finds out which entries are pairs: those with a word that says so, or those that have a pair's field. */
function recordSplit(
  entries: readonly { readonly [key: string]: Json }[],
  targets: readonly [Target, Target],
  pair: Field,
): Split | undefined {
  const keys = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const kind = keys.find(
    (key) => KIND.test(key) && entries.every((one) => wordOf(one[key]) !== ""),
  );
  const splits = kind === undefined ? [] : byWord(entries, kind);
  const ownPair = alikeName(
    pair.path[0] ?? "",
    keys.filter((key) => !/^(?:name|id|code)$/i.test(key)),
  );
  const asked = ownPair ?? pair.path[0] ?? "";
  const holds = `$exists(${keyText(asked)}) and ${keyText(asked)} != null and ${keyText(asked)} != ""`;
  const known = JSON.stringify(keys);
  // If no entry is a pair, the key of a pair is unknown: a new key must be an error.
  const guard =
    ownPair === undefined
      ? `$count($keys($all)[$not($ in ${known})]) > 0 ? ${errorText("an entry has a new field")} : `
      : "";
  const all = [
    ...splits,
    { isTwo: holds, guard, holds: (one: { readonly [key: string]: Json }) => isThere(one[asked]) },
  ];
  for (const { isTwo, guard: own, holds: isPair } of all) {
    const [pairs, others] = [entries.filter(isPair), entries.filter((entry) => !isPair(entry))];
    const one = partOf(others, `$not(${isTwo})`, targets[0]);
    const two = partOf(pairs, isTwo, targets[1]);
    if (one === undefined || two === undefined) continue;
    if (hidesPair(others, one.unused) || hidesPair(pairs, two.unused)) continue;
    const unused = [...new Set([...one.unused, ...two.unused])].filter((key) => key !== kind);
    return {
      guard: own === "" ? "" : `$all := ${own}$all; `,
      one: one.text,
      two: two.text,
      unused,
    };
  }
  return undefined;
}

const isThere = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== "";
const wordOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function byWord(entries: readonly { readonly [key: string]: Json }[], kind: string) {
  const found = [...new Set(entries.map((entry) => wordOf(entry[kind])))];
  const isPairWord = (word: string): boolean => /pair|symbol|market|instrument/i.test(word);
  if (found.length > 2 || found.filter(isPairWord).length > 1) return [];
  const word = found.find(isPairWord);
  if (word === undefined) return [];
  return [
    {
      isTwo: `${keyText(kind)} = ${JSON.stringify(word)}`,
      guard: "",
      holds: (one: { readonly [key: string]: Json }) => one[kind] === word,
    },
  ];
}

/** One of the two lists: the entries of `$all` for which the condition holds. */
function partOf(
  entries: readonly Json[],
  condition: string,
  target: Target,
): Pick<Reading, "text" | "unused"> | undefined {
  if (entries.length === 0) return { text: emptyText(condition, target), unused: [] };
  const listing: Listing = {
    path: [],
    form: "items",
    entries: entries.map((value) => ({ value, keys: [] })),
  };
  const reading = readingOf(listing, target, NO_UNIT);
  if (reading === undefined) return undefined;
  return { text: ofAll(reading.text, condition), unused: reading.unused };
}

/** A list without entries yet is expected to have the default fields. */
function emptyText(condition: string, target: Target): string {
  const [key = ""] = target.type === "names" ? target.field.path : [];
  return ofAll(key === "" ? "[$]" : `[$.${keyText(key)}]`, condition);
}

/** The expression of a list at the root, for the entries of `$all` for which a condition holds. */
function ofAll(text: string, condition: string): string {
  return `[$all[${condition}]${text.slice("[$".length)}`;
}

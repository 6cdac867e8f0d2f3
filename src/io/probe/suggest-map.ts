import { readEndpoints } from "../../aggregator/endpoints/index.ts";
import { snippet } from "../../aggregator/decoding/decode.ts";
import type { SiftingDecoder } from "../../aggregator/decoding/malformed-entries.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";
import { compileWireMap, type ReadForm } from "../aggregator/decode-body.ts";
import { entriesOf, otherLists, placesOf, type Place } from "./body.ts";
import { candidatesAt, type Candidate } from "./candidates.ts";
import { listCandidates } from "./lists.ts";
import { pathText } from "./map-text.ts";
import { saysOtherwise } from "./says-otherwise.ts";
import { targetOf, type Field, type Target } from "./target.ts";

/** A `wire.<endpoint>.map` that was tried, and its result for this body. */
type Suggestion = Pick<Candidate, "unused" | "lacks" | "units"> & {
  readonly map: string;
  /** How many entries the body has; all of them come out. */
  readonly entries: number;
};

/** A suggestion, or why there is none: the nearest map would lose entries, or may take them for what they are not. */
export type Suggested = {
  readonly suggestion?: Suggestion;
  /** A map that gives more than the one that is set, which stays. */
  readonly fuller?: Suggestion | undefined;
  readonly noMap?: string;
};

const MOST_TRIES = 60;

/**
 * Suggests a map from a body that is near the default shape to that shape. Each candidate is run as the client would,
 * and its result is decoded and counted: it must bring out every entry of every list of the body. The one that fills
 * the most fields wins, if that is more than what is read now (`current`). A person must check it: that it fits this
 * body does not prove what the fields mean.
 */
export async function suggestMap(
  { endpoint, instants }: ReadForm,
  body: Json,
  current?: Json,
): Promise<Suggested> {
  const target = targetOf(endpoint);
  const decode: SiftingDecoder<unknown> = readEndpoints[endpoint].decode;
  const places = placesOf(body);
  const lists = places.filter(({ value }) => Array.isArray(value)).length;
  const found = places.flatMap((place) => {
    // An empty list may be of anything: it is the listing only if it is the only list.
    if (Array.isArray(place.value) && place.value.length === 0 && lists > 1) return [];
    return [...candidatesAt(place, target, instants), ...listCandidates(place, target)];
  });
  let best: (Candidate & { readonly fills: number }) | undefined;
  let noMap: string | undefined;
  const least = current === undefined ? -1 : fillsOf(target, current);
  for (const candidate of found.slice(0, MOST_TRIES)) {
    const made = await compileWireMap(candidate.text)(body);
    if (!made.ok) continue;
    const lost = lostBy(target, candidate, body, made.value, decode(made.value, instants));
    if (lost === NOT_READ) continue;
    const fills = fillsOf(target, made.value);
    const against = lost ?? saysOtherwise(endpoint, candidate);
    if (against !== undefined) noMap ??= against;
    else if (fills > least && isBetter({ ...candidate, fills }, best))
      best = { ...candidate, fills };
  }
  if (best === undefined)
    return current === undefined ? noMapOf(noMap ?? emptyOf(body, places)) : {};
  const { text: map, entries, unused, lacks, units } = best;
  return { suggestion: { map, entries: entries.length, unused, lacks, units } };
}

function isBetter(
  one: Candidate & { readonly fills: number },
  other: (Candidate & { readonly fills: number }) | undefined,
): boolean {
  if (other === undefined) return true;
  if (one.fills !== other.fills) return one.fills > other.fills;
  return one.far === other.far ? one.text.length < other.text.length : one.far < other.far;
}

function noMapOf(noMap: string | undefined): Suggested {
  return noMap === undefined ? {} : { noMap };
}

/** That there is no entry by which to know what a list is of; undefined if no list is empty. */
function emptyOf(body: Json, places: readonly Place[]): string | undefined {
  const empty = places.filter(({ value }) => Array.isArray(value) && value.length === 0);
  if (empty.length === 0) return undefined;
  const all = empty.map(({ path }) => pathOf(path)).join(", ");
  return `${all} is empty, and a map needs an entry: probe again while it has one; the body is ${snippet(body)}`;
}

const NOT_READ = "not read";

/** Which entries of the body would be lost; undefined if all come out. */
function lostBy(
  { type }: Target,
  { entries, uses }: Candidate,
  body: Json,
  made: Json,
  decoded: ReturnType<SiftingDecoder<unknown>>,
): string | undefined {
  if (!decoded.ok) return NOT_READ;
  // Nothing may be disabled now, so an empty list counts too.
  const others = otherLists(body, uses, type === "lists" ? 0 : 1);
  if (others.length > 0) {
    const said = others.map(({ path, entries: count }) => `${pathOf(path)} (${count})`).join(", ");
    return `a map of ${uses.map(pathOf).join(", ")} would lose ${said}`;
  }
  const kinds = distinct(entries);
  const came = entriesOf(decoded.value as Json).length + (decoded.malformed?.count ?? 0);
  const out = distinct(entriesOf(made));
  if (out < kinds || came < out)
    return `of ${kinds} different entries at ${uses.map(pathOf).join(", ")} only ${Math.min(out, came)} would come out`;
  return undefined;
}

const pathOf = (path: readonly string[]): string =>
  path.length === 0 ? "$" : `$.${pathText(path)}`;

const distinct = (values: readonly Json[]): number =>
  new Set(values.map((value) => JSON.stringify(value))).size;

/** How many fields of the default shape a value in it has. */
function fillsOf(target: Target, made: Json): number {
  const fills = (fields: readonly Field[], entries: readonly Json[]): number =>
    entries.reduce<number>(
      (sum, entry) =>
        sum + fields.filter(({ path }) => (valueAt(entry, path) ?? null) !== null).length,
      0,
    );
  switch (target.type) {
    case "names":
      return entriesOf(made).length;
    case "records":
      return fills(target.fields, entriesOf(made));
    case "record":
      return fills(target.fields, [made]);
    case "lists":
      return Object.entries(target.lists).reduce(
        (sum, [key, inner]) => sum + fillsOf(inner, valueAt(made, [key]) ?? []),
        0,
      );
  }
}

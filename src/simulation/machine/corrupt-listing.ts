import type { Json } from "../../domain/result.ts";
import { chance, nextRandom, type RandomState } from "../../simulator/model/random.ts";
import type { NetworkFaults } from "../plan.ts";

/** What becomes of a listing on its way: an entry that is nonsense, a name that is none, or an end that is missing. */
export function corruptListing(
  body: string,
  random: RandomState,
  { malformedEntry = 0, malformedName = 0, shortened = 0 }: NetworkFaults,
): string {
  const isMalformed = chance(random, malformedEntry);
  const isMisnamed = chance(random, malformedName);
  const isShort = chance(random, shortened);
  if (!isMalformed && !isMisnamed && !isShort) return body;
  let value: Json;
  try {
    value = JSON.parse(body) as Json;
  } catch {
    return body;
  }
  const list = listIn(value);
  if (list === undefined || list.length === 0) return body;
  if (isShort) list.length = Math.ceil(list.length / 2);
  if (isMisnamed) list.push(malformedNames(list[0] as Json));
  if (isMalformed) list[Math.floor(nextRandom(random) * list.length)] = 17;
  return JSON.stringify(value);
}

/** The same entry, with other texts in it: one that no request can hold. */
function malformedNames(entry: Json): Json {
  if (typeof entry === "string") return "odd\u0007name";
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, malformedNames(value)]),
  );
}

/** The listing itself, or the longest list that an object holds. */
function listIn(value: Json): Json[] | undefined {
  if (Array.isArray(value)) return value as Json[];
  if (typeof value !== "object" || value === null) return undefined;
  const lists = Object.values(value).filter((one) => Array.isArray(one)) as Json[][];
  return lists.toSorted((one, other) => other.length - one.length)[0];
}

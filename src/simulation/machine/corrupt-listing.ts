import type { Json } from "../../domain/result.ts";
import { chance, nextRandom, type RandomState } from "../../simulator/model/random.ts";
import type { NetworkFaults } from "../plan.ts";

/** What becomes of a listing on its way: an entry that is nonsense, a name that is none, many more, or fewer. */
export function corruptListing(
  body: string,
  random: RandomState,
  { malformedEntry = 0, malformedName = 0, shortened = 0, flooded = 0 }: NetworkFaults,
): string {
  const isMalformed = chance(random, malformedEntry);
  const isMisnamed = chance(random, malformedName);
  const isShort = chance(random, shortened);
  if (!isMalformed && !isMisnamed && !isShort && flooded === 0) return body;
  let value: Json;
  try {
    value = JSON.parse(body) as Json;
  } catch {
    return body;
  }
  const list = listIn(value);
  if (list === undefined) return body;
  if (flooded > 0) flood(list, random, flooded);
  if (list.length === 0) return body;
  if (isShort) list.length = Math.ceil(list.length / 2);
  if (isMisnamed) list.push(named(list[0] as Json, "odd\u0007name"));
  if (isMalformed) list[Math.floor(nextRandom(random) * list.length)] = 17;
  return JSON.stringify(value);
}

/** As many entries more, with names that nobody has had before; in an empty listing these are texts. */
function flood(list: Json[], random: RandomState, count: number): void {
  const [sample = ""] = list;
  const first = Math.floor(nextRandom(random) * 1e9);
  for (let index = 0; index < count; index += 1) list.push(named(sample, `FLOOD-${first + index}`));
}

/** The same entry, with another text in place of each of its own. */
function named(entry: Json, text: string): Json {
  if (typeof entry === "string") return text;
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, named(value, text)]),
  );
}

/** The listing itself, or the longest list that an object holds. */
function listIn(value: Json): Json[] | undefined {
  if (Array.isArray(value)) return value as Json[];
  if (typeof value !== "object" || value === null) return undefined;
  const lists = Object.values(value).filter((one) => Array.isArray(one)) as Json[][];
  return lists.toSorted((one, other) => other.length - one.length)[0];
}

import { Buffer } from "node:buffer";
import type { Json } from "../../domain/result.ts";
import { chance, nextRandom, pick, type RandomState } from "../../simulator/model/random.ts";
import type { NetworkFaults } from "../plan.ts";
import { ACT_KEY, READ_KEY } from "./simulated-aggregator.ts";

/**
 * Corrupts a listing on its way: a malformed entry, a malformed name, a key of the watchdog as a name, many new
 * entries, or only half of them.
 */
export function corruptListing(body: string, random: RandomState, faults: NetworkFaults): string {
  const { malformedEntry = 0, malformedName = 0, echoedKey = 0, shortened = 0 } = faults;
  const { flooded = 0 } = faults;
  const isMalformed = chance(random, malformedEntry);
  const isMisnamed = chance(random, malformedName);
  const isEchoed = chance(random, echoedKey);
  const isShort = chance(random, shortened);
  const isChanged = isMalformed || isMisnamed || isEchoed || isShort || flooded > 0;
  if (!isChanged) return body;
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
  if (isEchoed) list.push(named(list[0] as Json, spelledKey(random)));
  if (isMalformed) list[Math.floor(nextRandom(random) * list.length)] = 17;
  return JSON.stringify(value);
}

/** Adds `count` entries with new names; in an empty listing they are texts. */
function flood(list: Json[], random: RandomState, count: number): void {
  const [sample = ""] = list;
  const first = Math.floor(nextRandom(random) * 1e9);
  for (let index = 0; index < count; index += 1) list.push(named(sample, `FLOOD-${first + index}`));
}

/** The entry with `text` in place of each of its texts. */
function named(entry: Json, text: string): Json {
  if (typeof entry === "string") return text;
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, named(value, text)]),
  );
}

/** A key that the watchdog has sent, in a spelling in which an aggregator may repeat it. */
function spelledKey(random: RandomState): string {
  const { value: key } = pick(random, [ACT_KEY, READ_KEY]) ?? ACT_KEY;
  const spellings = [
    key,
    key.toUpperCase(),
    key.slice(3, 11),
    key.replace(/./g, (sign) => `%${Buffer.from(sign).toString("hex")}`),
    Buffer.from(`Key ${key}`).toString("base64url"),
    Buffer.from(key).toString("hex"),
  ];
  return pick(random, spellings) ?? key;
}

/** The listing itself, or the longest list that an object holds. */
function listIn(value: Json): Json[] | undefined {
  if (Array.isArray(value)) return value as Json[];
  if (typeof value !== "object" || value === null) return undefined;
  const lists = Object.values(value).filter((one) => Array.isArray(one)) as Json[][];
  return lists.toSorted((one, other) => other.length - one.length)[0];
}

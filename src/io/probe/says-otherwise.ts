import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import { isRecord, valueAt } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";
import { bare } from "./alike.ts";
import { leavesOf } from "./body.ts";
import type { Candidate } from "./candidates.ts";

/** What a map leaves out may say that the rest does not mean what the map takes it for. */

/** Of a listing by which exchanges count as enabled or disabled. */
const LISTINGS: ReadonlySet<ReadEndpoint> = new Set(["exchanges", "disabled"]);
const WHETHER =
  /^(?:is|exchange|pair)?(?:enabled|disabled|active|inactive|online|offline|available|suspended|status|state)$/;

const RESERVES: ReadonlySet<ReadEndpoint> = new Set(["reserves", "poolReserves"]);

/** Why a person must write the map; undefined if what it leaves out says nothing against it. */
export function saysOtherwise(
  endpoint: ReadEndpoint,
  { unused, entries }: Pick<Candidate, "unused" | "entries">,
): string | undefined {
  if (LISTINGS.has(endpoint)) {
    const field = unused.find((path) => WHETHER.test(bare(path.split(".").at(-1) ?? "")));
    return (
      field &&
      `only a person can say which entries count by their field ${field}, so write the map yourself`
    );
  }
  const pair = RESERVES.has(endpoint)
    ? entries.map(swappedPair).find((one) => one !== undefined)
    : undefined;
  return pair && `the tokens of ${pair} are named in another order, so write the map yourself`;
}

const PAIR = /^([A-Z0-9.]{1,20})[-_/:]([A-Z0-9.]{1,20})$/i;
const namesOf = (place: string, side: string): RegExp =>
  new RegExp(
    `^(?:(?:token|asset|coin|currency|symbol)${place}|${side}(?:token|asset|coin|currency)?)` +
      "(?:symbol|name|ticker|code)?$",
  );
const FIRST = namesOf("[0a]", "base");
const SECOND = namesOf("[1b]", "quote");

/** The pair of a pool that names its tokens in the other order; its reserves are then in which order is not known. */
function swappedPair(entry: Json): string | undefined {
  // In a keyed listing, the keys come before the entry.
  const parts: readonly Json[] = Array.isArray(entry) ? entry : [entry];
  const texts = parts.flatMap((part) =>
    (isRecord(part) ? leavesOf([part]) : [[]]).flatMap((path) => {
      const text = valueAt(part, path);
      return typeof text === "string" ? [{ key: bare(path.join("")), text }] : [];
    }),
  );
  const named = (names: RegExp): string | undefined =>
    texts.find(({ key }) => names.test(key))?.text.toUpperCase();
  const [base, quote] = [named(FIRST), named(SECOND)];
  if (base === undefined || quote === undefined) return undefined;
  return texts.find(({ text }) => {
    const [, first, second] = PAIR.exec(text.toUpperCase()) ?? [];
    return first === quote && second === base;
  })?.text;
}

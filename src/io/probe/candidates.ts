import type { InstantUnit } from "../../aggregator/decoding/decode.ts";
import { isRecord } from "../../domain/values/plain-values.ts";
import type { Json } from "../../domain/result.ts";
import { assign, type Assignment } from "./assign.ts";
import type { Place } from "./body.ts";
import { isScalar, listingsAt, type Entry, type Listing, type ListingForm } from "./listing.ts";
import {
  errorText,
  ifThere,
  listText,
  pathText,
  recordText,
  sourceText,
  type FieldText,
} from "./map-text.ts";
import type { Field, Target } from "./target.ts";

/** A map that may read a body; it is not yet tried. */
export type Candidate = {
  readonly text: string;
  /** The lists that it reads. */
  readonly uses: readonly (readonly string[])[];
  /** The entries of these lists in the body. */
  readonly entries: readonly Json[];
  /** Fields of the entries that it leaves out. */
  readonly unused: readonly string[];
  /** Fields of the default shape that it does not give. */
  readonly lacks: readonly string[];
  /** How far its names are from the default ones. */
  readonly far: number;
  /** The units that the entries' instants are in. */
  readonly units: readonly InstantUnit[];
};

/** The text of a list, without the check that the list exists. */
export type Reading = Omit<Candidate, "uses">;

/** The reading of an empty list. */
export function emptyReading(text: string, lacks: readonly string[] = []): Reading {
  return { text, entries: [], unused: [], lacks, far: 0, units: [] };
}

/** Names are not instants. */
const NO_UNIT: InstantUnit = "milliseconds";

export function candidatesAt(
  place: Place,
  target: Target,
  unit: InstantUnit,
): readonly Candidate[] {
  const { path } = place;
  if (target.type === "record") return recordCandidates(place, target.fields, unit);
  if (target.type === "lists") return [];
  return listingsAt(place).flatMap((listing) => {
    const reading = readingOf(listing, target, unit);
    return reading === undefined
      ? []
      : [{ ...reading, text: ifThere(path, reading.text), uses: [path] }];
  });
}

export function readingOf(
  listing: Listing,
  target: Target,
  unit: InstantUnit,
): Reading | undefined {
  if (target.type === "names") return namesOf(listing, target.field);
  return target.type === "records" ? recordsOf(listing, target.fields, unit) : undefined;
}

const entriesOf = ({ entries }: Listing): readonly Json[] =>
  // The keys that lead to an entry are a part of it.
  entries.map(({ value, keys }) => (keys.length === 0 ? value : [...keys, value]));

function namesOf(listing: Listing, field: Field): Reading | undefined {
  const { path, form, entries } = listing;
  const at = pathText(path);
  const own = { entries: entriesOf(listing), lacks: [], far: 0, units: [] };
  const values = entries.map(({ value }) => value);
  if (form === "items" && values.every((value) => typeof value === "string"))
    return { ...own, text: `[${at}]`, unused: [] };
  if (form === "keys" && values.length > 0 && values.every((value) => value === true))
    return { ...own, text: listText(path, form, "$k", "true"), unused: [] };
  if (!values.every(isRecord)) return undefined;
  if (form === "keys") {
    const { unused } = assign([], values, NO_UNIT);
    return { ...own, text: listText(path, form, "($k)", "object"), unused: unused.map(dotted) };
  }
  if (form !== "items") return undefined;
  const { assignments, unused, far } = assign([field], values, NO_UNIT);
  const [name] = assignments;
  if (name === undefined) return undefined;
  const source = pathText(name.from);
  // Without the check, JSONata would silently drop an item without a name.
  const missing = errorText(`an item has no ${dotted(name.from)}`);
  const text = `($exists(${source}) ? ${sourceText(name)} : ${missing})`;
  return { ...own, text: listText(path, form, text, "object"), unused: unused.map(dotted), far };
}

function recordsOf(
  listing: Listing,
  fields: readonly Field[],
  unit: InstantUnit,
): Reading | undefined {
  const { path, form, entries } = listing;
  if (form === "items" && entries.length === 0) return emptyReading(`[${pathText(path)}]`);
  const values = entries.map(({ value }) => value);
  const areRecords = values.every(isRecord);
  if (!areRecords && !values.every(isScalar)) return undefined;
  const { assignments, lacks, unused, far, units } = areRecords
    ? assign(fields, values, unit)
    : assignScalar(fields, values);
  const { keyed, guarded } = keyTexts(listing, lacks.filter(isNaming), areRecords);
  const stillLacks = lacks.filter(({ path: one }) => !keyed.some(({ path: own }) => own === one));
  if (stillLacks.some(({ required }) => required)) return undefined;
  const isAsItIs = form === "items" && areRecords && assignments.every(isSame);
  const given = assignments.map(({ field, ...one }) => ({
    path: field.path,
    text: areRecords ? sourceText({ field, ...one }) : SCALAR[form],
  }));
  const record = guarded(recordText([...keyed, ...given]));
  const type = areRecords ? "object" : "scalar";
  return {
    text: isAsItIs ? `[${pathText(path)}]` : listText(path, form, record, type),
    entries: entriesOf(listing),
    unused: unused.map(dotted),
    lacks: stillLacks.map(({ path: one }) => dotted(one)),
    far,
    units,
  };
}

const isNaming = ({ kind, required }: Field): boolean => kind === "text" && required;
const isSame = ({ field, from, conversion }: Assignment): boolean =>
  conversion === "none" && dotted(field.path) === dotted(from);
const dotted = (path: readonly string[]): string => path.join(".");

/** The variable of an entry that is a plain value. */
const SCALAR: Readonly<Record<ListingForm, string>> = {
  items: "$",
  keys: "$v",
  "keys-keys": "$w",
  "keys-items": "$",
};

/** A plain value is the one number that an entry must have. */
function assignScalar(
  fields: readonly Field[],
  values: readonly Json[],
): ReturnType<typeof assign> {
  const numbers = fields.filter(({ kind, required }) => kind === "number" && required);
  const [field] = numbers;
  const isNumber = (value: Json): boolean => value !== "" && Number.isFinite(Number(value));
  if (numbers.length !== 1 || field === undefined || !values.every(isNumber))
    return { assignments: [], lacks: fields, unused: [], far: 0, units: [] };
  return {
    assignments: [{ field, from: [], conversion: "none" }],
    lacks: fields.filter((one) => one !== field),
    unused: [],
    far: 0,
    units: [],
  };
}

export const SEPARATORS = ["/", ":"] as const;

type KeyTexts = {
  readonly keyed: readonly FieldText[];
  /** The expression of an entry, with a check that the entry has these names. */
  readonly guarded: (entry: string) => string;
};

/** The keys that lead to an entry, or the entry itself if it is a text, give its naming fields. A text may hold two. */
function keyTexts(
  { form, entries }: Listing,
  [first, second, third]: readonly Field[],
  areRecords: boolean,
): KeyTexts {
  const texts = (...keyed: readonly FieldText[]): KeyTexts => ({
    keyed,
    guarded: (entry) => entry,
  });
  if (first === undefined || third !== undefined) return texts();
  if (form === "keys-keys" && second !== undefined)
    return texts({ path: first.path, text: "$k" }, { path: second.path, text: "$j" });
  if ((form === "keys-items" || form === "keys") && second === undefined)
    return texts({ path: first.path, text: "$k" });
  if (form === "keys-items" && !areRecords && second !== undefined)
    return texts({ path: first.path, text: "$k" }, { path: second.path, text: "$" });
  const isText = form === "items" && !areRecords;
  if (second === undefined || (form !== "keys" && !isText)) return texts();
  const textIn = ({ keys: [key = ""], value }: Entry): string =>
    isText ? (typeof value === "string" ? value : "") : key;
  const separator = SEPARATORS.find((one) =>
    entries.every((entry) => textIn(entry).split(one).length === 2),
  );
  if (separator === undefined || entries.length === 0) return texts();
  const text = isText ? "$" : "$k";
  const cut = JSON.stringify(separator);
  return {
    keyed: splitTexts(first, second, text, separator),
    guarded: (entry) =>
      `($contains(${text}, ${cut}) ? ${entry} : ${errorText(`an entry has no ${separator}`)})`,
  };
}

export function splitTexts(
  first: Field,
  second: Field,
  text: string,
  separator: string,
): readonly FieldText[] {
  const cut = JSON.stringify(separator);
  return [
    { path: first.path, text: `$substringBefore(${text}, ${cut})` },
    { path: second.path, text: `$substringAfter(${text}, ${cut})` },
  ];
}

/** One record: the body itself, in a wrapper, or the only item of a list. */
function recordCandidates(
  { path, value }: Place,
  fields: readonly Field[],
  unit: InstantUnit,
): readonly Candidate[] {
  const isOne = Array.isArray(value) && value.length === 1;
  const entry: Json = isOne ? ((value as readonly Json[])[0] ?? null) : value;
  if (!isRecord(entry)) return [];
  const { assignments, lacks, unused, far, units } = assign(fields, [entry], unit);
  if (lacks.some(({ required }) => required)) return [];
  const at = pathText(path);
  const record = recordText(
    assignments.map((one) => ({ path: one.field.path, text: sourceText(one) })),
  );
  const isAsItIs = assignments.every(isSame);
  const inRoot = path.length === 0 && !isOne;
  const made = isAsItIs ? at : inRoot ? record : `${at}.${record}`;
  return [
    {
      text: isOne ? `$count(${at}) = 1 ? ${made} : ${errorText("it is not one entry")}` : made,
      uses: [path],
      entries: [entry],
      unused: unused.map(dotted),
      lacks: lacks.map((one) => dotted(one.path)),
      far,
      units,
    },
  ];
}

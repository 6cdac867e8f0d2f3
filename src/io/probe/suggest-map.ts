import type { Mismatch } from "../../aggregator/decoding/decode.ts";
import type { Json, Result } from "../../domain/result.ts";
import { compileWireMap } from "../aggregator/decode-body.ts";
import { alikeName } from "./alike.ts";
import { isRecord, placesOf, renderShape, type MapShape, type Rename } from "./map-shape.ts";

/** Reads a JSON value as an endpoint's reply, as a poll would. */
export type Reads = (json: unknown) => Result<unknown, Mismatch>;

const MOST_RENAMES = 6;
const MOST_TRIES = 150;

/**
 * The JSONata of a `wire.<endpoint>.map` that makes the default shape of a body that is near to it: in
 * a wrapper, with fields of other names, a list of objects in place of names. Each candidate is run as
 * it would be in force and decoded; undefined where none is read. It is for a person to check: that it
 * fits this body says nothing of what the fields mean.
 */
export async function suggestMap(body: Json, reads: Reads): Promise<string | undefined> {
  const tries = { left: MOST_TRIES };
  const places = placesOf(body);
  const lists = places.filter(({ value }) => Array.isArray(value)).length;
  for (const { path, value } of places) {
    // An empty list may be a list of anything: it is taken for the listing only where it is the only one.
    if (Array.isArray(value) && value.length === 0 && lists > 1) continue;
    for (const form of formsOf(value)) {
      const isAsItIs = path.length === 0 && (form.type === "list" || form.type === "object");
      const found = await complete({ path, form, renames: [] }, body, reads, tries);
      // As it is, the body was not read; with no change, there is nothing to suggest.
      if (found !== undefined && !(isAsItIs && found.renames.length === 0))
        return renderShape(found);
    }
  }
  return undefined;
}

function formsOf(value: Json): MapShape["form"][] {
  if (Array.isArray(value)) {
    const [first] = value as readonly Json[];
    const names = isRecord(first) ? namesOf(first) : [];
    return [
      { type: "list" },
      ...names.map((field) => ({ type: "names" as const, field })),
      ...(typeof first === "string"
        ? [{ type: "filed" as const, key: "exchanges", empty: ["pairs"] }]
        : []),
    ];
  }
  if (!isRecord(value)) return [];
  return [{ type: "object" }, ...(isKeyed(value) ? [{ type: "keys" as const }] : [])];
}

/** The one field of an item that names it. */
function namesOf(item: { readonly [key: string]: Json }): string[] {
  const texts = Object.keys(item).filter((key) => typeof item[key] === "string");
  const name = alikeName("name", texts);
  return name === undefined ? [] : [name];
}

/** An object whose keys are names in capitals, such as `{"BINANCE": {…}}`, lists what they name. */
function isKeyed(value: { readonly [key: string]: Json }): boolean {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^[A-Z0-9][A-Z0-9_./-]*$/.test(key));
}

/** Adds renames to a shape, one for each mismatch, until the body is read or nothing helps. */
async function complete(
  start: MapShape,
  body: Json,
  reads: Reads,
  tries: { left: number },
): Promise<MapShape | undefined> {
  const renames: Rename[] = [];
  const shape = { ...start, renames };
  while (renames.length <= MOST_RENAMES && tries.left > 0) {
    tries.left -= 1;
    const made = await compileWireMap(renderShape(shape))(body);
    if (!made.ok) return undefined;
    const read = reads(made.value);
    if (read.ok) return shape;
    const rename = renameFor(read.problem, shape, made.value);
    if (rename === undefined) return undefined;
    renames.push(rename);
  }
  return undefined;
}

function renameFor({ path, expected }: Mismatch, shape: MapShape, made: Json): Rename | undefined {
  const steps = [...path.matchAll(/\.([A-Za-z_$][\w$]*)|\[(\d+)\]/g)];
  const isList = shape.form.type === "list";
  if (shape.form.type !== "object" && !isList) return undefined;
  const to = steps.flatMap(([, key]) => key ?? []);
  const index = Number(steps[0]?.[2] ?? -1);
  const items = made as readonly Json[];
  const item = isList ? items[index] : made;
  if (!isRecord(item) || to.length === 0 || to.length > 2) return undefined;
  if (shape.renames.some((known) => known.to.join(".") === to.join("."))) return undefined;
  const [field = "", inner] = to;
  const holder = inner === undefined ? item : item[field];
  if (!isRecord(holder)) return undefined;
  const wanted = inner ?? field;
  const present = holder[wanted];
  if (present !== undefined && present !== null) {
    const isDate = typeof present === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(present);
    return isDate && /number|time/.test(expected)
      ? { to, from: [wanted], isDate: true }
      : undefined;
  }
  const from = alikeName(
    wanted,
    Object.keys(holder).filter((key) => key !== wanted),
  );
  if (from !== undefined) return { to, from: [from], isDate: false };
  // What should stand in an object of its own may stand in the open.
  return /^an? (?:lock )?order$/.test(expected) && inner === undefined
    ? { to, from: [], isDate: false }
    : undefined;
}

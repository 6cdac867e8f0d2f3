import type { Json } from "../../domain/result.ts";

/**
 * A way to make our default shape of a body that nearly has it, and its JSONata. It errs where the
 * body changes its shape again: an empty listing must never be made of an answer that is none.
 */
export type MapShape = {
  /** Keys from the root of the body to what the reply is made of. */
  readonly path: readonly string[];
  readonly form:
    | { readonly type: "list" | "object" | "keys" }
    /** A list of texts made of one field of each item. */
    | { readonly type: "names"; readonly field: string }
    /** The list stands under one key of an object, beside lists that are empty. */
    | { readonly type: "filed"; readonly key: string; readonly empty: readonly string[] };
  readonly renames: readonly Rename[];
};

/** `to` becomes what `from` says: keys, and the whole object where it is empty. */
export type Rename = {
  readonly to: readonly string[];
  readonly from: readonly string[];
  /** The text there is a date; the default shape has milliseconds. */
  readonly isDate: boolean;
};

export function renderShape({ path, form, renames }: MapShape): string {
  const at = path.length === 0 ? "$" : pathText(path);
  const guarded = (text: string): string =>
    path.length === 0
      ? text
      : `$exists(${at}) ? ${text} : $error(${JSON.stringify(`there is no ${path.join(".")}`)})`;
  switch (form.type) {
    case "object":
      return renames.length === 0 ? at : `${at}.${mergeText(renames)}`;
    case "list":
      return guarded(renames.length === 0 ? `[${at}]` : `[${at}.(${mergeText(renames)})]`);
    case "keys":
      return guarded(`[$keys(${at})]`);
    case "names":
      return guarded(`[${at}.${nameText(form.field)}]`);
    case "filed": {
      const others = form.empty.map((key) => `, ${JSON.stringify(key)}: []`).join("");
      return guarded(`{ ${JSON.stringify(form.key)}: [${at}]${others} }`);
    }
  }
}

/** An item without the field is an error, as it would be left out of the list in silence. */
function nameText(field: string): string {
  const key = keyText(field);
  return `($exists(${key}) ? ${key} : $error(${JSON.stringify(`an item has no ${field}`)}))`;
}

function mergeText(renames: readonly Rename[]): string {
  const byField = Map.groupBy(renames, ({ to }) => to[0] ?? "");
  const fields = [...byField].map(([field, own]) => {
    const whole = own.find(({ to }) => to.length === 1);
    const inner = own.filter(({ to }) => to.length > 1);
    const source = whole === undefined ? keyText(field) : sourceText(whole);
    const value =
      inner.length === 0
        ? source
        : `${source}.$merge([$, { ${inner
            .map((one) => `${JSON.stringify(one.to[1])}: ${sourceText(one)}`)
            .join(", ")} }])`;
    return `${JSON.stringify(field)}: ${value}`;
  });
  return `$merge([$, { ${fields.join(", ")} }])`;
}

function sourceText({ from, isDate }: Rename): string {
  const text = from.length === 0 ? "$" : pathText(from);
  return isDate ? `$toMillis(${text})` : text;
}

function pathText(path: readonly string[]): string {
  return path.map(keyText).join(".");
}

/** JSONata quotes unusual names in backquotes, and has no way to write a backquote in one. */
function keyText(key: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(key) &&
    !/^(?:and|or|in|true|false|null|function)$/.test(key)
    ? key
    : `\`${key.replaceAll("`", "")}\``;
}

/** The objects and lists of a body, the outer ones first. */
export function placesOf(body: Json): ReadonlyArray<{ path: readonly string[]; value: Json }> {
  const places: { path: readonly string[]; value: Json }[] = [{ path: [], value: body }];
  for (let index = 0; index < places.length && places.length < MOST_PLACES; index += 1) {
    const { path, value } = places[index] ?? { path: [], value: null };
    if (path.length === DEEPEST || !isRecord(value)) continue;
    for (const [key, inner] of Object.entries(value).slice(0, MOST_PLACES)) {
      if (typeof inner === "object" && inner !== null && !key.includes("`"))
        places.push({ path: [...path, key], value: inner });
    }
  }
  return places.slice(0, MOST_PLACES);
}

const MOST_PLACES = 24;
const DEEPEST = 3;

export function isRecord(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function hasField(value: Json, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!isRecord(value) || !Object.hasOwn(value, key)) return false;
  return hasField(value[key] ?? null, rest);
}

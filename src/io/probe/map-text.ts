import type { Assignment } from "./assign.ts";
import { AROUND_DATA, type ListingForm } from "./listing.ts";

/**
 * The JSONata of suggested maps. It fails if the body changes its shape: an answer without a listing must never become
 * an empty one, and no entry may be dropped silently.
 */

/** JSONata quotes unusual names in backquotes, and has no way to write a backquote in one. */
export function keyText(key: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(key) &&
    !/^(?:and|or|in|true|false|null|function)$/.test(key)
    ? key
    : `\`${key.replaceAll("`", "")}\``;
}

export function pathText(path: readonly string[]): string {
  return path.length === 0 ? "$" : path.map(keyText).join(".");
}

const quoted = (text: string): string => JSON.stringify(text);

export function errorText(message: string): string {
  return `$error(${quoted(message)})`;
}

/** The text, if there is something at the path. */
export function ifThere(path: readonly string[], text: string): string {
  if (path.length === 0) return text;
  return `$exists(${pathText(path)}) ? ${text} : ${errorText(`there is no ${path.join(".")}`)}`;
}

/** A field's path and its expression. */
export type FieldText = { readonly path: readonly string[]; readonly text: string };

/** An object of fields, with the objects that they are in. */
export function recordText(fields: readonly FieldText[]): string {
  const byKey = Map.groupBy(fields, ({ path }) => path[0] ?? "");
  const parts = [...byKey].map(([key, own]) => {
    const [first] = own;
    const value =
      first?.path.length === 1
        ? first.text
        : recordText(own.map(({ path, text }) => ({ path: path.slice(1), text })));
    return `${quoted(key)}: ${value}`;
  });
  return `{ ${parts.join(", ")} }`;
}

/** The expression of an entry's value; it gives nothing if the entry has none. */
export function sourceText({ from, conversion }: Assignment): string {
  const text = pathText(from);
  switch (conversion) {
    case "none":
      return text;
    case "date":
      return `${text} ? $toMillis(${text})`;
    case "seconds":
      return `${text} ? $number(${text}) * 1000`;
    case "text":
      return `${text} != null ? $string(${text})`;
  }
}

/** The type that each entry of a keyed listing must have. */
type EntryType = "object" | "array" | "scalar" | "true";

const OTHER_KIND = errorText("an entry is of another kind");

function isOf(variable: string, type: EntryType): string {
  if (type === "true") return `${variable} = true`;
  if (type === "scalar") return `$type(${variable}) in ["number", "string"]`;
  return `$type(${variable}) = ${quoted(type)}`;
}

/** A list of one expression for each entry. In it, `$k` and `$j` are the names that lead to the entry. */
export function listText(
  path: readonly string[],
  form: ListingForm,
  entry: string,
  type: EntryType,
): string {
  const at = pathText(path);
  const checked = (variable: string, text: string, wanted: EntryType): string => {
    return `(${isOf(variable, wanted)} ? ${text} : ${OTHER_KIND})`;
  };
  const made = (variable: string): string =>
    type === "scalar" || type === "true" ? entry : `${variable}.${entry}`;
  const named = `$lowercase($k) in ${JSON.stringify([...AROUND_DATA])} ? ${OTHER_KIND} : `;
  const byKey = (inner: string): string =>
    `($at := ${at}; [$keys($at).($k := $; $v := $lookup($at, $k); ${named}${inner})])`;
  switch (form) {
    case "items":
      return `[${at}.${entry}]`;
    case "keys":
      return byKey(checked("$v", made("$v"), type));
    case "keys-items":
      return byKey(checked("$v", `$v.${entry}`, "array"));
    case "keys-keys": {
      const inner = `$keys($v).($j := $; $w := $lookup($v, $j); ${checked("$w", made("$w"), type)})`;
      return byKey(checked("$v", inner, "object"));
    }
  }
}

import type { z } from "zod";
import { counted } from "../../domain/wording.ts";
import { hintFor } from "../suggest.ts";
import {
  mappingsOf,
  schemaAt,
  schemaKeys,
  takesPlainText,
  type Mapping,
} from "../../schema/walk.ts";
import { isBroken, MERGE_KEY } from "./known-problems.ts";
import { unknownKey, withoutRepeats } from "./unknown-key.ts";
import type { ShapeProblem } from "./shape-problem.ts";
import { mend } from "./mend.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { Problem } from "../problem.ts";
import { problemAtPath, type YamlPath, type YamlSource } from "./yaml-source.ts";

type CheckedShape<Value> = {
  /**
   * The value with defaults in place of the parts that have problems, so that the rest is checked as well. A part
   * without a default has some valid value (`mend`), so that problems which depend on it must not be reported.
   */
  readonly value: Value | undefined;
  readonly problems: readonly ShapeProblem[];
};

const MOST_ROUNDS = 10;
/** If there are more at once, they are counted, and nothing is mended: each round takes time for each of them. */
const MOST_PROBLEMS = 1_000;

/** What people call the value that the schema is of. */
type Called = {
  /** If it is not a mapping at all; the file by default. */
  readonly whole?: string;
  /** If a key in the wrong place may belong to it. */
  readonly top?: string;
};

/** Checks plain values against a schema and gives every problem in them, or the first thousand. */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  { whole = "the file", top }: Called = {},
): CheckedShape<z.output<Schema>> {
  const problems: ShapeProblem[] = [];
  // A key in the wrong place is rare, and walking the whole schema takes time.
  let mappings: readonly Mapping[] | undefined;
  const homesOf = (key: string): string[] => {
    if (top === undefined) return [];
    mappings ??= mappingsOf(schema);
    return mappings
      .filter(({ keys }) => keys.includes(key))
      .map(({ path }) => placeName(path, top));
  };
  let candidate = input;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    // A compiled schema pays off only if it is used often, and a file is read once.
    const parsed = schema.safeParse(candidate, { jitless: true });
    if (parsed.success) return { value: parsed.data, problems };
    const { issues } = parsed.error;
    const found = withoutRepeats(
      issues.flatMap((issue) => problemsOfIssue({ schema, whole, homesOf }, candidate, issue)),
    );
    if (found.length > MOST_PROBLEMS) {
      const message = `${found.length - MOST_PROBLEMS} more problems are not shown`;
      const more = { id: "config/bad-value", path: [], message };
      const shown = [...problems, ...found.slice(0, MOST_PROBLEMS), more];
      return { value: undefined, problems: shown };
    }
    // Later rounds see what was mended, so gaps and what is known already are not reported again.
    const known = [...problems];
    const isNew = ({ id, path }: ShapeProblem): boolean =>
      id !== "config/missing" && !isBroken({ known }, path);
    problems.push(...(round === 0 ? found : found.filter(isNew)));
    candidate = mend(candidate, found, schema);
    if (candidate === undefined) break;
  }
  return { value: undefined, problems };
}

type Issue = z.core.$ZodIssue;

type Checked = {
  readonly schema: z.ZodType;
  readonly whole: string;
  /** The mappings of the schema that have a key. */
  readonly homesOf: (key: string) => readonly string[];
};

function problemsOfIssue(
  { schema, whole, homesOf }: Checked,
  input: unknown,
  issue: Issue,
): ShapeProblem[] {
  const path = pathOf(issue, input);
  const merged = path.indexOf(MERGE_KEY);
  if (merged >= 0) return [unknownKey([], path.slice(0, merged), MERGE_KEY)];
  if (issue.code === "unrecognized_keys") {
    const known = schemaKeys(schemaAt(schema, path));
    return issue.keys.map((key) => unknownKey(known, path, key, homesOf(key)));
  }
  const value = valueAt(input, path);
  const last = path.at(-1);
  // A text may stand for a mapping that has one key alone: then that key is there.
  const isStandIn = typeof valueAt(input, path.slice(0, -1)) === "string";
  if (value === undefined && last !== undefined && !isStandIn)
    return [
      {
        id: "config/missing",
        path,
        at: "key",
        message: `"${String(last)}" is missing`,
      },
    ];
  const hint = hintOf(issue, value) ?? keysHint(schema, path, issue);
  return [
    {
      id: "config/bad-value",
      path,
      message: `${subject(last, whole)} ${messageOf(issue, value)}`,
      hint,
      ...offsetOf(issue),
    },
  ];
}

function placeName(path: Mapping["path"], top: string): string {
  return path.length === 0 ? top : path.join(".").replaceAll(".[]", "[]");
}

/** If an entry is written as a plain text, the text is the value of its one key. */
function pathOf(issue: Issue, input: unknown): readonly (string | number)[] {
  const path = issue.path.filter((step) => typeof step !== "symbol");
  const entry = path.slice(0, -1);
  const isPlainText = typeof path.at(-1) === "string" && typeof valueAt(input, entry) === "string";
  return isPlainText ? entry : path;
}

/**
 * Shape problems of the part of a file that is at `base`, at their places in it; `area` is what
 * their ids begin with instead of `config`.
 */
export function placeShapeProblems(
  source: YamlSource,
  base: YamlPath,
  area: "rule" | "test" | "tokens",
  problems: readonly ShapeProblem[],
  more: { readonly within?: string } = {},
): Problem[] {
  return problems.map(({ path, at, id, message, hint }) => {
    const details = { id: id.replace(/^config\//, `${area}/`), message, ...more, hint };
    return problemAtPath(source, [...base, ...path], details, at);
  });
}

function offsetOf(issue: Issue): { readonly offset?: number } {
  const offset: unknown = issue.code === "custom" ? issue.params?.["offset"] : undefined;
  return typeof offset === "number" ? { offset } : {};
}

function subject(last: string | number | undefined, whole = "the file"): string {
  if (last === undefined) return whole;
  return typeof last === "number" ? "this entry" : `"${last}"`;
}

function messageOf(issue: Issue, value: unknown): string {
  if (issue.code === "invalid_type") return typeMessage(issue.expected, value);
  if (issue.code === "invalid_value")
    return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "too_small" && issue.origin === "array")
    return `must have at least ${counted(Number(issue.minimum), "entry", "entries")}`;
  if (issue.code === "too_small")
    return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  return issue.message;
}

function hintOf(issue: Issue, value: unknown): string | undefined {
  if (issue.code === "invalid_value" && typeof value === "string") {
    const hint = hintFor(value, issue.values.map(String));
    return hint?.startsWith("did") === true ? hint : undefined;
  }
  if (issue.code === "invalid_type") return quotesHint(issue.expected, issue.path.at(-1), value);
  if (issue.code !== "custom") return undefined;
  const hint: unknown = issue.params?.["hint"];
  return typeof hint === "string" ? hint : undefined;
}

/** Which keys the mapping has that was expected, or the entries of a list. */
function keysHint(schema: z.ZodType, path: YamlPath, issue: Issue): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  const isList = issue.expected === "array";
  if (!isList && issue.expected !== "object") return undefined;
  const meant = schemaAt(schema, isList ? [...path, 0] : path);
  const known = schemaKeys(meant);
  if (!isList) return known.length === 0 ? undefined : `its keys: ${known.join(", ")}`;
  const isOfTexts = known.length === 0 || (meant !== undefined && takesPlainText(meant));
  return isOfTexts ? "write it in brackets: [ … ]" : `keys of its entries: ${known.join(", ")}`;
}

/** 0x5f is a number in YAML, and a long one loses digits. */
function quotesHint(expected: string, last: unknown, value: unknown): string | undefined {
  const mayBeText = expected === "string" || typeof last === "number";
  const isRead = typeof value === "number" || typeof value === "boolean";
  return mayBeText && isRead ? "write it in quotes" : undefined;
}

/** A value at a path that is not of the type that is expected there, as zod names it. */
export function wrongType(path: YamlPath, expected: string, value: unknown): ShapeProblem {
  const last = path.at(-1);
  const message = `${subject(last)} ${typeMessage(expected, value)}`;
  return { id: "config/bad-value", path, message, hint: quotesHint(expected, last, value) };
}

function typeMessage(expected: string, value: unknown): string {
  return `must be ${typeWord(expected)}, not ${valueWord(value)}`;
}

function typeWord(type: string): string {
  const words: Readonly<Record<string, string>> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "a mapping of keys",
    record: "a mapping of keys",
  };
  return words[type] ?? type;
}

function valueWord(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return String(value);
  if (Number.isNaN(value)) return ".nan";
  if (value === Infinity || value === -Infinity) return "infinity (.inf, or too large a number)";
  return typeof value === "number" ? "a number" : "a mapping of keys";
}

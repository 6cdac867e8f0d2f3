import type { z } from "zod";
import { isDeepStrictEqual } from "node:util";
import { schemaAt, shapeOf, wordsOf } from "../../schema/walk.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { ShapeProblem } from "./shape-problem.ts";

/**
 * A copy in which these problems are fewer, so that the rest is checked as well; undefined if nothing of it is left.
 * A list's entry and a missing key get a valid value, if there is one; what else is wrong is removed.
 */
export function mend(
  input: unknown,
  problems: readonly ShapeProblem[],
  schema: z.ZodType,
): unknown {
  const copy: unknown = structuredClone(input);
  const isWhole = problems.every(
    (problem) => putIn(copy, problem, schema) || takeOut(copy, problem),
  );
  return isWhole ? copy : undefined;
}

/**
 * A list is removed as a whole, as positions would shift, and so is a mapping that lacks a key. False if there is
 * nothing above it that could be left.
 */
function takeOut(copy: unknown, { path, id }: ShapeProblem): boolean {
  let length = id === "config/missing" ? path.length - 1 : path.length;
  const isWithinText = (): boolean => typeof valueAt(copy, path.slice(0, length - 1)) === "string";
  while (length > 0 && (typeof path[length - 1] === "number" || isWithinText())) length -= 1;
  const last = path[length - 1];
  if (last === undefined) return false;
  const parent = valueAt(copy, path.slice(0, length - 1));
  if (typeof parent === "object" && parent !== null) Reflect.deleteProperty(parent, last);
  return true;
}

function putIn(copy: unknown, { path, id }: ShapeProblem, schema: z.ZodType): boolean {
  const last = path.at(-1);
  const parent = valueAt(copy, path.slice(0, -1));
  const isPlace = id === "config/missing" || typeof last === "number";
  if (!isPlace || last === undefined || typeof parent !== "object" || parent === null) return false;
  const sound = soundValue(schemaAt(schema, path));
  // What was put in before is not sound after all, beside what else is there.
  if (sound === undefined || isDeepStrictEqual(valueAt(copy, path), sound)) return false;
  Reflect.set(parent, last, structuredClone(sound));
  return true;
}

/** Of a mapping, its keys are filled in next. */
function soundValue(schema: z.ZodType | undefined): unknown {
  if (schema === undefined) return undefined;
  if (shapeOf(schema) !== undefined) return {};
  return [...wordsOf(schema), ...SOUND].find((value) => schema.safeParse(value).success);
}

/** One for each form of text, number and list; `.invalid` is reserved, so no host has such a name. */
const SOUND: readonly unknown[] = [
  "unset",
  "https://unset.invalid",
  "http://unset.invalid",
  "unset@unset.invalid",
  "unset.invalid*.yaml",
  "smtp://unset.invalid",
  "0 0 * * *",
  "1m",
  1,
  true,
  [],
  ["unset"],
  ["unset@unset.invalid"],
  "0".repeat(64),
];

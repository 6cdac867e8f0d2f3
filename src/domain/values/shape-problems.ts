/** What zod says is wrong with a value, as far as people get to read it. */
export type ShapeIssue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  /** The values of the key that says which of several shapes is meant. */
  readonly options?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
};

/** What is wrong with a value, and its place in what was given. */
export type ShapeProblem = { readonly path: readonly PropertyKey[]; readonly message: string };

/** An issue in words for the author of the value; of unknown keys, each is one problem. */
export function problemsOf(issue: ShapeIssue): readonly ShapeProblem[] {
  const { path, keys = [] } = issue;
  return issue.code === "unrecognized_keys"
    ? keys.map((key) => ({ path: [...path, key], message: "unknown key" }))
    : [{ path, message: textOf(issue) }];
}

/** A problem with its place; without one, it is of the whole. */
export function problemLine({ path, message }: ShapeProblem, whole: string): string {
  return `${path.map(String).join(".") || whole}: ${message}`;
}

function textOf({ code, message, values, options, origin = "", ...issue }: ShapeIssue): string {
  // The schema's own message says more.
  if (
    !/^(?:Invalid input|Invalid option|Invalid discriminator value|Too small|Too big)/.test(message)
  )
    return message;
  const allowed = values ?? options;
  if (allowed !== undefined) return `must be one of ${allowed.map(String).join(", ")}`;
  if (code === "invalid_type") return typeText(issue.expected ?? "", message);
  const isNumber = origin === "number" || origin === "int";
  if (code === "too_small" && origin === "string") return "must not be empty";
  if (code === "too_small" && isNumber) return `must be at least ${issue.minimum}`;
  if (code === "too_big" && origin === "string")
    return `must have at most ${issue.maximum} characters`;
  if (code === "too_big" && isNumber) return `must be at most ${issue.maximum}`;
  return message;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function typeText(expected: string, message: string): string {
  if (message.endsWith("received undefined")) return "is missing";
  // A parameter that is given several times is an array.
  if (message.endsWith("expected string, received array")) return "may be given once only";
  return `must be ${TYPES[expected] ?? `of the type ${expected}`}`;
}

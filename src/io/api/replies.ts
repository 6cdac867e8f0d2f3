import { z, type Hook } from "@hono/zod-openapi";
import type { Env } from "hono";

/** The replies that calls share, and how the OpenAPI document describes a reply. */

export function reply<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

export const errorSchema = z.object({ error: z.string() });

/** Every problem of a body or a query. */
export const problemsSchema = z.object({ error: z.string(), problems: z.array(z.string()) });

/** The body of a reply to a request whose body or query is wrong. */
export function wrong(part: string, problems: readonly string[]): z.output<typeof problemsSchema> {
  return { error: `the ${part} is wrong`, problems: [...problems] };
}

/** A refusal as a sentence, with every problem; `said` is the body of the reply. */
export function refusalText(status: number, said: unknown): string {
  const { error, problems }: { error?: unknown; problems?: unknown } =
    typeof said === "object" && said !== null ? said : {};
  const why = typeof error === "string" ? error : "it does not say why";
  const all = Array.isArray(problems) ? problems.map((problem) => `\n  ${String(problem)}`) : [];
  return `refused (${status}): ${why}${all.join("")}`;
}

/** The refusals of a call that needs a token. */
export const TOKEN_REFUSALS = {
  401: reply("No token, or an unknown one.", errorSchema),
  403: reply("Writing calls are off, or the token lacks the scope.", errorSchema),
  429: reply("A wrong token, after too many from this address.", errorSchema),
};

/** Answers a request that does not fit its schema with every problem, by the path of the key. */
// The library types the result of a hook as `any`.
export const replyWithProblems: Hook<unknown, Env, string, Response | undefined> = (
  result,
  context,
) => {
  if (result.success) return undefined;
  const problems = result.error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    // A query's own message lists its parameters.
    if (issue.code === "unrecognized_keys" && result.target === "query")
      return issue.message.split("\n");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${path === "" ? "" : `${path}.`}${key}: unknown key`);
    }
    return [`${path === "" ? "the body" : path}: ${problemText(issue)}`];
  });
  return context.json(wrong(result.target === "json" ? "body" : result.target, problems), 400);
};

/** The problem of a value in a query or a body, in words for its author. */
function problemText(issue: z.core.$ZodIssue): string {
  // The schema's own message says more.
  if (!/^(?:Invalid input|Invalid option|Too small|Too big): /.test(issue.message))
    return issue.message;
  if (issue.code === "invalid_value")
    return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type") return typeText(issue);
  if (issue.code === "too_small" && issue.origin === "string") return "must not be empty";
  if (issue.code === "too_small" && isNumber(issue.origin))
    return `must be at least ${issue.minimum}`;
  if (issue.code === "too_big" && issue.origin === "string")
    return `must have at most ${issue.maximum} characters`;
  if (issue.code === "too_big" && isNumber(issue.origin)) return `must be at most ${issue.maximum}`;
  return issue.message;
}

function isNumber(origin: string): boolean {
  return origin === "number" || origin === "int";
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

function typeText({ expected, message }: z.core.$ZodIssueInvalidType): string {
  if (message.endsWith("received undefined")) return "is missing";
  // A parameter that is given several times is an array.
  if (message.endsWith("expected string, received array")) return "may be given once only";
  return `must be ${TYPES[expected] ?? `of the type ${expected}`}`;
}

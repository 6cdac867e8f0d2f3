import { z, type Hook } from "@hono/zod-openapi";
import type { Env } from "hono";
import { problemLine, problemsOf } from "../../domain/values/shape-problems.ts";

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

export const WRONG_QUERY = reply("The query is wrong.", problemsSchema);

/** The refusals of a call that needs a token. */
export const TOKEN_REFUSALS = {
  401: reply("No token, or an unknown one.", errorSchema),
  403: reply("Writing calls are off, or the token lacks the scope.", errorSchema),
  429: reply("A wrong token, after too many from this address.", errorSchema),
};

/** The refusals of a call that takes a body, before it looks at what the body says. */
export const BODY_REFUSALS = {
  400: reply("The query or the body is wrong: every problem.", problemsSchema),
  413: reply("The body is too large.", errorSchema),
  415: reply("The body is not sent as JSON.", errorSchema),
};

const WHOLE_BODY = "the body";

/** The reply to a body that cannot be parsed. */
export const NOT_JSON = wrong("body", [`${WHOLE_BODY}: must be JSON`]);

/** What the parts of a request are called that the library calls otherwise. */
const PARTS: Readonly<Record<string, string>> = { json: "body", param: "path" };

/** Answers a request that does not fit its schema with every problem, by the path of the key. */
// The library types the result of a hook as `any`.
export const replyWithProblems: Hook<unknown, Env, string, Response | undefined> = (
  result,
  context,
) => {
  if (result.success) return undefined;
  const problems = result.error.issues.flatMap((issue) =>
    // A query's own message lists its parameters.
    issue.code === "unrecognized_keys" && result.target === "query"
      ? issue.message.split("\n")
      : problemsOf(issue).map((problem) => problemLine(problem, WHOLE_BODY)),
  );
  return context.json(wrong(PARTS[result.target] ?? result.target, problems), 400);
};

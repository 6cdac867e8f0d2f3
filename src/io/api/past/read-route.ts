import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Result } from "../../../domain/result.ts";
import { closedQuery } from "../lists/closed-query.ts";
import type { Codec } from "../codec.ts";
import type { Refusal } from "./kept.ts";
import { errorSchema, problemsSchema, reply } from "../replies.ts";

/** In seconds: as long as an answer of the past may take. */
const RETRY_AFTER = "2";

/** A read that can be asked for as of an instant that is past. */
export type Read<Params extends z.ZodObject, Query extends z.ZodObject, Value> = {
  readonly path: string;
  readonly summary: string;
  /** The parts of the path. */
  readonly params?: Params;
  readonly query: Query;
  readonly answer: Codec<Value, object>;
  readonly of: (
    query: z.output<Query>,
    params: z.output<Params>,
  ) => Promise<Result<Value, Refusal>> | Result<Value, Refusal>;
};

export function addRead<Params extends z.ZodObject, Query extends z.ZodObject, Value>(
  app: OpenAPIHono,
  { path, summary, params, query, answer, of }: Read<Params, Query, Value>,
): void {
  const known = params === undefined ? {} : { 404: reply("Nothing is known of it.", errorSchema) };
  const route = createRoute({
    method: "get",
    path,
    summary,
    request: { params: asObject(params ?? z.object({})), query: closedQuery(asObject(query)) },
    responses: {
      200: reply("What was asked for.", answer.schema),
      400: reply("The query is wrong: every problem.", problemsSchema),
      410: reply("It is not kept as of that instant, and why.", errorSchema),
      503: reply(
        "Too many look at the past in different ways; `Retry-After` says when.",
        errorSchema,
      ),
      ...known,
    },
  });
  app.openapi(route, async (context) => {
    const made = await of(
      context.req.valid("query") as z.output<Query>,
      context.req.valid("param") as z.output<Params>,
    );
    if (made.ok) return context.json(answer.encode(made.value), 200);
    const { problem } = made;
    if (problem.status === 400)
      return context.json({ error: "the query is wrong", problems: problem.problems }, 400);
    // The types of a route know its statuses one by one, and these differ.
    if (problem.status === 503) context.header("Retry-After", RETRY_AFTER);
    return context.json({ error: problem.error }, problem.status);
  });
}

/** Of which keys does not matter to a route that is made of any. */
function asObject(schema: z.ZodObject): z.ZodObject {
  return schema;
}

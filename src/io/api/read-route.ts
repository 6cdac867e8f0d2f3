import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Result } from "../../domain/result.ts";
import { createTimeSlice } from "../process/time-slice.ts";
import type { Codec } from "./codec.ts";
import { closedQuery } from "./lists/closed-query.ts";
import type { Refusal } from "./past/kept.ts";
import { errorSchema, problemsSchema, reply, wrong } from "./replies.ts";

/** In seconds: as long as an answer about the past may take. */
const RETRY_AFTER = "2";

/** The description of each status. */
type Means = Readonly<Record<200, string> & Partial<Record<400 | 404 | 410 | 503, string>>>;

const OF_ANY_INSTANT: Means = {
  200: "The answer.",
  400: "The query is wrong; gives every problem.",
  410: "Nothing is kept for that instant; says why.",
  503: "Too many clients ask for different instants; `Retry-After` says when to retry.",
};

/** A `GET` of the API; its path and query alone decide what it answers about. */
type Read<Params extends z.ZodObject, Query extends z.ZodObject, Value> = {
  readonly path: string;
  readonly summary: string;
  /** The parameters in the path. */
  readonly params?: Params;
  readonly query: Query;
  readonly answer: Codec<Value, object>;
  /** Default: those of a route that can answer for the past. */
  readonly means?: Means;
  readonly of: (
    query: z.output<Query>,
    params: z.output<Params>,
  ) => Promise<Result<Value, Refusal>> | Result<Value, Refusal>;
};

export function addRead<Params extends z.ZodObject, Query extends z.ZodObject, Value>(
  app: OpenAPIHono,
  { path, summary, params, query, answer, means = OF_ANY_INSTANT, of }: Read<Params, Query, Value>,
): void {
  const { 200: asked, 400: badQuery = "The query is wrong.", ...others } = means;
  const unknown = params && { 404: "Nothing is known of it." };
  const route = createRoute({
    method: "get",
    path,
    summary,
    request: { params: asObject(params ?? z.object({})), query: closedQuery(asObject(query)) },
    responses: {
      200: reply(asked, answer.schema),
      400: reply(badQuery, problemsSchema),
      ...refusals({ ...unknown, ...others }),
    },
  });
  app.openapi(route, async (context) => {
    const made = await of(
      context.req.valid("query") as z.output<Query>,
      context.req.valid("param") as z.output<Params>,
    );
    if (made.ok && answer.write !== undefined)
      return context.body(streamOf(answer.write(made.value)), 200, JSON_TYPE) as never;
    if (made.ok) return context.json(answer.encode(made.value), 200);
    const { problem } = made;
    if (problem.status === 400) return context.json(wrong("query", problem.problems), 400);
    if (problem.status === 503) context.header("Retry-After", RETRY_AFTER);
    return context.json({ error: problem.error }, problem.status);
  });
}

const JSON_TYPE = { "content-type": "application/json" };
const PIECE_LENGTH = 65_536;

/** Writes a text in slices, between which the event loop turns. */
function streamOf(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  // Not `for (… of …)`: leaving it would end the iterator.
  const rest = pieces[Symbol.iterator]();
  const slice = createTimeSlice();
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      const taken: string[] = [];
      let length = 0;
      while (length < PIECE_LENGTH) {
        if (slice.isOver()) await slice.next();
        const { done, value } = rest.next();
        if (done === true) break;
        taken.push(value);
        length += value.length;
      }
      if (length > 0) controller.enqueue(encoder.encode(taken.join("")));
      if (length < PIECE_LENGTH) controller.close();
    },
  });
}

/** A route's type lists its statuses one by one, and these differ between routes. */
function refusals(means: Partial<Omit<Means, 200 | 400>>) {
  const replies = Object.entries(means).map(([status, says]) => [status, reply(says, errorSchema)]);
  return Object.fromEntries(replies) as Record<
    404 | 410 | 503,
    ReturnType<typeof reply<typeof errorSchema>>
  >;
}

/** Widens the type: a route made from generic schemas cannot have one for each key. */
function asObject(schema: z.ZodObject): z.ZodObject {
  return schema;
}

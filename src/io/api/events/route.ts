import type { HttpBindings } from "@hono/node-server";
import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { closedQuery } from "../lists/closed-query.ts";
import { someOf } from "../lists/query.ts";
import { takesGzip } from "../../metrics/negotiate.ts";
import { errorSchema, problemsSchema, reply } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { TOPICS } from "./messages.ts";
import { eventStream } from "./stream.ts";

/** Each viewer holds a connection. */
export const MOST_VIEWERS = 100;

/** `GET /api/v1/events`: what changes, as server-sent events. */
export function addEvents(app: OpenAPIHono, source: Pick<ServerSource, "feed">): void {
  let viewers = 0;
  const route = createRoute({
    method: "get",
    path: "/api/v1/events",
    summary: "Changes as server-sent events; `Last-Event-ID` continues a broken stream.",
    request: {
      query: closedQuery(z.object({ topics: someOf(TOPICS, 200, "; all by default") })),
      headers: z.object({ "last-event-id": z.string().max(100).optional() }),
    },
    responses: {
      200: {
        description: "The stream. Its events are described in docs/api.md.",
        content: { "text/event-stream": { schema: z.string() } },
      },
      400: reply("The query is wrong.", problemsSchema),
      503: reply("There are too many viewers.", errorSchema),
    },
  });
  app.openapi(route, (context) => {
    // Nothing would read the stream.
    if (context.req.method === "HEAD") return context.body(null, 200);
    if (viewers >= MOST_VIEWERS) {
      context.header("Retry-After", "10");
      return context.json({ error: `there are ${MOST_VIEWERS} viewers already` }, 503);
    }
    const { topics = TOPICS } = context.req.valid("query");
    const isGzipped = takesGzip(context.req.header("accept-encoding"));
    viewers += 1;
    const stream = eventStream({
      feed: source.feed,
      topics: new Set(topics),
      lastId: context.req.valid("header")["last-event-id"],
      takesGzip: isGzipped,
      cut: () => (context.env as Partial<HttpBindings>).outgoing?.destroy(),
      onEnd: () => {
        viewers -= 1;
      },
    });
    context.header("content-type", "text/event-stream; charset=utf-8");
    context.header("cache-control", "no-store");
    // So that proxies do not buffer the events.
    context.header("x-accel-buffering", "no");
    context.header("vary", "Accept-Encoding");
    if (isGzipped) context.header("content-encoding", "gzip");
    return context.body(stream, 200);
  });
}

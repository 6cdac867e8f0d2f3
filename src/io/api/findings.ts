import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { list, type JsonOf } from "./codec.ts";
import { findingRow, findingRowOf } from "./finding-row.ts";
import { problemsSchema, reply } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";

/** `GET /api/v1/findings`: what happened last, from the journal. */

const MOST_FINDINGS = 1_000;
const FINDINGS = 100;

export const findingsAnswer = list(findingRow);

export type FindingsJson = JsonOf<typeof findingsAnswer>;

export function addFindings(app: OpenAPIHono, source: ServerSource): void {
  const limit = z.coerce.number().int().min(1).max(MOST_FINDINGS).default(FINDINGS);
  const route = createRoute({
    method: "get",
    path: "/api/v1/findings",
    summary: "What happened last, newest first: alerts, actions, commands, and the reasons.",
    request: { query: z.object({ limit }) },
    responses: {
      200: reply("The newest findings of the journal.", findingsAnswer.schema),
      400: reply("The query is wrong.", problemsSchema),
    },
  });
  app.openapi(route, async (context) => {
    const found = await source.findings(context.req.valid("query").limit);
    return context.json(findingsAnswer.encode(found.map(findingRowOf)), 200);
  });
}

import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { succeed } from "../../../domain/result.ts";
import { list } from "../codec.ts";
import { namedFinding, namedFindingOf } from "../finding-row.ts";
import { addRead } from "../read-route.ts";
import type { ServerSource } from "../server-source.ts";
import { limitQuery } from "./query.ts";

/** `GET /api/v1/findings`: the newest findings of the journal. */

const findingsAnswer = list(namedFinding);

export function addFindings(app: OpenAPIHono, source: ServerSource): void {
  addRead(app, {
    path: "/api/v1/findings",
    summary: "What happened last, newest first: alerts, actions, commands, and the reasons.",
    query: z.object({ limit: limitQuery }),
    answer: findingsAnswer,
    means: { 200: "The newest findings of the journal." },
    of: async (query) => {
      const found = await source.findings(query.limit);
      const { entities } = source.view();
      return succeed(found.map((one) => namedFindingOf(entities, one)));
    },
  });
}

import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { succeed } from "../../../domain/result.ts";
import type { StoredFinding } from "../../journal/rows.ts";
import { alias } from "../answer-parts.ts";
import { list, object, type ValueOf } from "../codec.ts";
import { aboutOf, aliasOf, type Entities } from "../details/about-finding.ts";
import { findingFields, findingRowOf } from "../finding-row.ts";
import { addRead } from "../read-route.ts";
import type { ServerSource } from "../server-source.ts";
import { limitQuery } from "./query.ts";

/** `GET /api/v1/findings`: the newest findings of the journal. */

export const namedFinding = object({
  ...findingFields,
  alias,
});

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

export function namedFindingOf(
  entities: Entities,
  found: StoredFinding,
): ValueOf<typeof namedFinding> {
  return { ...findingRowOf(found), alias: aliasOf(entities, aboutOf(found.finding).entity) };
}

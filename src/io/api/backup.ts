import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { documented, number, object, text } from "./codec.ts";
import { NO_PARAMETERS } from "./lists/closed-query.ts";
import { errorSchema, reply, TOKEN_REFUSALS, WRONG_QUERY } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";
import { needsToken } from "./tokens.ts";

export const BACKUP_PATH = "/api/v1/journal/backup";

export const backupAnswer = documented(
  object({ file: documented(text, { description: "On the daemon's own disk." }), bytes: number }),
  "Backup",
);

/**
 * `POST /api/v1/journal/backup`: only the daemon can read its journal while it runs. The caller cannot choose where the
 * copy goes, so no token can write to other paths.
 */
export function addBackup(app: OpenAPIHono, source: ServerSource): void {
  const route = createRoute({
    method: "post",
    path: BACKUP_PATH,
    summary: "Copies the journal into DATA/backups. Needs a token with the scope `operate`.",
    request: { query: NO_PARAMETERS },
    ...needsToken(source, "operate"),
    responses: {
      200: reply("The copy is written.", backupAnswer.schema),
      400: WRONG_QUERY,
      ...TOKEN_REFUSALS,
      507: reply("The copy could not be written.", errorSchema),
    },
  });
  app.openapi(route, async (context) => {
    const made = await source.backUp(context.var.operator);
    if (made.ok) return context.json(backupAnswer.encode(made.value), 200);
    return context.json({ error: made.problem }, 507);
  });
}

import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { ServerSource } from "./server-source.ts";
import { requireScope } from "./tokens.ts";

const backupSchema = z
  .object({
    file: z.string().openapi({ description: "On the daemon's own disk." }),
    bytes: z.number(),
  })
  .openapi("Backup");

const errorSchema = z.object({ error: z.string() });

function reply<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/**
 * `POST /api/v1/journal/backup`: only the daemon can read its journal while it runs. Where the copy
 * goes is not for the caller to say, so that no token can write to other paths.
 */
export function addJournal(app: OpenAPIHono, source: ServerSource): void {
  const route = createRoute({
    method: "post",
    path: "/api/v1/journal/backup",
    summary: "Copies the journal into DATA/backups. Needs a token with the scope `operate`.",
    middleware: [requireScope(source.gate, "operate")] as const,
    responses: {
      200: reply("The copy is written.", backupSchema),
      401: reply("No token, or an unknown one.", errorSchema),
      403: reply("Writing calls are off, or the token lacks the scope.", errorSchema),
      429: reply("Too many wrong tokens from this address.", errorSchema),
      507: reply("The copy could not be written.", errorSchema),
    },
  });
  app.openapi(route, async (context) => {
    const made = source.backUp(context.var.operator);
    if (made.ok) return context.json({ ...made.value }, 200);
    return context.json({ error: made.problem }, 507);
  });
}

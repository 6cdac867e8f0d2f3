import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { ReloadDone, ServerSource } from "./server-source.ts";
import { requireScope } from "./tokens.ts";

/** More alerts or actions than this are counted, and left out. */
export const MOST_LISTED = 200;

const list = <Item extends z.ZodType>(item: Item) =>
  z.object({ total: z.number(), first: z.array(item) });

const names = z.array(z.string());

export const reloadSchema = z
  .object({
    reloaded: z.boolean(),
    dry_run: z.boolean(),
    settings: z.array(z.object({ key: z.string(), before: z.string(), after: z.string() })),
    rules: z.object({ added: names, removed: names, changed: names }),
    alerts: list(
      z.object({
        alertname: z.string(),
        entity: z.string(),
        change: z.enum(["pending", "firing", "resolved", "dropped"]),
        detail: z.string(),
      }),
    ),
    actions: list(
      z.object({
        action: z.string(),
        alertname: z.string(),
        entity: z.string(),
        outcome: z.enum(["confirming", "suppressed"]),
        reason: z.string().nullable(),
        detail: z.string().nullable(),
      }),
    ),
    entities_ended: z.number(),
  })
  .openapi("Reload");

const refusedSchema = z.object({
  reloaded: z.literal(false),
  dry_run: z.boolean(),
  problems: z.string(),
});

const errorSchema = z.object({ error: z.string() });

function reply<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/** `POST /-/reload`: reads config and rules anew; with `dry_run=true` it only says what that would do. */
export function addReload(app: OpenAPIHono, source: ServerSource): void {
  const route = createRoute({
    method: "post",
    path: "/-/reload",
    summary: "Reads config and rules anew, all or nothing. Needs a token with the scope `operate`.",
    request: { query: z.object({ dry_run: z.enum(["true", "false"]).optional() }) },
    middleware: [requireScope(source.gate, "operate")] as const,
    responses: {
      200: reply("They are in force; or, with `dry_run`, what would be so.", reloadSchema),
      401: reply("No token, or an unknown one.", errorSchema),
      403: reply("Writing calls are off, or the token lacks the scope.", errorSchema),
      422: reply("There are problems; what was in force before still is.", refusedSchema),
      429: reply("Too many wrong tokens from this address.", errorSchema),
    },
  });
  app.openapi(route, (context) => {
    const isDryRun = context.req.valid("query").dry_run === "true";
    const outcome = source.reload(context.var.operator, isDryRun);
    if (outcome.ok) return context.json(doneToWire(outcome.value, isDryRun), 200);
    return context.json({ reloaded: false, dry_run: isDryRun, problems: outcome.problem }, 422);
  });
}

function doneToWire(done: ReloadDone, isDryRun: boolean): z.infer<typeof reloadSchema> {
  const { rules, alerts, actions } = done;
  return {
    reloaded: !isDryRun,
    dry_run: isDryRun,
    settings: [...done.settings],
    rules: { added: [...rules.added], removed: [...rules.removed], changed: [...rules.changed] },
    alerts: { total: alerts.length, first: alerts.slice(0, MOST_LISTED) },
    actions: {
      total: actions.length,
      first: actions.slice(0, MOST_LISTED).map((one) => ({
        action: one.action,
        alertname: one.alertname,
        entity: one.entity,
        outcome: one.outcome,
        reason: one.outcome === "suppressed" ? one.reason : null,
        detail: one.outcome === "suppressed" ? one.detail : null,
      })),
    },
    entities_ended: done.entitiesEnded,
  };
}

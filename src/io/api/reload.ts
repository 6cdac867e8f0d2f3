import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { boolean, documented, firstOf, list, number, object, orNull, text, word } from "./codec.ts";
import { closedQuery } from "./lists/closed-query.ts";
import { reply, TOKEN_REFUSALS, WRONG_QUERY } from "./replies.ts";
import type { ServerSource } from "./server-source.ts";
import { needsToken } from "./tokens.ts";

/** The most alerts and the most actions that are listed; the rest is only counted. */
const MOST_LISTED = 200;

const alert = object({
  alertname: text,
  entity: text,
  change: word(["pending", "firing", "resolved", "dropped"]),
  detail: text,
});

const action = object({
  action: text,
  alertname: text,
  entity: text,
  outcome: word(["confirming", "suppressed"]),
  reason: orNull(text),
  detail: orNull(text),
});

export const reloadAnswer = documented(
  object({
    reloaded: boolean,
    dryRun: boolean,
    settings: list(object({ key: text, before: text, after: text })),
    rules: object({ added: list(text), removed: list(text), changed: list(text) }),
    alerts: firstOf(MOST_LISTED, alert),
    actions: firstOf(MOST_LISTED, action),
    entitiesEnded: number,
  }),
  "Reload",
);

const refusedSchema = z.object({
  reloaded: z.literal(false),
  dry_run: z.boolean(),
  problems: z.string(),
});

/** `POST /-/reload`: reads config and rules again; with `dry_run=true` it only says what that would do. */
export function addReload(app: OpenAPIHono, source: ServerSource): void {
  const route = createRoute({
    method: "post",
    path: "/-/reload",
    summary:
      "Reads config and rules again, all or nothing. Needs a token with the scope `operate`.",
    request: { query: closedQuery(z.object({ dry_run: z.enum(["true", "false"]).optional() })) },
    ...needsToken(source, "operate"),
    responses: {
      200: reply(
        "Config and rules are in force; with `dry_run`, what they would change.",
        reloadAnswer.schema,
      ),
      400: WRONG_QUERY,
      ...TOKEN_REFUSALS,
      422: reply("There are problems; what was in force before still is.", refusedSchema),
    },
  });
  app.openapi(route, (context) => {
    const dryRun = context.req.valid("query").dry_run === "true";
    const outcome = source.reload(context.var.operator, dryRun);
    if (!outcome.ok) {
      return context.json(
        { reloaded: false as const, dry_run: dryRun, problems: outcome.problem },
        422,
      );
    }
    const answer = { reloaded: !dryRun, dryRun, ...outcome.value };
    return context.json(reloadAnswer.encode(answer), 200);
  });
}

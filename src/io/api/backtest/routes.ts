import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { renderProblem } from "../../../config/problem.ts";
import { entityKey, type EntityId } from "../../../domain/entity.ts";
import { DAY, formatInstant, type Instant } from "../../../domain/time.ts";
import { aliasOf, type Entities } from "../details/about-finding.ts";
import { NO_PARAMETERS } from "../lists/closed-query.ts";
import { instantText } from "../lists/query.ts";
import {
  BODY_REFUSALS,
  errorSchema,
  reply,
  TOKEN_REFUSALS,
  wrong,
  WRONG_QUERY,
} from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { needsToken } from "../tokens.ts";
import { triedRules } from "../trial/answer.ts";
import { compileTried } from "../trial/tried-rules.ts";
import { backtestAnswer, type BacktestStatus } from "./answer.ts";

const LONGEST = 7 * DAY;
const PATH = "/api/v1/backtest";

const body = z.strictObject({
  since: instantText,
  until: instantText.optional(),
  rules: triedRules
    .optional()
    .openapi({ description: "A rule file, as YAML, instead of the rules in force." }),
  id: z.string().min(1).max(64).optional().openapi({
    description: "Any text of the caller, who knows the backtest by it if this answer is lost.",
  }),
});

/** `POST`, `GET` and `DELETE /api/v1/backtest`. */
export function addBacktest(app: OpenAPIHono, source: ServerSource): void {
  const { backtesting } = source;
  const shown = () => named(backtesting.status(), source.view().entities);
  const status = reply("Its progress and its result.", backtestAnswer.schema);
  const start = createRoute({
    method: "post",
    path: PATH,
    summary:
      "Replays the record with the rules in force, or with those of the body: what they would have done differently. Nothing is kept or sent. Needs a token with the scope `read`.",
    request: {
      query: NO_PARAMETERS,
      body: { required: true, content: { "application/json": { schema: body } } },
    },
    ...needsToken(source, "read"),
    responses: {
      202: status,
      ...BODY_REFUSALS,
      ...TOKEN_REFUSALS,
      409: reply("Another one is running.", errorSchema),
    },
  });
  app.openapi(start, (context) => {
    const { id, since, until, rules: text } = context.req.valid("json");
    const [from, to] = [Date.parse(since), until === undefined ? source.now() : Date.parse(until)];
    const problem = problemOf(from, to, source.now());
    if (problem !== undefined) return context.json(wrong("body", [problem]), 400);
    const tried = text === undefined ? undefined : { text, ...compileTried(source.view(), text) };
    if (tried !== undefined && tried.problems.length > 0) {
      const problems = tried.problems.map((one) => renderProblem(one));
      return context.json({ error: "the rules are wrong", problems }, 400);
    }
    if (
      !backtesting.start(context.get("operator"), {
        id,
        since: from,
        until: to,
        tried: tried && { text: tried.text, rules: new Set(tried.rules.map(({ alert }) => alert)) },
      })
    )
      return context.json({ error: "another backtest is running; cancel it, or wait" }, 409);
    return context.json(backtestAnswer.encode(shown()), 202);
  });
  for (const [method, summary] of [
    ["get", "The progress of the backtest, and the result of the last one."],
    ["delete", "Cancels the running backtest."],
  ] as const) {
    const route = createRoute({
      method,
      path: PATH,
      summary: `${summary} Needs a token with the scope \`read\`.`,
      request: { query: NO_PARAMETERS },
      ...needsToken(source, "read"),
      responses: { 200: status, 400: WRONG_QUERY, ...TOKEN_REFUSALS },
    });
    app.openapi(route, (context) => {
      if (method === "delete") backtesting.cancel();
      return context.json(backtestAnswer.encode(shown()), 200);
    });
  }
}

/** Adds aliases: the replay knows only ids, but people know entities by their aliases. */
function named(status: BacktestStatus, entities: Entities): BacktestStatus {
  const { result } = status;
  if (result === undefined) return status;
  const name = <Run extends { readonly entity: EntityId }>(run: Run) => ({
    ...run,
    alias: aliasOf(entities, entityKey(run.entity)),
  });
  const { alertsMore, alertsFewer, alertsMoved, actionsMore, actionsFewer } = result;
  return {
    ...status,
    result: {
      ...result,
      alertsMore: alertsMore.map(name),
      alertsFewer: alertsFewer.map(name),
      alertsMoved: alertsMoved.map(({ would, told }) => ({ would: name(would), told: name(told) })),
      actionsMore: actionsMore.map(name),
      actionsFewer: actionsFewer.map(name),
    },
  };
}

function problemOf(since: Instant, until: Instant, now: Instant): string | undefined {
  if (until > now) return `until: it is in the future; now it is ${formatInstant(now)}`;
  if (since >= until) return "since: must be before until";
  return until - since > LONGEST ? "since: a backtest covers at most seven days" : undefined;
}

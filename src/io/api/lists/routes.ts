import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { errorSchema, problemsSchema, reply } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { alertsAnswer, alertsIn, alertsQuery } from "./alerts.ts";
import { entitiesAnswer, entitiesIn, entitiesQuery } from "./entities.ts";
import { remediationsAnswer, remediationsIn, remediationsQuery } from "./remediations.ts";
import { viewAt } from "./past-view.ts";
import { pollersAnswer, pollersIn, pollersQuery } from "./pollers.ts";

const WRONG_QUERY = reply("The query is wrong: every problem.", problemsSchema);

const NOT_KEPT = reply("It is not kept as of that instant, and why.", errorSchema);

/** The record has what entities were; it is read by `aggwatch backtest`, and not here. */
const NOT_ANSWERED =
  "not kept: what entities and pollers were then is not answered; `/api/v1/alerts`, `/remediations`, `/timeline` and `/explain` look back";

/** What is known, in lists that are filtered, sorted and paged here. */
export function addLists(app: OpenAPIHono, source: ServerSource): void {
  const entities = createRoute({
    method: "get",
    path: "/api/v1/entities",
    summary: "Entities: filtered, sorted, a page at a time, with counts by kind and condition.",
    request: { query: entitiesQuery },
    responses: {
      200: reply("A page.", entitiesAnswer.schema),
      400: WRONG_QUERY,
      410: NOT_KEPT,
    },
  });
  app.openapi(entities, (context) => {
    const query = context.req.valid("query");
    if (query.at !== undefined) return context.json({ error: NOT_ANSWERED }, 410);
    const answer = entitiesIn(source.view(), query);
    return context.json(entitiesAnswer.encode(answer), 200);
  });
  const alerts = createRoute({
    method: "get",
    path: "/api/v1/alerts",
    summary: "Alerts: filtered, sorted, a page at a time, with counts by rule.",
    request: { query: alertsQuery },
    responses: {
      200: reply("A page.", alertsAnswer.schema),
      400: WRONG_QUERY,
      410: NOT_KEPT,
    },
  });
  app.openapi(alerts, async (context) => {
    const query = context.req.valid("query");
    const view = await viewAt(source, query.at);
    if (!view.ok) return context.json({ error: view.problem }, 410);
    const answer = alertsIn(view.value, query);
    return context.json(alertsAnswer.encode(answer), 200);
  });
  addPollers(app, source);
  addRemediations(app, source);
}

function addPollers(app: OpenAPIHono, source: ServerSource): void {
  const pollers = createRoute({
    method: "get",
    path: "/api/v1/pollers",
    summary:
      "Pollers: the outcomes and durations of their last polls, and of the last hours' polls.",
    request: { query: pollersQuery },
    responses: {
      200: reply("All of them.", pollersAnswer.schema),
      400: WRONG_QUERY,
      410: NOT_KEPT,
    },
  });
  app.openapi(pollers, (context) => {
    const query = context.req.valid("query");
    if (query.at !== undefined) return context.json({ error: NOT_ANSWERED }, 410);
    const answer = pollersIn(source.view(), source.polls, query);
    return context.json(pollersAnswer.encode(answer), 200);
  });
}

function addRemediations(app: OpenAPIHono, source: ServerSource): void {
  const remediations = createRoute({
    method: "get",
    path: "/api/v1/remediations",
    summary: "Remediations: filtered, the newest first, a page at a time.",
    request: { query: remediationsQuery },
    responses: {
      200: reply("A page.", remediationsAnswer.schema),
      400: WRONG_QUERY,
      410: NOT_KEPT,
    },
  });
  app.openapi(remediations, async (context) => {
    const query = context.req.valid("query");
    const view = await viewAt(source, query.at);
    if (!view.ok) return context.json({ error: view.problem }, 410);
    const answer = remediationsIn(view.value, query);
    return context.json(remediationsAnswer.encode(answer), 200);
  });
}

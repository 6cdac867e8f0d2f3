import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { problemsSchema, reply } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { alertsAnswer, alertsIn, alertsQuery } from "./alerts.ts";
import { entitiesAnswer, entitiesIn, entitiesQuery } from "./entities.ts";
import { remediationsAnswer, remediationsIn, remediationsQuery } from "./remediations.ts";
import { pollersAnswer, pollersIn, pollersQuery } from "./pollers.ts";

const WRONG_QUERY = reply("The query is wrong: every problem.", problemsSchema);

/** What is known, in lists that are filtered, sorted and paged here. */
export function addLists(app: OpenAPIHono, source: ServerSource): void {
  const entities = createRoute({
    method: "get",
    path: "/api/v1/entities",
    summary: "Entities: filtered, sorted, a page at a time, with counts by kind and condition.",
    request: { query: entitiesQuery },
    responses: { 200: reply("A page.", entitiesAnswer.schema), 400: WRONG_QUERY },
  });
  app.openapi(entities, (context) => {
    const answer = entitiesIn(source.view(), context.req.valid("query"));
    return context.json(entitiesAnswer.encode(answer), 200);
  });
  const alerts = createRoute({
    method: "get",
    path: "/api/v1/alerts",
    summary: "Alerts: filtered, sorted, a page at a time, with counts by rule.",
    request: { query: alertsQuery },
    responses: { 200: reply("A page.", alertsAnswer.schema), 400: WRONG_QUERY },
  });
  app.openapi(alerts, (context) => {
    const answer = alertsIn(source.view(), context.req.valid("query"));
    return context.json(alertsAnswer.encode(answer), 200);
  });
  const pollers = createRoute({
    method: "get",
    path: "/api/v1/pollers",
    summary:
      "Pollers: the outcomes and durations of their last polls, and of the last hours' polls.",
    request: { query: pollersQuery },
    responses: { 200: reply("All of them.", pollersAnswer.schema), 400: WRONG_QUERY },
  });
  app.openapi(pollers, (context) => {
    const answer = pollersIn(source.view(), source.polls, context.req.valid("query"));
    return context.json(pollersAnswer.encode(answer), 200);
  });
  const remediations = createRoute({
    method: "get",
    path: "/api/v1/remediations",
    summary: "Remediations: filtered, the newest first, a page at a time.",
    request: { query: remediationsQuery },
    responses: { 200: reply("A page.", remediationsAnswer.schema), 400: WRONG_QUERY },
  });
  app.openapi(remediations, (context) => {
    const answer = remediationsIn(source.view(), context.req.valid("query"));
    return context.json(remediationsAnswer.encode(answer), 200);
  });
}

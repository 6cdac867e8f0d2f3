import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Moments } from "../past/moment.ts";
import { addRead, kept } from "../past/read-route.ts";
import { alertsAnswer, alertsIn, alertsQuery } from "./alerts.ts";
import { entitiesAnswer, entitiesIn, entitiesQuery } from "./entities.ts";
import { remediationsAnswer, remediationsIn, remediationsQuery } from "./remediations.ts";
import { pollersAnswer, pollersIn, pollersQuery } from "./pollers.ts";

/** What is known, in lists that are filtered, sorted and paged here. */
export function addLists(app: OpenAPIHono, moments: Moments): void {
  addRead(app, {
    path: "/api/v1/entities",
    summary: "Entities: filtered, sorted, a page at a time, with counts by kind and condition.",
    query: entitiesQuery,
    answer: entitiesAnswer,
    of: (query) =>
      kept(moments.at(query.at), ({ view, past }) => entitiesIn(view, query, past?.notKept)),
  });
  addRead(app, {
    path: "/api/v1/alerts",
    summary: "Alerts: filtered, sorted, a page at a time, with counts by rule.",
    query: alertsQuery,
    answer: alertsAnswer,
    of: (query) => kept(moments.viewAt(query.at), (view) => alertsIn(view, query)),
  });
  addRead(app, {
    path: "/api/v1/pollers",
    summary:
      "Pollers: the outcomes and durations of their last polls, and of the last hours' polls.",
    query: pollersQuery,
    answer: pollersAnswer,
    of: (query) => kept(moments.at(query.at), (moment) => pollersIn(moment, query)),
  });
  addRead(app, {
    path: "/api/v1/remediations",
    summary: "Remediations: filtered, the newest first, a page at a time.",
    query: remediationsQuery,
    answer: remediationsAnswer,
    of: (query) => kept(moments.viewAt(query.at), (view) => remediationsIn(view, query)),
  });
}

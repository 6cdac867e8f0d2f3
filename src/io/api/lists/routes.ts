import type { OpenAPIHono } from "@hono/zod-openapi";
import { succeed } from "../../../domain/result.ts";
import { createTimeSlice, inSlices } from "../../process/time-slice.ts";
import type { Moments } from "../past/moment.ts";
import { addRead } from "../read-route.ts";
import type { ServerSource } from "../server-source.ts";
import { alertsAnswer, alertsIn, alertsQuery } from "./alerts.ts";
import { entitiesAnswer, entitiesIn, entitiesQuery } from "./entities.ts";
import { refuseUnknown, type Named } from "./known-names.ts";
import { remediationsAnswer, remediationsIn, remediationsQuery } from "./remediations.ts";
import { pollersAnswer, pollersIn, pollersQuery } from "./pollers.ts";
import type { View } from "./view.ts";

/** The lists of the API, which are filtered, sorted and paged here. */
export function addLists(
  app: OpenAPIHono,
  { names }: Pick<ServerSource, "names">,
  moments: Moments,
): void {
  addRead(app, {
    path: "/api/v1/entities",
    summary: "Entities: filtered, sorted, a page at a time, with counts by kind and condition.",
    query: entitiesQuery,
    answer: entitiesAnswer,
    of: async (query) => {
      const moment = await moments.at(query.at);
      if (!moment.ok) return moment;
      const { view, past } = moment.value;
      const refused = refuseUnknown(query, names, () => entitiesOf(view));
      if (refused !== undefined) return refused;
      return succeed(await inSlices(entitiesIn(view, query, past?.notKept), createTimeSlice()));
    },
  });
  addRead(app, {
    path: "/api/v1/alerts",
    summary: "Alerts: filtered, sorted, a page at a time, with counts by rule.",
    query: alertsQuery,
    answer: alertsAnswer,
    of: async (query) => {
      const view = await moments.viewAt(query.at);
      if (!view.ok) return view;
      const refused = refuseUnknown(query, names, () => view.value.alerts.values());
      return refused ?? succeed(alertsIn(view.value, query));
    },
  });
  addRead(app, {
    path: "/api/v1/pollers",
    summary:
      "Pollers: the outcomes and durations of their last polls, and of the last hours' polls.",
    query: pollersQuery,
    answer: pollersAnswer,
    of: async ({ aggregator, ...query }) => {
      const moment = await moments.at(query.at);
      if (!moment.ok) return moment;
      const refused = refuseUnknown({ aggregator }, names, () => entitiesOf(moment.value.view));
      return refused ?? succeed(pollersIn(moment.value, { aggregator, ...query }));
    },
  });
  addRead(app, {
    path: "/api/v1/remediations",
    summary: "Remediations: filtered, the newest first, a page at a time.",
    query: remediationsQuery,
    answer: remediationsAnswer,
    of: async (query) => {
      const view = await moments.viewAt(query.at);
      if (!view.ok) return view;
      const refused = refuseUnknown(query, names, () => view.value.remediations.values());
      return refused ?? succeed(remediationsIn(view.value, query));
    },
  });
}

function entitiesOf({ entities }: View): Iterable<Named> {
  return entities.values().map((entity) => ({ entity }));
}

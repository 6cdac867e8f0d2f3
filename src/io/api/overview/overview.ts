import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { POLLER_KIND } from "../../../core/observe/poller-health.ts";
import { SECOND, type Instant } from "../../../domain/time.ts";
import { VERDICT_TONES, verdictOf } from "../../page/verdict.ts";
import { alertGroupsOf } from "./alert-groups.ts";
import {
  documented,
  instant,
  list,
  named,
  number,
  object,
  orNull,
  text,
  word,
  type JsonOf,
  type ValueOf,
} from "../codec.ts";
import { entitiesIn, kindCount } from "../lists/entities.ts";
import { reply } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { besideOf, standing, standingOf, watched, watchedBy } from "../status-answer.ts";
import { remediationRow } from "../status-rows.ts";
import { HOW_TO_ENABLE } from "../tokens.ts";

/** `GET /api/v1/overview`: what fits on one screen, however much is watched. The console begins with it. */

const alertGroup = object({
  rule: named("alertname", text),
  severity: text,
  summary: text,
  runbook: documented(orNull(text), { description: "A shipped one by its name, or an address." }),
  firing: number,
  pending: number,
  resolved: number,
  unknown: documented(number, { description: "Of those that fire or are pending: not sure now." }),
  muted: documented(number, { description: "Of those: muted by another rule that fires." }),
  since: documented(instant, { description: "When the oldest of them began." }),
  suppressed: documented(list(object({ reason: text, alerts: number })), {
    description: "Why nothing is sent for so many of them.",
  }),
});

export const overviewAnswer = documented(
  object({
    ...standing,
    verdict: object({ tone: word(VERDICT_TONES), headline: text, lines: list(text) }),
    whyReadOnly: documented(orNull(text), {
      description: "Why no call that writes is taken; null if a token allows them.",
    }),
    alertGroups: documented(list(alertGroup), { description: "By rule, the worst first." }),
    aggregators: list(object({ name: text, watched, kinds: list(kindCount) })),
    remediations: documented(list(remediationRow), { description: "The newest of them." }),
  }),
  "Overview",
);

export type OverviewJson = JsonOf<typeof overviewAnswer>;

const MOST_REMEDIATIONS = 20;

export function addOverview(app: OpenAPIHono, source: ServerSource): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/overview",
    summary: "What fits on one screen: the verdict, what waits for a person, and counts.",
    responses: { 200: reply("The overview, at most a second old.", overviewAnswer.schema) },
  });
  // However many look, it is made once a second.
  let made: { readonly at: Instant; readonly json: OverviewJson } | undefined;
  app.openapi(route, (context) => {
    const now = source.now();
    if (made === undefined || now < made.at || now - made.at >= SECOND)
      made = { at: now, json: overviewAnswer.encode(overviewOf(source)) };
    return context.json(made.json, 200);
  });
}

function overviewOf(source: ServerSource): ValueOf<typeof overviewAnswer> {
  const [status, view, beside] = [source.overview(), source.view(), besideOf(source)];
  const pollers = [...view.entities.values()].filter(({ kind }) => kind === POLLER_KIND);
  const judged = { ...status, alerts: [...view.alerts.values()], pollers };
  return {
    ...standingOf(status, beside),
    verdict: verdictOf(judged, source.unhealthy()),
    whyReadOnly: source.gate.isEnabled() ? undefined : HOW_TO_ENABLE,
    alertGroups: alertGroupsOf(view),
    aggregators: source.names().aggregator.map((name) => ({
      name,
      watched: watchedBy(name, beside),
      kinds: entitiesIn(view, { aggregator: name, sort: "key", limit: 1 }).counts,
    })),
    remediations: [...view.remediations.values()].slice(-MOST_REMEDIATIONS).toReversed(),
  };
}

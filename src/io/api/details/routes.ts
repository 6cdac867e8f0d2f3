import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { errorSchema, problemsSchema, reply } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { alertAnswer, alertOf } from "./alert.ts";
import { entityAnswer, entityOf } from "./entity.ts";
import { rulesAnswer, rulesIn } from "./rules.ts";
import { timelineAnswer, timelineIn, timelineQuery } from "./timeline.ts";

const part = z.string().min(1).max(600);
const entityParams = z.object({ aggregator: part, kind: part, id: part });
const NOT_KNOWN = reply("Nothing is known of it.", errorSchema);

/** One entity, and one alert. */
export function addDetails(app: OpenAPIHono, source: ServerSource): void {
  const detail = {
    view: source.view,
    explain: source.explain,
    outbox: source.outbox,
    historyOf: (alert: string) => source.past.historyOf(alert, source.now()),
  };
  const entity = createRoute({
    method: "get",
    path: "/api/v1/entities/{aggregator}/{kind}/{id}",
    summary: "All about one entity: facts, rules with every guard, alerts, remediations, history.",
    request: { params: entityParams },
    responses: { 200: reply("All about it.", entityAnswer.schema), 404: NOT_KNOWN },
  });
  app.openapi(entity, async (context) => {
    const id = context.req.valid("param");
    const answer = await entityOf(id, detail);
    if (answer !== undefined) return context.json(entityAnswer.encode(answer), 200);
    const error = `${id.aggregator}/${id.kind}/${id.id} is not known: never seen, or gone`;
    return context.json({ error }, 404);
  });
  const alert = createRoute({
    method: "get",
    path: "/api/v1/alerts/{alertname}/{aggregator}/{kind}/{id}",
    summary: "All about one alert: why, its runs, whom it was told, remediations, history.",
    request: { params: entityParams.extend({ alertname: part }) },
    responses: { 200: reply("All about it.", alertAnswer.schema), 404: NOT_KNOWN },
  });
  app.openapi(alert, async (context) => {
    const { alertname, ...id } = context.req.valid("param");
    const answer = await alertOf(alertname, id, detail);
    if (answer !== undefined) return context.json(alertAnswer.encode(answer), 200);
    return context.json({ error: `nothing is known of ${alertname} on ${id.kind}/${id.id}` }, 404);
  });
}

/** The rules, and what happened. */
export function addRulesAndTimeline(app: OpenAPIHono, source: ServerSource): void {
  const rules = createRoute({
    method: "get",
    path: "/api/v1/rules",
    summary: "The rules in force, with their text, and how many alerts each has.",
    request: { query: z.object({ coverage: z.enum(["true", "false"]).default("false") }) },
    responses: {
      200: reply("All of them.", rulesAnswer.schema),
      400: reply("The query is wrong.", problemsSchema),
    },
  });
  app.openapi(rules, (context) => {
    const isCovered = context.req.valid("query").coverage === "true";
    const aggregators = isCovered ? source.names().aggregator : [];
    const answer = rulesIn(source.view(), aggregators, source.coverage);
    return context.json(rulesAnswer.encode(answer), 200);
  });
  const timeline = createRoute({
    method: "get",
    path: "/api/v1/timeline",
    summary: "What happened between two instants, the newest first, from the journal.",
    request: { query: timelineQuery },
    responses: {
      200: reply("A page.", timelineAnswer.schema),
      400: reply("The query is wrong: every problem.", problemsSchema),
    },
  });
  app.openapi(timeline, async (context) => {
    const answer = await timelineIn(source.past, source.now(), context.req.valid("query"));
    return context.json(timelineAnswer.encode(answer), 200);
  });
}

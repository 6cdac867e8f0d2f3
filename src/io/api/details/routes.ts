import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { entityKey } from "../../../domain/entity.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import { createTimeSlice, inSlices } from "../../process/time-slice.ts";
import { refuseUnknown } from "../lists/known-names.ts";
import { atQuery, textUpTo } from "../lists/query.ts";
import type { ValueOf } from "../codec.ts";
import { ruleInForce } from "../past/in-force.ts";
import type { Moment, Moments } from "../past/moment.ts";
import type { Refusal } from "../past/kept.ts";
import { addRead } from "../read-route.ts";
import type { ServerSource } from "../server-source.ts";
import { alertAnswer, alertOf } from "./alert.ts";
import { detailOf } from "./detail-source.ts";
import {
  createEntityHistories,
  entityHistoryAnswer,
  entityHistoryQuery,
} from "./entity-history.ts";
import { entityAnswer, entityOf } from "./entity.ts";
import { rulesAnswer, rulesIn, type Covered } from "./rules.ts";
import { spanProblem, timelineAnswer, timelineIn, timelineQuery } from "./timeline.ts";

const part = textUpTo(600);
const entityParams = z.object({ aggregator: part, kind: part, id: part });
const pastQuery = z.object({ at: atQuery });

export function addDetails(app: OpenAPIHono, source: ServerSource, moments: Moments): void {
  addRead(app, {
    path: "/api/v1/entities/{aggregator}/{kind}/{id}",
    summary: "One entity: facts, rules with every guard, alerts, remediations, history.",
    params: entityParams,
    query: pastQuery,
    answer: entityAnswer,
    of: async ({ at }, id) => {
      const moment = await moments.at(at);
      if (!moment.ok) return moment;
      const answer = await entityOf(id, detailOf(source, moment.value));
      if (answer !== undefined) return succeed(answer);
      if (moment.value.past?.notKept.includes(id.kind) === true) {
        const error = `not kept: the past of what is of the kind ${id.kind} is not in the record`;
        return fail({ status: 410, error });
      }
      const known = at === undefined ? "is not known: never seen, or gone" : "was not known then";
      return fail({ status: 404, error: `${id.aggregator}/${id.kind}/${id.id} ${known}` });
    },
  });
  const historyOf = createEntityHistories(source);
  addRead(app, {
    path: "/api/v1/entities/{aggregator}/{kind}/{id}/history",
    summary:
      "One entity over time, from the record: its condition, and its facts that are numbers.",
    params: entityParams,
    query: entityHistoryQuery,
    answer: entityHistoryAnswer,
    of: async (query, id) => await historyOf(id, query),
  });
  addRead(app, {
    path: "/api/v1/alerts/{alertname}/{aggregator}/{kind}/{id}",
    summary:
      "One alert: why it is in its state, its runs, who was notified, remediations, history.",
    params: entityParams.extend({ alertname: part }),
    query: pastQuery,
    answer: alertAnswer,
    of: async ({ at }, { alertname, ...id }) => {
      const moment = await moments.at(at);
      if (!moment.ok) return moment;
      const answer = await alertOf(alertname, id, detailOf(source, moment.value));
      if (answer !== undefined) return succeed(answer);
      const error = `nothing is known of ${alertname} on ${entityKey(id)}`;
      return fail({ status: 404, error });
    },
  });
}

/** In slices, because it takes long if much is watched. */
async function coveredBy(source: ServerSource): Promise<readonly Covered[]> {
  const slice = createTimeSlice(source.idle);
  const covered: Covered[] = [];
  for (const aggregator of source.names().aggregator)
    for (const of of await inSlices(source.coverage(aggregator), slice))
      covered.push({ aggregator, of });
  return covered;
}

const RULES_NOT_KEPT =
  "not kept: the aggwatch that ran then did not record its rules; `/api/v1/rules` has those in force now";

/** Without coverage, which is not kept. */
function rulesThen({ view, past }: Moment): Result<ValueOf<typeof rulesAnswer>, Refusal> {
  const rules = past?.inForce.rules;
  return rules === undefined
    ? fail({ status: 410, error: RULES_NOT_KEPT })
    : succeed(rulesIn(view, rules, []));
}

export function addRulesAndTimeline(
  app: OpenAPIHono,
  source: ServerSource,
  moments: Moments,
): void {
  addRead(app, {
    path: "/api/v1/rules",
    summary: "The rules in force, now or then, with their text, and how many alerts each has.",
    query: z.object({ at: atQuery, coverage: z.enum(["true", "false"]).default("false") }),
    answer: rulesAnswer,
    of: async ({ at, coverage }) => {
      if (at !== undefined) {
        const moment = await moments.at(at);
        return moment.ok ? rulesThen(moment.value) : moment;
      }
      const covered = coverage === "true" ? await coveredBy(source) : [];
      const view = source.view();
      return succeed(rulesIn(view, [...view.rules.values()].map(ruleInForce), covered));
    },
  });
  addRead(app, {
    path: "/api/v1/timeline",
    summary: "What happened between two instants, the newest first, from the journal.",
    query: timelineQuery,
    answer: timelineAnswer,
    of: async (query) => {
      const problem = spanProblem(query);
      if (problem !== undefined) return fail({ status: 400, problems: [problem] });
      const view = await moments.viewAt(query.at);
      if (!view.ok) return view;
      const now = query.at === undefined ? source.now() : view.value.at;
      const made = await timelineIn(source.past, now, query, {
        view: view.value,
        aggregators: source.names().aggregator,
      });
      const hasFound = made.rows.length > 0 || made.next !== undefined;
      const refused = hasFound ? undefined : refuseUnknown(query, source.names, () => []);
      return refused ?? succeed(made);
    },
  });
}

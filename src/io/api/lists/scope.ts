import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { coveredInSlices } from "../../../core/change/holds.ts";
import type { Scope } from "../../../domain/hold.ts";
import { succeed } from "../../../domain/result.ts";
import { createTimeSlice, inSlices } from "../../process/time-slice.ts";
import { documented, instant, number, object } from "../codec.ts";
import type { Moments } from "../past/moment.ts";
import { addRead } from "../read-route.ts";
import { atQuery, wordQuery } from "./query.ts";

/** `GET /api/v1/scope`: how much a hold or a silence would cover. */

const scopeQuery = z.object({
  at: atQuery,
  aggregator: wordQuery,
  kind: wordQuery,
  id: wordQuery.openapi({ description: "It also covers what belongs to it." }),
  rule: wordQuery,
});

export const scopeAnswer = documented(
  object({
    at: instant,
    entities: number,
    alerts: documented(number, { description: "Those that are pending or firing." }),
  }),
  "Scope",
);

export function addScope(app: OpenAPIHono, moments: Moments): void {
  addRead(app, {
    path: "/api/v1/scope",
    summary: "How much a hold or a silence of this scope would cover; what is left out is all.",
    query: scopeQuery,
    answer: scopeAnswer,
    of: async ({ at, ...scope }) => {
      const moment = await moments.at(at);
      if (!moment.ok) return moment;
      const { view, past } = moment.value;
      const then = past?.inForce.rules?.map((rule) => [rule.alert, rule] as const);
      const rules = then === undefined ? view.rules : new Map(then);
      const counting = coveredInSlices({ ...view, rules }, scope as Scope);
      return succeed({ at: view.at, ...(await inSlices(counting, createTimeSlice())) });
    },
  });
}

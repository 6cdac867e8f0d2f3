import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Explanation } from "../../core/explain/explain.ts";
import type { EntityId } from "../../domain/entity.ts";
import type { JudgedAction, Judgement } from "../../domain/judgement.ts";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import { ACTION_NAMES, MODES } from "../../domain/action.ts";
import { SUPPRESSION_REASONS } from "../../domain/guard.ts";
import { formatInstant } from "../../domain/time.ts";
import { errorSchema, problemsSchema } from "./operate-schema.ts";
import type { Explained, ServerSource } from "./server-source.ts";

/** `GET /api/v1/explain`: why an alert is in its state, and why an action was or was not sent. */

const content = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

const value = z.union([z.string(), z.number(), z.boolean()]).nullable();

const explanationSchema = z.object({
  condition: z
    .object({
      source: z.string(),
      truth: z.enum(["ok", "bad", "unknown"]),
      reason: z.string().nullable(),
      facts: z.array(z.object({ name: z.string(), value })),
      poller: z.string().nullable(),
      read_at: z.string().nullable(),
      unknown_since: z.string().nullable(),
    })
    .nullable(),
  alert: z
    .object({
      state: z.string(),
      active_at: z.string(),
      fired_at: z.string().nullable(),
      attempts: z.number(),
    })
    .nullable(),
  action: z
    .object({
      name: z.enum(ACTION_NAMES),
      mode: z.enum(MODES),
      guards: z.array(
        z.object({ guard: z.enum(SUPPRESSION_REASONS), objects: z.boolean(), detail: z.string() }),
      ),
    })
    .nullable(),
  remediations: z.array(
    z.object({
      id: z.string(),
      action: z.enum(ACTION_NAMES),
      state: z.enum(REMEDIATION_STATES),
      requested_at: z.string(),
      settled_at: z.string().nullable(),
      approved_by: z.string().nullable(),
      detail: z.string(),
    }),
  ),
});

export const explainSchema = z
  .object({
    at: z.string(),
    rule: z.string(),
    entity: z.object({ aggregator: z.string(), kind: z.string(), id: z.string() }),
    reconstructed: z
      .boolean()
      .openapi({ description: "Made from the journal's findings, as the instant is past." }),
    judged_at: z.string().nullable().openapi({
      description:
        "When what the condition and the guards said was so: now, or when it was last recorded.",
    }),
    told: z.array(z.string()).openapi({ description: "Sentences for people, the answer first." }),
    explanation: explanationSchema,
  })
  .openapi("Explanation");

type ExplainWire = z.infer<typeof explainSchema>;

const querySchema = z.object({
  rule: z.string().min(1).max(300),
  entity: z
    .string()
    .max(600)
    .regex(/^[^/]+\/.+$/, "must be kind/id, as exchange/BINANCE")
    .openapi({ example: "exchange/BINANCE" }),
  aggregator: z.string().min(1).max(300).optional(),
  at: z.iso
    .datetime({ offset: true, error: "must be an instant as 2026-01-31T12:00:00Z" })
    .optional(),
});

export function addExplain(app: OpenAPIHono, source: ServerSource): void {
  const route = createRoute({
    method: "get",
    path: "/api/v1/explain",
    summary: "Why an alert is in its state, and why an action was or was not sent.",
    request: { query: querySchema },
    responses: {
      200: { description: "The reasons.", content: content(explainSchema) },
      400: { description: "The query is wrong.", content: content(problemsSchema) },
      404: { description: "There is no such rule or entity.", content: content(errorSchema) },
    },
  });
  app.openapi(route, (context) => {
    const { rule, entity: text, aggregator, at } = context.req.valid("query");
    const entity = entityOf(text, aggregator, source.names().aggregator);
    if (entity === undefined) {
      const all = source.names().aggregator.join(", ");
      const problems = [`aggregator: there are several (${all}); say which`];
      return context.json({ error: "the query is wrong", problems }, 400);
    }
    const then = at === undefined ? undefined : Date.parse(at);
    if (then !== undefined && then > source.now()) {
      const problems = [`at: ${at} is yet to come; it is ${formatInstant(source.now())}`];
      return context.json({ error: "the query is wrong", problems }, 400);
    }
    const explained = source.explain(rule, entity, then);
    if (!explained.ok) return context.json({ error: explained.problem }, 404);
    return context.json(explainedToWire(explained.value, then !== undefined), 200);
  });
}

/** The aggregator may be left out where there is one. */
function entityOf(
  text: string,
  aggregator: string | undefined,
  known: readonly string[],
): EntityId | undefined {
  const [only] = known;
  const own = aggregator ?? (known.length === 1 ? only : undefined);
  const cut = text.indexOf("/");
  if (own === undefined) return undefined;
  return { aggregator: own, kind: text.slice(0, cut), id: text.slice(cut + 1) };
}

function explainedToWire(
  { explanation: it, told }: Explained,
  reconstructed: boolean,
): ExplainWire {
  return {
    at: formatInstant(it.at),
    rule: it.rule,
    entity: it.entity,
    reconstructed,
    judged_at: instant(it.judgement?.at),
    told: [...told],
    explanation: explanationToWire(it),
  };
}

const instant = (at: number | undefined): string | null =>
  at === undefined ? null : formatInstant(at);

function explanationToWire({
  judgement,
  alert,
  remediations,
}: Explanation): z.infer<typeof explanationSchema> {
  return {
    condition: judgement === undefined ? null : conditionToWire(judgement.condition),
    alert:
      alert === undefined
        ? null
        : {
            state: alert.state,
            active_at: formatInstant(alert.activeAt),
            fired_at: instant(alert.firedAt),
            attempts: alert.attempts,
          },
    action: judgement?.action === undefined ? null : actionToWire(judgement.action),
    remediations: remediations.map((one) => ({
      id: one.id,
      action: one.action,
      state: one.state,
      requested_at: formatInstant(one.requestedAt),
      settled_at: instant(one.settledAt),
      approved_by: one.approvedBy ?? null,
      detail: one.detail,
    })),
  };
}

type ConditionWire = NonNullable<z.infer<typeof explanationSchema>["condition"]>;

function conditionToWire(condition: Judgement["condition"]): ConditionWire {
  return {
    source: condition.source,
    truth: condition.verdict.truth,
    reason: condition.verdict.reason ?? null,
    facts: condition.facts.map(({ name, value: known }) => ({ name, value: known ?? null })),
    poller: condition.reading?.poller ?? null,
    read_at: instant(condition.reading?.askedAt),
    unknown_since: instant(condition.unknownSince),
  };
}

type ActionWire = NonNullable<z.infer<typeof explanationSchema>["action"]>;

function actionToWire({ name, mode, guards }: JudgedAction): ActionWire {
  return {
    name,
    mode,
    guards: guards.map(({ reason, objects, detail }) => ({ guard: reason, objects, detail })),
  };
}

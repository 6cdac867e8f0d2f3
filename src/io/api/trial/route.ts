import type { HttpBindings } from "@hono/node-server";
import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { renderProblem, type Problem } from "../../../config/problem.ts";
import type { Trial, Tried } from "../../../core/explain/trial.ts";
import { entityKey } from "../../../domain/entity.ts";
import type { Rule } from "../../../domain/rule.ts";
import { createTimeSlice, inSlicesWhile, type TimeSlice } from "../../process/time-slice.ts";
import type { ValueOf } from "../codec.ts";
import { shownReads } from "../answer-parts.ts";
import { aliasOf } from "../details/about-finding.ts";
import { NO_PARAMETERS } from "../lists/closed-query.ts";
import { BODY_REFUSALS, errorSchema, reply, TOKEN_REFUSALS } from "../replies.ts";
import type { ServerSource } from "../server-source.ts";
import { needsToken } from "../tokens.ts";
import { trialAnswer, triedRules } from "./answer.ts";
import { compileTried } from "./tried-rules.ts";

const body = z.strictObject({
  rules: triedRules.openapi({ description: "A rule file, as YAML." }),
});

/** `POST /api/v1/try-rule`: what rules would decide now. Nothing is kept or sent. */
export function addTrial(app: OpenAPIHono, source: ServerSource): void {
  let isBusy = false;
  const slice = createTimeSlice(source.idle);
  const route = createRoute({
    method: "post",
    path: "/api/v1/try-rule",
    summary:
      "Tries rules on the present: problems, or what they find bad and would do. Nothing is kept. Needs a token with the scope `read`.",
    request: {
      query: NO_PARAMETERS,
      body: { required: true, content: { "application/json": { schema: body } } },
    },
    ...needsToken(source, "read"),
    responses: {
      200: reply("The result, or every problem of the rules.", trialAnswer.schema),
      ...BODY_REFUSALS,
      ...TOKEN_REFUSALS,
      409: reply("Another trial is running.", errorSchema),
    },
  });
  app.openapi(route, async (context) => {
    if (isBusy)
      return context.json({ error: "another trial is running; try again in a moment" }, 409);
    isBusy = true;
    try {
      const { rules } = context.req.valid("json");
      // Its work may be much, and others wait for their turn.
      const isWanted = () => !hasLeft(context);
      const tried = await tryRules(source, rules, { slice, isWanted });
      if (tried === undefined) return context.json({ error: "whoever asked has left" }, 409);
      return context.json(trialAnswer.encode(tried), 200);
    } finally {
      isBusy = false;
    }
  });
}

/** Whether the connection of the request is closed. A tool for agents asks on the connection of its caller. */
function hasLeft({ env }: Context): boolean {
  const { outgoing }: Partial<HttpBindings> = env ?? {};
  return outgoing?.destroyed === true;
}

/** Undefined if the answer was not wanted any more. */
async function tryRules(
  source: Pick<ServerSource, "view" | "trial">,
  written: string,
  { slice, isWanted }: { readonly slice: TimeSlice; readonly isWanted: () => boolean },
): Promise<ValueOf<typeof trialAnswer> | undefined> {
  const view = source.view();
  const { problems, rules } = compileTried(view, written);
  const tried: Array<ValueOf<typeof trialAnswer>["rules"][number]> = [];
  slice.begin();
  for (const rule of rules) {
    const trial = await inSlicesWhile(isWanted, source.trial(rule), slice);
    if (trial === undefined) return undefined;
    tried.push(shownTrial(rule, trial, view));
  }
  return { at: view.at, problems: problems.map(shownProblem), rules: tried };
}

type Shown = ValueOf<typeof trialAnswer>;

function shownProblem(problem: Problem): Shown["problems"][number] {
  return { ...problem, severity: problem.severity ?? "error", rendered: renderProblem(problem) };
}

function shownTrial(
  rule: Rule,
  trial: Trial,
  { kinds, entities }: ReturnType<ServerSource["view"]>,
): Shown["rules"][number] {
  const definition = kinds.get(rule.kind);
  const shown = (tried: readonly Tried[]) =>
    tried.map((one) => ({
      ...one,
      alias: aliasOf(entities, entityKey(one.entity)),
      facts: shownReads(one.facts, definition),
    }));
  return {
    ...trial,
    bad: shown(trial.bad),
    unknown: shown(trial.unknown),
    ok: shown(trial.ok),
    alertname: rule.alert,
    kind: rule.kind,
  };
}

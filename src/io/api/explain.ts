import { z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Explanation } from "../../core/explain/explain.ts";
import { ACTION_NAMES, MODES } from "../../domain/action.ts";
import { readWrittenEntity, type EntityId, type KindDefinition } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { TRUTHS } from "../../domain/rule.ts";
import { entityId, guardAnswers, readFacts, shownReads } from "./answer-parts.ts";
import {
  boolean,
  documented,
  instant,
  list,
  named,
  number,
  object,
  orNull,
  text,
  word,
  type ValueOf,
} from "./codec.ts";
import { ENTITY_MEANS, entityWord, instantText, textUpTo, wordQuery } from "./lists/query.ts";
import { thereIsNo } from "./lists/there-is-no.ts";
import type { View } from "./lists/view.ts";
import { addRead } from "./read-route.ts";
import type { Explained, KnownNames, ServerSource } from "./server-source.ts";
import { remediationFields } from "./status-rows.ts";

/** `GET /api/v1/explain`: why an alert is in its state, and why an action was or was not sent. */

const condition = object({
  source: text,
  truth: word(TRUTHS),
  reason: orNull(text),
  facts: readFacts,
  poller: orNull(text),
  readAt: orNull(instant),
  doubt: orNull(text),
  unknownSince: orNull(instant),
});

const { rule: _rule, entity: _entity, ...ownRemediation } = remediationFields;

export const explanationRow = object({
  condition: orNull(condition),
  alert: orNull(
    object({ state: text, activeAt: instant, firedAt: orNull(instant), attempts: number }),
  ),
  silencedBy: documented(orNull(list(text)), {
    description: "The ids of the silences that cover it; `null` in the past.",
  }),
  action: orNull(object({ name: word(ACTION_NAMES), mode: word(MODES), guards: guardAnswers })),
  remediations: list(object(ownRemediation)),
});

export const explainAnswer = documented(
  object({
    at: instant,
    rule: text,
    entity: entityId,
    isReconstructed: named(
      "reconstructed",
      documented(boolean, {
        description: "Made from the journal's findings, because the instant is past.",
      }),
    ),
    judgedAt: documented(orNull(instant), {
      description:
        "The instant of the readings and of the guards' answers: now, or when they were last recorded. A replica that does not own the entity has the current condition, but these as the owner recorded them.",
    }),
    sentences: named(
      "told",
      documented(list(text), { description: "Sentences for people, the answer first." }),
    ),
    explanation: explanationRow,
  }),
  "Explanation",
);

const querySchema = z.object({
  rule: textUpTo(300),
  entity: entityWord.openapi({ description: ENTITY_MEANS, example: "exchange/BINANCE" }),
  aggregator: wordQuery,
  at: instantText.optional(),
});

export function addExplain(app: OpenAPIHono, source: ServerSource): void {
  addRead(app, {
    path: "/api/v1/explain",
    summary: "Why an alert is in its state, and why an action was or was not sent.",
    query: querySchema,
    answer: explainAnswer,
    means: {
      200: "The reasons.",
      404: "There is no such rule or entity; of the past, no such rule, and nothing that it found.",
      410: "The journal does not look back to that instant.",
    },
    of: async ({ rule, entity: id, aggregator, at }) => {
      const entity = entityOf(id, aggregator, source.names());
      if (!entity.ok) return fail({ status: 400, problems: [`aggregator: ${entity.problem}`] });
      const then = at === undefined ? undefined : Date.parse(at);
      const explained = await source.explain(rule, entity.value, then);
      // Of a past instant, the only problem is that the journal does not look back to it.
      const status = then === undefined ? 404 : 410;
      if (!explained.ok) return fail({ status, error: explained.problem });
      const names = source.names().rule;
      if (then !== undefined && isOfNothing(explained.value) && !names.includes(rule))
        return fail({ status: 404, error: thereIsNo("rule", rule, names) });
      return succeed(answerOf(explained.value, source.view().kinds, then !== undefined));
    },
  });
}

/** In the past, a rule that is gone has what it found. A misspelt name has nothing, which must not look as if all was well. */
function isOfNothing({ explanation: it }: Explained): boolean {
  return it.alert === undefined && it.judgement === undefined && it.remediations.length === 0;
}

/** The problem is that its aggregator is left out although there are several, or is named twice and differs. */
function entityOf(
  text_: string,
  option: string | undefined,
  known: KnownNames,
): Result<EntityId, string> {
  const { aggregator: named, kind = "", id } = readWrittenEntity(text_, known);
  const [only, ...more] = known.aggregator;
  const aggregator = named ?? option ?? (more.length === 0 ? only : undefined);
  if (aggregator === undefined)
    return fail(`there are several (${known.aggregator.join(", ")}); say which`);
  if (option !== undefined && option !== aggregator)
    return fail(`${option} contradicts ${text_}, which is on ${aggregator}`);
  return succeed({ aggregator, kind, id });
}

function answerOf(
  { explanation: it, sentences }: Explained,
  kinds: View["kinds"],
  isReconstructed: boolean,
): ValueOf<typeof explainAnswer> {
  const { at, rule, entity, judgement, recorded = judgement } = it;
  return {
    at,
    rule,
    entity,
    isReconstructed,
    judgedAt: recorded?.at,
    sentences,
    explanation: explanationRowOf(it, kinds),
  };
}

export function explanationRowOf(
  { entity, judgement, alert, silences, remediations }: Explanation,
  kinds: View["kinds"],
): ValueOf<typeof explanationRow> {
  return {
    condition: judgement && conditionOf(judgement, kinds.get(entity.kind)),
    alert,
    silencedBy: silences?.map(({ id }) => id),
    action: judgement?.action,
    remediations,
  };
}

function conditionOf(
  { condition: it }: NonNullable<Explanation["judgement"]>,
  definition: KindDefinition | undefined,
): ValueOf<typeof condition> {
  return {
    ...it,
    facts: shownReads(it.facts, definition),
    truth: it.verdict.truth,
    reason: it.verdict.reason,
    poller: it.reading?.poller,
    readAt: it.reading?.askedAt,
    doubt: it.reading?.doubt,
  };
}

import { alertStatusOf } from "../../../core/explain/alert-status.ts";
import { formatInstant } from "../../../domain/time.ts";
import { alertKey } from "../../../domain/alert.ts";
import { COMMON_FACTS, entityKey, type EntityId } from "../../../domain/entity.ts";
import { factValue, shownFacts } from "../answer-parts.ts";
import { documented, instant, list, object, orNull, plain, text } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { explanationRow, explanationRowOf } from "../explain.ts";
import { findingRow, findingRowOf } from "../finding-row.ts";
import { entityRow, entityRowOf, openAlertsOf } from "../lists/entity-row.ts";
import type { View } from "../lists/view.ts";
import { namedRemediation, withAlias } from "../lists/remediations.ts";
import { alertRow } from "../status-rows.ts";
import type { DetailSource } from "./detail-source.ts";

/** `GET /api/v1/entities/{aggregator}/{kind}/{id}`: one entity in full. */

const fact = object({
  name: text,
  value: orNull(plain(factValue)),
  type: orNull(text),
  means: orNull(text),
});

const judged = object({
  rule: text,
  explanation: documented(explanationRow, {
    description: "The reasons, and every guard's answer now, as in `/api/v1/explain`.",
  }),
  sentences: list(text),
});

export const entityAnswer = documented(
  object({
    at: instant,
    key: text,
    entity: entityRow,
    facts: documented(list(fact), {
      description: "Every fact of its kind; `null` if it is not known.",
    }),
    rules: documented(list(judged), { description: "The verdict of each rule of its kind." }),
    alerts: list(alertRow),
    remediations: list(namedRemediation),
    history: documented(list(findingRow), {
      description: "What was found about its alerts, the newest first.",
    }),
  }),
  "Entity",
);

const MOST_HISTORY = 200;

/** Undefined if there is no such entity. */
export async function entityOf(
  id: EntityId,
  source: DetailSource,
): Promise<ValueOf<typeof entityAnswer> | undefined> {
  const key = entityKey(id);
  const history = await historyOf(source, id);
  const view = source.view();
  const entity = view.entities.get(key);
  if (entity === undefined) return undefined;
  const alerts = [...view.alerts.values()].filter((one) => entityKey(one.entity) === key);
  const names = rulesFor(source, id);
  const rules = await Promise.all(names.map(async (rule) => await judgedBy(source, rule, id)));
  return {
    at: view.at,
    key,
    entity: entityRowOf(entity, openAlertsOf(view)(key), view.kinds),
    facts: factsOf(view, entity),
    rules: rules.flat(),
    alerts: alerts.map(alertStatusOf(view)),
    remediations: [...view.remediations.values()]
      .filter((one) => entityKey(one.entity) === key)
      .map((one) => withAlias(view, one))
      .toReversed(),
    history,
  };
}

/** The names of the rules for its kind. */
function rulesFor({ rules }: DetailSource, { kind }: EntityId): string[] {
  const own = rules.filter((rule) => rule.kind === kind);
  return [...new Set(own.map(({ alert }) => alert))];
}

async function judgedBy(
  source: DetailSource,
  rule: string,
  id: EntityId,
): Promise<Array<ValueOf<typeof judged>>> {
  // The past has only findings. Without any, nothing shows that this rule judged the entity.
  if (source.isPast && (await source.historyOf(alertKey(rule, entityKey(id)))).length === 0)
    return [];
  const explained = await source.explain(rule, id);
  if (!explained.ok) return [];
  const { explanation, sentences } = explained.value;
  return [{ rule, explanation: explanationRowOf(explanation, source.view().kinds), sentences }];
}

/** The findings about all its alerts, also those of a removed rule as long as the alert is in sight. */
async function historyOf(
  source: DetailSource,
  id: EntityId,
): Promise<Array<ValueOf<typeof findingRow>>> {
  const key = entityKey(id);
  const open = [...source.view().alerts.values()].filter((one) => entityKey(one.entity) === key);
  const names = new Set([...rulesFor(source, id), ...open.map(({ rule }) => rule)]);
  const found = await Promise.all(
    [...names].map(async (rule) => await source.historyOf(alertKey(rule, key))),
  );
  return found
    .flat()
    .toSorted((one, other) => other.at - one.at)
    .slice(0, MOST_HISTORY)
    .map(findingRowOf);
}

function factsOf(
  { kinds }: View,
  { kind, facts, firstSeen, since }: Parameters<typeof entityRowOf>[0],
): Array<ValueOf<typeof fact>> {
  const definition = kinds.get(kind);
  const defined = { ...definition?.facts, ...COMMON_FACTS };
  const known = shownFacts(facts, definition);
  const names = new Set([...Object.keys(defined), ...Object.keys(known)]);
  const common = { first_seen: formatInstant(firstSeen), since: formatInstant(since) };
  const values = new Map(Object.entries({ ...known, ...common }));
  return [...names].map((name) => {
    const described = Object.hasOwn(defined, name)
      ? defined[name as keyof typeof defined]
      : undefined;
    return { name, value: values.get(name), type: described?.type, means: described?.means };
  });
}

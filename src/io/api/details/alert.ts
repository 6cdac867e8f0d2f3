import { alertStatusOf } from "../../../core/explain/alert-status.ts";
import { alertKey } from "../../../domain/alert.ts";
import { entityKey, type EntityId } from "../../../domain/entity.ts";
import type { OutboxRow } from "../../../domain/notification.ts";
import { boolean, documented, instant, list, object, orNull, text, word } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { explanationRow, explanationRowOf } from "../explain.ts";
import { findingRow, findingRowOf } from "../finding-row.ts";
import { entityRow, entityRowOf, openAlertsOf } from "../lists/entity-row.ts";
import { alertRow, remediationRow } from "../status-rows.ts";
import type { DetailSource } from "./detail-source.ts";
import { lifetimeRow, lifetimesOf } from "./lifetimes.ts";

/** `GET /api/v1/alerts/{alertname}/{aggregator}/{kind}/{id}`: one alert in full, even if it is over. */

const told = object({
  channel: text,
  /** The last state that its receiver accepted. */
  toldState: orNull(word(["firing", "resolved"])),
  toldAt: orNull(instant),
  waiting: boolean,
  waitingSince: orNull(instant),
});

export const alertAnswer = documented(
  object({
    at: instant,
    key: text,
    alertname: text,
    alert: documented(orNull(alertRow), {
      description: "As it is; `null` if it is over for long, or the condition is ok.",
    }),
    entity: orNull(entityRow),
    ruleText: documented(orNull(text), {
      description: "The rule in force, as YAML; `null` in the past if it was not recorded.",
    }),
    explanation: orNull(explanationRow),
    sentences: list(text),
    lifetimes: documented(list(lifetimeRow), { description: "Its runs, the newest first." }),
    told: documented(orNull(list(told)), {
      description: "Each channel's last and waiting notification; `null` in the past.",
    }),
    remediations: list(remediationRow),
    history: documented(list(findingRow), { description: "What was found, the newest first." }),
  }),
  "AlertDetail",
);

/** Undefined if nothing is known: no such rule or entity, and no history. */
export async function alertOf(
  rule: string,
  id: EntityId,
  source: DetailSource,
): Promise<ValueOf<typeof alertAnswer> | undefined> {
  const entityId = entityKey(id);
  const key = alertKey(rule, entityId);
  const found = await source.historyOf(key);
  const explained = await source.explain(rule, id);
  const view = source.view();
  const alert = view.alerts.get(key);
  const entity = view.entities.get(entityId);
  if (alert === undefined && found.length === 0 && (source.isPast || !explained.ok))
    return undefined;
  const open = openAlertsOf(view);
  return {
    at: view.at,
    key,
    alertname: rule,
    alert: alert && alertStatusOf(view)(alert),
    entity: entity && entityRowOf(entity, open(entityId), view.kinds),
    ruleText: source.ruleText(rule),
    explanation: explained.ok
      ? explanationRowOf(explained.value.explanation, view.kinds)
      : undefined,
    sentences: explained.ok ? explained.value.sentences : [],
    lifetimes: lifetimesOf(found, alert),
    told: source.outbox && toldOf(key, source.outbox),
    remediations: [...view.remediations.values()].filter((one) => one.alert === key).toReversed(),
    history: found.map(findingRowOf),
  };
}

function toldOf(key: string, outbox: ReadonlyMap<string, OutboxRow>): Array<ValueOf<typeof told>> {
  return [...outbox.values()]
    .filter(({ subject }) => subject === `alert ${key}`)
    .map(({ channel, told: last, waiting }) => ({
      channel,
      toldState: last?.news.state,
      toldAt: last?.at,
      waiting: waiting !== undefined,
      waitingSince: waiting?.since,
    }));
}

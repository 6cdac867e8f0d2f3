import { isDeepStrictEqual } from "node:util";
import { alertKey, type Alert } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import { HOME } from "../../domain/lease.ts";
import type { HomeAlerts } from "../../domain/notification.ts";
import type { Policy } from "../../domain/step.ts";
import type { Database } from "../../io/postgres/database.ts";
import { storable } from "../../io/postgres/text.ts";
import type { Service } from "../service/service.ts";

/**
 * The units of senders leave alerts on aggregators to `home`, and so have to hear which of them `home` has. Rejects if
 * the database is away; what was heard before then stays.
 */
export async function followHomeAlerts(
  { query }: Pick<Database, "query">,
  services: readonly Pick<Service, "loop">[],
): Promise<void> {
  if (services.length === 0) return;
  const keys = new Set(services.flatMap(({ loop }) => keysLeftToHome(loop.policy())));
  const rows =
    keys.size === 0
      ? []
      : await query(
          "SELECT value FROM state WHERE unit = $1 AND name = 'alert' AND key = ANY($2::text[]) AND value IS NOT NULL",
          [HOME, [...keys].map(storable)],
        );
  const all = rows.map(({ value }) => JSON.parse(String(value)) as Alert);
  const alerts: HomeAlerts = new Map(
    all
      .filter(({ state }) => state !== "resolved")
      .map(({ key, rule, entity, state }) => [key, { rule, entity, state }]),
  );
  for (const { loop } of services)
    if (!isDeepStrictEqual(loop.stateSoFar().homeAlerts, alerts))
      loop.push({ type: "home_alerts", alerts });
}

/** Each aggregator is one entity, so there are few of them. */
function keysLeftToHome({ aggregators, rules, notify }: Policy): readonly string[] {
  const left = [...rules.values()].filter(({ kind }) => notify.leftToHome?.has(kind) === true);
  return aggregators.flatMap(({ name }) =>
    left.map(({ alert, kind }) => alertKey(alert, entityKey({ aggregator: name, kind, id: name }))),
  );
}

import type { Alert } from "../../../domain/alert.ts";
import { entityKey, type Entity } from "../../../domain/entity.ts";
import { severityRank } from "../../../domain/shown/severity.ts";
import { TRUTHS } from "../../../domain/rule.ts";
import type { Instant } from "../../../domain/time.ts";
import { facts, shownFacts } from "../answer-parts.ts";
import { instant, number, object, orNull, text, word, type ValueOf } from "../codec.ts";
import type { View } from "./view.ts";

/** An entity, as a row of a list. */
export const entityRow = object({
  aggregator: text,
  kind: text,
  id: text,
  parent: orNull(object({ kind: text, id: text })),
  /** The fact `status`. */
  status: orNull(text),
  condition: word(TRUTHS),
  /** Its pending and firing alerts, and the worst severity of those that fire. */
  alerts: number,
  severity: orNull(text),
  facts,
  firstSeen: instant,
  since: instant,
  unknownSince: orNull(instant),
});

type EntityRow = ValueOf<typeof entityRow>;

/** An entity's open alerts: their number, and the worst severity of those that fire. */
export type OpenAlerts = { readonly count: number; readonly severity: string | undefined };

const NONE: OpenAlerts = { count: 0, severity: undefined };

/** The pending and firing alerts, by the key of their entity. */
export function openAlertsOf({ alerts }: View): (key: string) => OpenAlerts {
  const byEntity = new Map<string, OpenAlerts>();
  for (const alert of alerts.values()) {
    if (alert.state === "resolved") continue;
    const key = entityKey(alert.entity);
    const { count, severity } = byEntity.get(key) ?? NONE;
    byEntity.set(key, { count: count + 1, severity: worseOf(severity, alert) });
  }
  return (key) => byEntity.get(key) ?? NONE;
}

function worseOf(
  known: string | undefined,
  { state, severity }: Readonly<Alert>,
): string | undefined {
  if (state !== "firing") return known;
  return known === undefined || severityRank(severity) > severityRank(known) ? severity : known;
}

/** `bad` if it has an open alert, even if it is unknown now. */
export function conditionOf(
  { unknownSince }: { readonly unknownSince?: Instant | undefined },
  { count }: OpenAlerts,
): EntityRow["condition"] {
  if (count > 0) return "bad";
  return unknownSince === undefined ? "ok" : "unknown";
}

export function statusTextOf({
  facts: { status },
}: Pick<Readonly<Entity>, "facts">): string | undefined {
  return status === undefined ? undefined : String(status);
}

export function entityRowOf(
  entity: Readonly<Entity>,
  open: OpenAlerts,
  kinds: View["kinds"],
): EntityRow {
  return {
    ...entity,
    status: statusTextOf(entity),
    condition: conditionOf(entity, open),
    alerts: open.count,
    severity: open.severity,
    facts: shownFacts(entity.facts, kinds.get(entity.kind)),
  };
}

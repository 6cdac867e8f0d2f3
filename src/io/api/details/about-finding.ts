import { parseAlertKey } from "../../../domain/alert.ts";
import type { Entity } from "../../../domain/entity.ts";
import { alertOf, entityOf, type Finding } from "../../../domain/finding.ts";
import { identifierKey } from "../../../domain/identifier.ts";
import type { Instant } from "../../../domain/time.ts";

/** The keys and names of a finding's alert and entity, if it is about them. */
type About = {
  readonly alertname?: string;
  readonly alert?: string;
  readonly entity?: string | undefined;
  readonly severity?: string;
  /** Since when the alert was bad. */
  readonly startedAt?: Instant;
};

export function aboutOf(finding: Finding): About {
  const alert = alertOf(finding);
  const entity = entityOf(finding);
  if (alert !== undefined) {
    const alertname = parseAlertKey(alert).rule;
    if (finding.type !== "alert") return { alert, alertname, entity };
    const { severity, startedAt } = finding.alert;
    return { alert, alertname, severity, startedAt, entity };
  }
  if (finding.type === "muted") return mutedIn(finding.subject);
  return "rule" in finding && finding.rule !== undefined
    ? { alertname: finding.rule, entity }
    : { entity };
}

/** What is not notified is an alert, or an event about one; each subject ends with its key. Others have no bar. */
function mutedIn(subject: string): About {
  const key = subject.slice(subject.indexOf(" ") + 1);
  if (!key.includes("|")) return {};
  const { rule, entity } = parseAlertKey(key);
  return { alert: key, alertname: rule, entity };
}

/** The aggregator and the kind of entity that a finding is about. */
export type Place = {
  readonly aggregator?: string | undefined;
  readonly kind?: string | undefined;
};

/** A finding without an entity may still have an aggregator, such as that of a storm. */
export function placeOf(finding: Finding): Place {
  const [aggregator, kind] = aboutOf(finding).entity?.split("/") ?? [];
  return {
    aggregator: "aggregator" in finding ? finding.aggregator : aggregator,
    kind: "kind" in finding ? finding.kind : kind,
  };
}

/** The watched entities, by key. */
export type Entities = ReadonlyMap<string, Readonly<Entity>>;

/** The name that people gave to an entity, if it is not its id. */
export function aliasOf(entities: Entities, key = ""): string | undefined {
  const entity = entities.get(key);
  return entity && aliasIn(entity);
}

export function aliasIn({ id, facts }: Pick<Entity, "id" | "facts">): string | undefined {
  // An order has its alias, if any, in the fact `name`, and else its own id, which lacks the market.
  const alias = facts["alias"] ?? facts["name"];
  if (typeof alias !== "string") return undefined;
  // What a watch list has without an alias is called by its id as that is written there.
  const own = [id, facts["order_id"]].map((one) => typeof one === "string" && identifierKey(one));
  return own.includes(identifierKey(alias)) ? undefined : alias;
}

import { POLLER_KIND } from "../../../domain/lease.ts";
import { entityKey, type Entity } from "../../../domain/entity.ts";
import type { Finding } from "../../../domain/finding.ts";

/** Keys and names of what a finding is about; what it is not about is left out. */
type About = {
  readonly alertname?: string;
  readonly alert?: string;
  readonly entity?: string;
  readonly severity?: string;
};

/** The alert and the entity that a finding is about. */
export function aboutOf(finding: Finding): About {
  switch (finding.type) {
    case "alert": {
      const { key, rule, severity, entity } = finding.alert;
      return { alert: key, alertname: rule, severity, entity: entityKey(entity) };
    }
    case "remediation": {
      const { alert, rule, entity } = finding.remediation;
      return { alert, alertname: rule, entity: entityKey(entity) };
    }
    case "suppressed":
    case "unconfirmed": {
      const entity = entityKey(finding.entity);
      const alertname = finding.alert.slice(0, -entity.length - 1);
      return { alert: finding.alert, alertname, entity };
    }
    case "proposed":
    case "withdrawn":
    case "entity":
    case "took":
      return { entity: entityKey(finding.entity) };
    case "quarantine":
      return { entity: finding.entity };
    case "storm":
      return { alertname: finding.rule };
    case "polled": {
      const { aggregator, poller, id = poller } = finding;
      return { entity: entityKey({ aggregator, kind: POLLER_KIND, id }) };
    }
    case "left_out":
    case "command":
    case "policy":
    case "watch":
    case "kill":
    case "hold":
    case "muted":
    case "notified":
      return {};
  }
}

/** Where something happened: on which aggregator, and on what kind of entity. */
export type Place = {
  readonly aggregator?: string | undefined;
  readonly kind?: string | undefined;
};

/** What is about no entity may still be about an aggregator, as a storm is. */
export function placeOf(finding: Finding): Place {
  const [aggregator, kind] = aboutOf(finding).entity?.split("/") ?? [];
  return {
    aggregator: "aggregator" in finding ? finding.aggregator : aggregator,
    kind: "kind" in finding ? finding.kind : kind,
  };
}

/** What is watched, by key. */
export type Entities = ReadonlyMap<string, Readonly<Entity>>;

/** The name that people gave to an entity, if that is not its id. */
export function aliasOf(entities: Entities, key = ""): string | undefined {
  const entity = entities.get(key);
  // Of an order, the name is its alias if it has one.
  const alias = entity?.facts["alias"] ?? entity?.facts["name"];
  return typeof alias === "string" && alias !== entity?.id ? alias : undefined;
}

import { z } from "@hono/zod-openapi";
import { MODES, ACTION_NAMES } from "../../domain/action.ts";
import { ALERT_STATES } from "../../domain/alert.ts";
import type { Facts, KindDefinition } from "../../domain/entity.ts";
import { SUPPRESSION_REASONS } from "../../domain/guard.ts";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import { formatInstant } from "../../domain/time.ts";
import type { WatchReading } from "../../domain/watch.ts";
import type { EntityStatus, Status } from "../../core/explain/status.ts";
import {
  proposalSchema,
  proposalToWire,
  quarantineSchema,
  quarantineToWire,
  overrideSchema,
  overrideToWire,
  stormSchema,
  stormToWire,
} from "./status-acting-wire.ts";
import { channelSchema, channelToWire } from "./status-notify-wire.ts";
import { countsOf } from "./watch-counts.ts";
import { entityId, facts, instant, optional } from "./wire-parts.ts";

/** The status as the API says it: snake_case, instants as ISO 8601 text. */

const entity = z.object({
  kind: z.string(),
  id: z.string(),
  parent: z.object({ kind: z.string(), id: z.string() }).nullable(),
  facts,
  first_seen: instant,
  since: instant,
  unknown_since: instant.nullable(),
});

const alert = z.object({
  alertname: z.string(),
  severity: z.string(),
  state: z.enum(ALERT_STATES),
  entity: entityId,
  active_at: instant,
  fired_at: instant.nullable(),
  resolved_at: instant.nullable(),
  unknown_since: instant.nullable(),
  inhibited_by: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  attempts: z.number(),
  suppressed: z
    .object({ reason: z.enum(SUPPRESSION_REASONS), detail: z.string(), since: instant })
    .nullable(),
});

const remediation = z.object({
  id: z.string(),
  rule: z.string(),
  action: z.enum(ACTION_NAMES),
  entity: entityId,
  state: z.enum(REMEDIATION_STATES),
  requested_at: instant,
  settled_at: instant.nullable(),
  detail: z.string(),
  approved_by: z.string().nullable(),
});

/** How many entries the watch lists have, by kind and by the source that counts. */
const watchCount = z.object({ kind: z.string(), source: z.string(), entries: z.number() });

export const statusSchema = z
  .object({
    version: z.string(),
    at: instant,
    started_at: instant,
    mode: z.enum(MODES),
    /** What is wrong with the watching itself, one line each, as the page and `/healthz` say it. */
    notices: z.array(z.string()),
    killed: z.array(
      z.object({ source: z.string(), since: instant, by: z.string(), reason: z.string() }),
    ),
    aggregators: z.array(
      z.object({
        name: z.string(),
        pollers: z.array(entity),
        entities: z.array(entity),
        watched: z.array(watchCount),
      }),
    ),
    alerts: z.array(alert),
    remediations: z.array(remediation),
    proposals: z.array(proposalSchema),
    holds: z.array(overrideSchema),
    silences: z.array(overrideSchema),
    quarantines: z.array(quarantineSchema),
    storms: z.array(stormSchema),
    channels: z.array(channelSchema),
  })
  .openapi("Status");

export type StatusWire = z.infer<typeof statusSchema>;

export function toWire(
  status: Status,
  version: string,
  watched: readonly WatchReading[] = [],
  notices: readonly string[] = [],
): StatusWire {
  return {
    version,
    at: formatInstant(status.at),
    started_at: formatInstant(Math.max(0, status.startedAt)),
    mode: status.mode,
    notices: [...notices],
    killed: status.killed.map((kill) => ({ ...kill, since: formatInstant(kill.since) })),
    aggregators: status.aggregators.map(({ name, pollers, entities }) => ({
      name,
      pollers: pollers.map((one) => entityToWire(one, status.kinds)),
      entities: entities.map((one) => entityToWire(one, status.kinds)),
      watched: watched.filter(({ aggregator }) => aggregator === name).flatMap(countsOf),
    })),
    alerts: status.alerts.map(alertToWire),
    remediations: status.remediations.map((one) => ({
      id: one.id,
      rule: one.rule,
      action: one.action,
      entity: one.entity,
      state: one.state,
      requested_at: formatInstant(one.requestedAt),
      settled_at: optional(one.settledAt),
      detail: one.detail,
      approved_by: one.approvedBy ?? null,
    })),
    proposals: status.proposals.map((one) =>
      proposalToWire(one, (own) => factsToWire(own, status.kinds.get(one.entity.kind))),
    ),
    holds: status.holds.map(overrideToWire),
    silences: status.silences.map(overrideToWire),
    quarantines: status.quarantines.map(quarantineToWire),
    storms: status.storms.map(stormToWire),
    channels: status.channels.map(channelToWire),
  };
}

function alertToWire(one: Status["alerts"][number]): StatusWire["alerts"][number] {
  return {
    alertname: one.rule,
    severity: one.severity,
    state: one.state,
    entity: one.entity,
    active_at: formatInstant(one.activeAt),
    fired_at: optional(one.firedAt),
    resolved_at: optional(one.resolvedAt),
    unknown_since: optional(one.unknownSince),
    inhibited_by: [...one.inhibitedBy],
    labels: one.labels,
    annotations: one.annotations,
    attempts: one.attempts,
    suppressed:
      one.suppressed === undefined
        ? null
        : { ...one.suppressed, since: formatInstant(one.suppressed.since) },
  };
}

function entityToWire(one: EntityStatus, kinds: Status["kinds"]): z.infer<typeof entity> {
  return {
    kind: one.kind,
    id: one.id,
    parent: one.parent ?? null,
    facts: factsToWire(one.facts, kinds.get(one.kind)),
    first_seen: formatInstant(one.firstSeen),
    since: formatInstant(one.since),
    unknown_since: optional(one.unknownSince),
  };
}

function factsToWire(own: Facts, definition: KindDefinition | undefined): z.infer<typeof facts> {
  const wired = Object.entries(own).map(([name, value]) => {
    const isInstant = definition?.facts[name]?.type === "timestamp" && typeof value === "number";
    return [name, isInstant ? formatInstant(value) : value] as const;
  });
  return Object.fromEntries(wired);
}

import { z } from "@hono/zod-openapi";
import type { ProposalStatus } from "../../core/explain/status-acting.ts";
import type { AggregatorStatus, EntityStatus, Status } from "../../core/explain/status.ts";
import { ACT_ENDPOINTS, ACTION_NAMES, MODES } from "../../domain/action.ts";
import { ALERT_STATES } from "../../domain/alert.ts";
import { SUPPRESSION_REASONS } from "../../domain/guard.ts";
import type { Scope } from "../../domain/hold.ts";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import type { WatchReading } from "../../domain/watch.ts";
import { entityId, facts, guardAnswers, shownFacts } from "./answer-parts.ts";
import {
  boolean,
  documented,
  instant,
  list,
  named,
  number,
  object,
  orNull,
  plain,
  text,
  word,
  type JsonOf,
  type ValueOf,
} from "./codec.ts";
import { countsOf } from "./watch-counts.ts";

/** The answer of `GET /api/v1/status`: what is known now, as one snapshot. */

const entity = object({
  kind: text,
  id: text,
  parent: orNull(object({ kind: text, id: text })),
  facts,
  firstSeen: instant,
  since: instant,
  unknownSince: orNull(instant),
});

export const alertRow = object({
  rule: named("alertname", text),
  severity: text,
  state: word(ALERT_STATES),
  entity: entityId,
  activeAt: instant,
  firedAt: orNull(instant),
  resolvedAt: orNull(instant),
  unknownSince: orNull(instant),
  inhibitedBy: list(text),
  labels: plain(z.record(z.string(), z.string())),
  annotations: plain(z.record(z.string(), z.string())),
  attempts: number,
  suppressed: orNull(object({ reason: word(SUPPRESSION_REASONS), detail: text, since: instant })),
});

export const remediationRow = object({
  id: text,
  rule: text,
  action: word(ACTION_NAMES),
  entity: entityId,
  state: word(REMEDIATION_STATES),
  requestedAt: instant,
  settledAt: orNull(instant),
  detail: text,
  approvedBy: orNull(text),
});

const decision = object({ by: text, reason: text, at: instant });

const call = object({
  endpoint: word(ACT_ENDPOINTS),
  args: plain(z.record(z.string(), z.string())),
});

export const proposalAnswer = object({
  id: text,
  digest: documented(text, { description: "Of rule, request and facts. Who approves names it." }),
  rule: text,
  action: word(ACTION_NAMES),
  entity: entityId,
  proposedAt: instant,
  expiresAt: instant,
  firedAt: orNull(instant),
  state: word(["waiting", "approved", "denied", "withdrawn"]),
  approvals: list(decision),
  approvalsNeeded: number,
  denial: orNull(decision),
  withdrawn: orNull(object({ at: instant, why: text })),
  because: documented(orNull(text), {
    description: "Why a proposal whose place it took was withdrawn.",
  }),
  irreversible: boolean,
  call: documented(call, { description: "What will be sent." }),
  facts: documented(facts, {
    description: "Those that the approval is for, as they were when it was proposed.",
  }),
  unknownSince: orNull(instant),
  guards: guardAnswers,
});

const scope: z.ZodType<Scope> = z.object({
  aggregator: z.string().optional(),
  kind: z.string().optional(),
  id: z.string().optional(),
  rule: z.string().optional(),
}) as z.ZodType<Scope>;

const override = object({
  id: text,
  owner: text,
  reason: text,
  scope: plain(scope),
  from: instant,
  until: instant,
});

const storm = object({
  rule: documented(text, { description: "`*` for all, after a hold or a kill switch." }),
  aggregator: text,
  since: instant,
  detail: text,
  ramp: documented(orNull(object({ allowed: number, until: instant })), {
    description: "It is over: how many actions one interval allows now.",
  }),
});

const lacked = object({ facts: text, entities: number });

const coverage = object({
  rule: named("alertname", text),
  kind: text,
  read: number,
  undecided: documented(number, {
    description: "It cannot decide on so many, as facts that it reads are not known.",
  }),
  lacks: list(lacked),
  waiting: documented(number, {
    description: "It does not decide on so many yet, as a fact follows from what is not known yet.",
  }),
  waitsFor: list(lacked),
});

const channel = object({
  name: text,
  type: text,
  waiting: number,
  oldest: named("oldest_since", orNull(instant)),
  deliveredAt: orNull(instant),
  failingSince: orNull(instant),
  retryAt: orNull(instant),
  lastError: orNull(text),
});

export const statusAnswer = documented(
  object({
    version: text,
    at: instant,
    startedAt: instant,
    mode: word(MODES),
    /** What is wrong with aggwatch itself, one line each, as the page and `/healthz` say it. */
    notices: list(text),
    killed: list(object({ source: text, since: instant, by: text, reason: text })),
    aggregators: list(
      object({
        name: text,
        pollers: list(entity),
        entities: list(entity),
        coverage: documented(list(coverage), {
          description: "On how many of the entities that were read each rule can decide.",
        }),
        /** How many entries the watch lists have, by kind and by the source that counts. */
        watched: list(object({ kind: text, source: text, entries: number })),
      }),
    ),
    alerts: list(alertRow),
    remediations: list(remediationRow),
    proposals: list(proposalAnswer),
    holds: list(override),
    silences: list(override),
    quarantines: list(object({ entity: text, since: instant, reason: text })),
    storms: list(storm),
    channels: list(channel),
  }),
  "Status",
);

export type StatusAnswer = ValueOf<typeof statusAnswer>;
export type StatusJson = JsonOf<typeof statusAnswer>;

/** The status with what only the server knows: its version, the notices, the watch lists. */
export function statusAnswerOf(
  status: Status,
  own: Pick<StatusAnswer, "version" | "notices">,
  watched: readonly WatchReading[],
): StatusAnswer {
  const shown = <Own extends EntityStatus>(one: Own): Own => ({
    ...one,
    facts: shownFacts(one.facts, status.kinds.get(one.kind)),
  });
  return {
    ...status,
    ...own,
    startedAt: Math.max(0, status.startedAt),
    aggregators: status.aggregators.map(
      ({ name, pollers, entities, coverage }: AggregatorStatus) => ({
        name,
        pollers: pollers.map(shown),
        entities: entities.map(shown),
        coverage,
        watched: watched.filter(({ aggregator }) => aggregator === name).flatMap(countsOf),
      }),
    ),
    proposals: status.proposals.map((one) => proposalAnswerOf(one, status.kinds)),
    channels: status.channels.map((one) => ({ ...one, lastError: one.lastError?.detail })),
  };
}

export function proposalAnswerOf(
  one: ProposalStatus,
  kinds: Status["kinds"],
): ValueOf<typeof proposalAnswer> {
  const { call, facts } = one.shown;
  return { ...one, call, facts: shownFacts(facts, kinds.get(one.entity.kind)) };
}

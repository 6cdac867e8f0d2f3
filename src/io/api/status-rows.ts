import { z } from "@hono/zod-openapi";
import { ACT_ENDPOINTS, ACTION_NAMES } from "../../domain/action.ts";
import { ALERT_STATES } from "../../domain/alert.ts";
import { SUPPRESSION_REASONS } from "../../core/act/guards/index.ts";
import type { Scope } from "../../domain/hold.ts";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import { entityId, facts, guardAnswers } from "./answer-parts.ts";
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
} from "./codec.ts";

/** The rows of the status's lists. */

export const entityRow = object({
  kind: text,
  id: text,
  parent: orNull(object({ kind: text, id: text })),
  facts,
  firstSeen: instant,
  since: instant,
  unknownSince: orNull(instant),
});

export const alertFields = {
  rule: named("alertname", text),
  severity: text,
  state: word(ALERT_STATES),
  entity: entityId,
  activeAt: instant,
  firedAt: orNull(instant),
  resolvedAt: orNull(instant),
  unknownSince: orNull(instant),
  unknownBecause: documented(orNull(text), {
    description:
      "Why its condition is unknown; `null` in the past, and on a replica that does not read the entity.",
  }),
  inhibitedBy: documented(list(text), {
    description: "Other rules that fire on the same aggregator and mute its notifications.",
  }),
  silencedBy: documented(list(text), {
    description: "The ids of the silences that mute its notifications.",
  }),
  silencedUntil: documented(orNull(instant), { description: "When the last of them ends." }),
  labels: plain(z.record(z.string(), z.string())),
  annotations: plain(z.record(z.string(), z.string())),
  attempts: number,
  openRemediation: documented(orNull(text), {
    description: "The id of its remediation that is not settled.",
  }),
  suppressed: orNull(object({ reason: word(SUPPRESSION_REASONS), detail: text, since: instant })),
};

export const alertRow = object(alertFields);

export const remediationFields = {
  id: text,
  rule: text,
  action: word(ACTION_NAMES),
  entity: entityId,
  state: word(REMEDIATION_STATES),
  requestedAt: instant,
  settledAt: orNull(instant),
  detail: text,
  approvedBy: orNull(text),
};

export const remediationRow = object(remediationFields);

const decision = object({ by: text, reason: text, at: instant });

const call = object({
  endpoint: word(ACT_ENDPOINTS),
  args: plain(z.record(z.string(), z.string())),
});

export const proposalAnswer = object({
  id: text,
  digest: documented(text, {
    description: "A hash of rule, request and facts; an approval names it.",
  }),
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
    description: "Why the proposal that it replaces was withdrawn.",
  }),
  irreversible: boolean,
  call: documented(call, { description: "What will be sent." }),
  facts: documented(facts, {
    description: "The facts that an approval is for, as of the proposal.",
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

export const overrideRow = object({
  id: text,
  owner: text,
  reason: text,
  scope: plain(scope),
  from: instant,
  until: instant,
});

export const stormRow = object({
  rule: documented(text, { description: "`*` for all, after a hold or a kill switch." }),
  aggregator: text,
  since: instant,
  detail: text,
  ramp: documented(orNull(object({ allowed: number, until: instant })), {
    description: "It is over: how many actions one interval allows now.",
  }),
});

const lacked = object({ facts: text, entities: number });

export const coverageRow = object({
  rule: named("alertname", text),
  kind: text,
  read: number,
  undecided: documented(number, {
    description: "On how many it cannot decide, because facts that it reads are not known.",
  }),
  lacks: list(lacked),
  waiting: documented(number, {
    description:
      "On how many it does not decide yet, because a fact depends on others that are not known yet.",
  }),
  waitsFor: list(lacked),
});

export const channelRow = object({
  name: text,
  type: text,
  waiting: number,
  oldest: named("oldest_since", orNull(instant)),
  deliveredAt: orNull(instant),
  failingSince: orNull(instant),
  retryAt: orNull(instant),
  lastError: orNull(text),
});

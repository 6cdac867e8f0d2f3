import { z } from "@hono/zod-openapi";
import { ACTION_NAMES, ACT_ENDPOINTS } from "../../domain/action.ts";
import { SUPPRESSION_REASONS } from "../../domain/guard.ts";
import type { Silence } from "../../domain/hold.ts";
import type { Decision } from "../../domain/remediation.ts";
import { formatInstant } from "../../domain/time.ts";
import type {
  ProposalStatus,
  QuarantineStatus,
  StormStatus,
} from "../../core/explain/status-acting.ts";
import { entityId, facts, instant, optional } from "./wire-parts.ts";

/** What holds acting back, and what waits for a person, as the API says it. */

const decision = z.object({ by: z.string(), reason: z.string(), at: instant });

export const proposalSchema = z.object({
  id: z.string(),
  rule: z.string(),
  action: z.enum(ACTION_NAMES),
  entity: entityId,
  proposed_at: instant,
  expires_at: instant,
  fired_at: instant.nullable(),
  state: z.enum(["waiting", "approved", "denied"]),
  approvals: z.array(decision),
  approvals_needed: z.number(),
  denial: decision.nullable(),
  irreversible: z.boolean(),
  call: z
    .object({ endpoint: z.enum(ACT_ENDPOINTS), args: z.record(z.string(), z.string()) })
    .nullable()
    .openapi({ description: "What will be sent; null where a fact that it needs is missing." }),
  facts,
  unknown_since: instant.nullable(),
  guards: z.array(
    z.object({ guard: z.enum(SUPPRESSION_REASONS), objects: z.boolean(), detail: z.string() }),
  ),
});

export const overrideSchema = z.object({
  id: z.string(),
  owner: z.string(),
  reason: z.string(),
  scope: z.object({
    aggregator: z.string().optional(),
    kind: z.string().optional(),
    id: z.string().optional(),
    rule: z.string().optional(),
  }),
  from: instant,
  until: instant,
});

export const quarantineSchema = z.object({
  entity: z.string(),
  since: instant,
  reason: z.string(),
});

export const stormSchema = z.object({
  rule: z.string().openapi({ description: "`*` for all, after a hold or a kill switch." }),
  aggregator: z.string(),
  since: instant,
  detail: z.string(),
  ramp: z
    .object({ allowed: z.number(), until: instant })
    .nullable()
    .openapi({ description: "It is over: how many actions one interval allows now." }),
});

export function proposalToWire(
  one: ProposalStatus,
  factsOf: (own: ProposalStatus["facts"]) => z.infer<typeof facts>,
): z.infer<typeof proposalSchema> {
  return {
    id: one.id,
    rule: one.rule,
    action: one.action,
    entity: one.entity,
    proposed_at: formatInstant(one.proposedAt),
    expires_at: formatInstant(one.expiresAt),
    fired_at: optional(one.firedAt),
    state: one.state,
    approvals: one.approvals.map(decisionToWire),
    approvals_needed: one.approvalsNeeded,
    denial: one.denial === undefined ? null : decisionToWire(one.denial),
    irreversible: one.irreversible,
    call: one.call ?? null,
    facts: factsOf(one.facts),
    unknown_since: optional(one.unknownSince),
    guards: one.guards.map(({ reason, objects, detail }) => ({ guard: reason, objects, detail })),
  };
}

function decisionToWire({ by, reason, at }: Decision): z.infer<typeof decision> {
  return { by, reason, at: formatInstant(at) };
}

export function overrideToWire(one: Silence): z.infer<typeof overrideSchema> {
  const { id, owner, reason, scope, from, until } = one;
  return { id, owner, reason, scope, from: formatInstant(from), until: formatInstant(until) };
}

export function quarantineToWire(one: QuarantineStatus): z.infer<typeof quarantineSchema> {
  return { ...one, since: formatInstant(one.since) };
}

export function stormToWire({ ramp, ...one }: StormStatus): z.infer<typeof stormSchema> {
  return {
    ...one,
    since: formatInstant(one.since),
    ramp: ramp === undefined ? null : { allowed: ramp.allowed, until: formatInstant(ramp.until) },
  };
}

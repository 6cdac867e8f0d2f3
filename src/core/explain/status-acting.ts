import { entityKey } from "../../domain/entity.ts";
import type { GuardAnswer } from "../../domain/judgement.ts";
import type { Proposal } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import { approvalsNeeded } from "../act/decide.ts";
import { answersNow } from "../act/guards/index.ts";
import { isOfRows } from "../observe/unread.ts";
import type { Quarantine, State, Storm } from "../state.ts";
import { countStorm, stormKey, stormText } from "../act/storm-count.ts";
import { RAMP_STEPS, rampStep } from "../act/storm.ts";

/** What a person needs to decide on a proposal, and what holds acting back. */
export type ProposalStatus = Proposal & {
  /** `approved` once enough persons have. */
  readonly state: "waiting" | "approved" | "denied" | "withdrawn";
  readonly approvalsNeeded: number;
  readonly irreversible: boolean;
  /** Since when it is not sure that what was shown still holds. */
  readonly unknownSince: Instant | undefined;
  /** Since when the alert fires. */
  readonly firedAt: Instant | undefined;
  /** What every guard says now, in their order. */
  readonly guards: readonly GuardAnswer[];
};

/** `entity` is the key of the entity. */
export type QuarantineStatus = Quarantine & { readonly entity: string };

/** A storm, or the ramp after a storm, a hold or a kill switch. */
export type StormStatus = Readonly<Omit<Storm, "clearedAt">> & {
  /** Set once it is over: how many actions one interval allows now, and until when that lasts. */
  readonly ramp?: { readonly allowed: number; readonly until: Instant } | undefined;
};

export function proposalsOf(policy: Policy, state: State): ProposalStatus[] {
  return [...state.tables.proposal.values()].map((proposal) =>
    proposalStatus(policy, state, proposal),
  );
}

function proposalStatus(policy: Policy, state: State, proposal: Proposal): ProposalStatus {
  const rule = policy.rules.get(proposal.rule);
  const alert = state.tables.alert.get(proposal.alert);
  const entity = state.tables.entity.get(entityKey(proposal.entity));
  const action = policy.actions.get(proposal.action);
  const needed = approvalsNeeded(policy, proposal);
  const isApproved = proposal.approvals.length >= needed;
  return {
    ...proposal,
    approvals: [...proposal.approvals],
    state: stateOf(proposal, isApproved),
    approvalsNeeded: needed,
    irreversible: action?.irreversible ?? false,
    unknownSince: entity?.unknownSince,
    firedAt: alert?.firedAt,
    guards:
      rule === undefined || alert === undefined || entity === undefined
        ? []
        : answersNow(policy, state, { alert, rule, entity }),
  };
}

function stateOf({ denial, withdrawn }: Proposal, isApproved: boolean): ProposalStatus["state"] {
  if (withdrawn !== undefined) return "withdrawn";
  return denial !== undefined ? "denied" : isApproved ? "approved" : "waiting";
}

export function quarantinesOf(state: State): QuarantineStatus[] {
  return [...state.tables.quarantine].map(([entity, quarantine]) => ({ entity, ...quarantine }));
}

/** What is remembered of an aggregator that left the config counts if it comes back, and is not shown before. */
export function stormsOf(policy: Policy, state: State): StormStatus[] {
  const { rampIntervalMs } = policy.acting;
  const configured = new Set(["*", ...policy.aggregators.map(({ name }) => name)]);
  const shown = [...state.tables.storm.values()].filter((one) => configured.has(one.aggregator));
  return shown.map((storm) => {
    const { rule, aggregator, since, clearedAt, detail } = storm;
    const about = { rule, aggregator, since, detail };
    if (clearedAt === undefined) return { ...about, detail: numbersNow(policy, state, storm) };
    const step = rampStep(clearedAt, state.at, rampIntervalMs);
    const until = clearedAt + RAMP_STEPS * rampIntervalMs;
    return { ...about, ramp: { allowed: 2 ** step, until } };
  });
}

/** How many are bad now, or if only the process that counts them knows it, how many were when the storm began. */
function numbersNow(policy: Policy, state: State, { rule, aggregator, detail }: Storm): string {
  if (isOfRows(state)) return `when it began, ${detail}`;
  const count = countStorm(policy, state, stormKey(rule, aggregator), state.at);
  // It may be over already: the next tick clears it.
  return count === undefined || count.counted <= count.most ? detail : stormText(count);
}

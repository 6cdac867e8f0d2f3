import { entityKey, type Facts } from "../../domain/entity.ts";
import type { Proposal } from "../../domain/remediation.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { Step } from "../run-event.ts";
import { DurableMap } from "./durable-map.ts";
import type { ObservedEntities } from "./observed-entities.ts";
import { acceptedCommand } from "./overrides.ts";
import { runKey } from "./remediations.ts";

type ProposalEntry = {
  /** The run of the alert that it is for: an approval for one run does not hold for the next. */
  readonly run: string;
  readonly action: string;
  readonly expiresAt: Instant;
  readonly approvers: readonly string[];
  readonly digest: string;
  /** The facts of the entity when the action was proposed, and the hash of the rule. */
  readonly facts: Facts;
  readonly rule: string | undefined;
};

/** The grounds of an action, which must be those that were approved. */
export type Grounds = Pick<ProposalEntry, "run" | "action" | "facts" | "rule"> & {
  readonly at: Instant;
};

/** A repair that a person has denied: it stays so while its alert lasts, whatever the mode becomes. */
type Denial = Pick<ProposalEntry, "run" | "action">;

/** Who approved which proposal, until it is used up, denied or expired; and what was denied. */
export class Approvals {
  readonly proposals = new DurableMap<ProposalEntry>({
    keys: ({ proposal }) => [...proposal.values()].map(({ id }) => id),
    read: entryOf,
  });
  readonly denials = new DurableMap<Denial>({
    keys: ({ proposal }) => [...proposal.values()].map(({ id }) => id),
    read: denialOf,
  });

  record(step: Step, observed: ObservedEntities): void {
    for (const finding of step.result.findings) {
      if (finding.type === "withdrawn" || finding.type === "proposed")
        this.denials.delete(finding.proposal);
      if (finding.type === "withdrawn") this.proposals.delete(finding.proposal);
      if (finding.type !== "proposed") continue;
      const expiresAt = step.stampedAt + step.policy.acting.approvalExpiresAfterMs;
      const { action, proposal, digest } = finding;
      const row = rowOf(step.state.tables, proposal);
      if (row === undefined) continue;
      const facts = observed.entity(entityKey(finding.entity))?.facts ?? {};
      const rule = step.policy.rules.get(row.rule)?.hash;
      const own = { run: runKey(row), action, expiresAt, digest, facts, rule };
      this.proposals.set(proposal, { ...own, approvers: [] });
    }
    const { command, by = "", subject } = acceptedCommand(step) ?? {};
    // A denial is of what took the place of the proposal that it names, too.
    if (command?.name === "deny") this.deny(subject ?? command.proposal);
    if (command?.name !== "approve") return;
    const proposal = this.proposals.get(command.proposal);
    if (proposal === undefined || proposal.digest !== command.digest) return;
    const approvers = [...new Set([...proposal.approvers, by])];
    this.proposals.set(command.proposal, { ...proposal, approvers });
  }

  private deny(id: string): void {
    const denied = this.proposals.get(id);
    if (denied !== undefined) this.denials.set(id, { run: denied.run, action: denied.action });
    this.proposals.delete(id);
  }

  isDenied({ run, action }: Denial): boolean {
    return [...this.denials.values()].some((one) => one.run === run && one.action === action);
  }

  /** The persons who have approved an action on these grounds, by the proposal with the most. */
  of({ run, action, at, facts, rule }: Grounds): readonly string[] {
    const [best] = [...this.proposals.values()]
      .filter((one) => one.run === run && one.action === action && one.expiresAt > at)
      .filter((one) => one.rule === rule && isAlike(one.facts, facts))
      .toSorted((one, other) => other.approvers.length - one.approvers.length);
    return best?.approvers ?? [];
  }

  /** An approval is for one action, and is used up even if the action could not be committed. */
  use({ run, action }: Pick<Grounds, "run" | "action">): void {
    for (const [id, one] of this.proposals)
      if (one.run === run && one.action === action) this.proposals.delete(id);
  }
}

function entryOf(tables: State["tables"], id: string): ProposalEntry | undefined {
  const row = rowOf(tables, id);
  if (row === undefined || row.denial !== undefined) return undefined;
  const approvers = row.approvals.map(({ by }) => by);
  const { action, expiresAt, digest, shown } = row;
  const { facts, rule } = shown;
  return { run: runKey(row), action, expiresAt, approvers, digest, facts, rule };
}

function denialOf(tables: State["tables"], id: string): Denial | undefined {
  const row = rowOf(tables, id);
  return row?.denial === undefined ? undefined : { run: runKey(row), action: row.action };
}

/** Facts that an aggregator may change by itself, or that the daemon adds. */
const NO_GROUNDS: ReadonlySet<string> = new Set(["updated", "first_seen", "since"]);

function isAlike(one: Facts, other: Facts): boolean {
  return [...Object.keys(one), ...Object.keys(other)].every(
    (name) => NO_GROUNDS.has(name) || one[name] === other[name],
  );
}

function rowOf({ proposal }: State["tables"], id: string): Proposal | undefined {
  return [...proposal.values()].find((one) => one.id === id);
}

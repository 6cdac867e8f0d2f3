import type { Proposal } from "../../domain/remediation.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { Step } from "../run-event.ts";
import { DurableMap } from "./durable-map.ts";
import { acceptedCommand } from "./overrides.ts";
import { runKey } from "./remediations.ts";

type ProposalEntry = {
  /** The run of the alert that it is for: what is approved for one run is not for the next. */
  readonly run: string;
  readonly action: string;
  readonly expiresAt: Instant;
  readonly approvers: readonly string[];
};

/** Who approved which proposal, until it is used up, denied or expired. */
export class Approvals {
  private readonly proposals = new DurableMap<ProposalEntry>();

  record(step: Step): void {
    for (const finding of step.result.findings) {
      if (finding.type !== "proposed") continue;
      const expiresAt = step.stampedAt + step.policy.acting.approvalExpiresAfterMs;
      const { action, proposal } = finding;
      const row = rowOf(step.state, proposal);
      if (row === undefined) continue;
      this.proposals.set(proposal, { run: runKey(row), action, expiresAt, approvers: [] });
    }
    const { command, by = "" } = acceptedCommand(step) ?? {};
    if (command?.name === "deny") this.proposals.delete(command.proposal);
    if (command?.name !== "approve") return;
    const proposal = this.proposals.get(command.proposal);
    if (proposal === undefined) return;
    const approvers = [...new Set([...proposal.approvers, by])];
    this.proposals.set(command.proposal, { ...proposal, approvers });
  }

  /** The persons who approve of an action at an instant. */
  of(run: string, action: string, at: Instant): readonly string[] {
    return this.best(run, action, at)?.[1].approvers ?? [];
  }

  /** One approval is for one action; that of one that could not be committed is used up as well. */
  use(run: string, action: string, at: Instant): void {
    const used = this.best(run, action, at);
    if (used !== undefined) this.proposals.delete(used[0]);
  }

  /** The proposal that most persons approve of. */
  private best(run: string, action: string, at: Instant): [string, ProposalEntry] | undefined {
    return [...this.proposals]
      .filter(([, one]) => one.run === run && one.action === action && one.expiresAt > at)
      .toSorted(([, one], [, other]) => other.approvers.length - one.approvers.length)[0];
  }

  settle(): void {
    this.proposals.settle();
  }

  restore(state: State): void {
    this.proposals.restore((id) => {
      const row = rowOf(state, id);
      if (row === undefined || row.denial !== undefined) return undefined;
      const approvers = row.approvals.map(({ by }) => by);
      return { run: runKey(row), action: row.action, expiresAt: row.expiresAt, approvers };
    });
  }
}

function rowOf({ tables }: State, id: string): Proposal | undefined {
  return [...tables.proposal.values()].find((one) => one.id === id);
}

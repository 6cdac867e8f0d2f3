import { MODES } from "../../domain/action.ts";
import type { Proposal } from "../../domain/remediation.ts";
import type { State } from "../../core/state.ts";
import type { Instant } from "../../domain/time.ts";
import { decidedActsOf, guardBook, type GuardBook, type Step, type Want } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";
import { acceptedCommand } from "./operators.ts";
import type { Readings } from "./readings.ts";
import { truthOf } from "./verdicts.ts";

type Proposed = {
  /** The run of the alert that it is for: what is approved for one run is not for the next. */
  readonly run: string;
  readonly action: string;
  readonly expiresAt: Instant;
  readonly approvers: readonly string[];
};

class ApprovalBook {
  readonly proposals = createDurableBook<Proposed>();
  private readonly readings: Readings;

  constructor(readings: Readings) {
    this.readings = readings;
  }

  note(step: Step): void {
    for (const finding of step.result.findings) {
      if (finding.type !== "proposed") continue;
      const expiresAt = step.stampedAt + step.policy.acting.approvalExpiresAfterMs;
      const { action, proposal } = finding;
      const row = rowOf(step.state, proposal);
      if (row === undefined) continue;
      this.proposals.set(proposal, { run: runOf(row), action, expiresAt, approvers: [] });
    }
    const said = acceptedCommand(step);
    if (said?.command.name === "deny") this.proposals.delete(said.command.proposal);
    if (said?.command.name !== "approve") return;
    const proposal = this.proposals.get(said.command.proposal);
    if (proposal === undefined) return;
    const approvers = [...new Set([...proposal.approvers, said.by])];
    this.proposals.set(said.command.proposal, { ...proposal, approvers });
  }

  /** Those of an action that stand, the ones that most persons approve of first. */
  standing({ act, at, ...want }: Want): Array<[string, Proposed]> {
    const own = runOf(want);
    return [...this.proposals.entries()]
      .filter(([, { run, action, expiresAt }]) => {
        return run === own && action === act.action && expiresAt > at;
      })
      .sort(([, one], [, other]) => other.approvers.length - one.approvers.length);
  }

  /** One approval is for one action. */
  use(want: Want): void {
    const [used] = this.standing(want);
    if (used !== undefined) this.proposals.delete(used[0]);
  }

  objection(want: Want): string | undefined {
    const { act, policy } = want;
    const mode = MODES[Math.min(MODES.indexOf(policy.acting.ceiling), MODES.indexOf(act.mode))];
    if (mode === "shadow") return "the mode is shadow";
    if (mode === "propose") {
      const approvers = this.standing(want)[0]?.[1].approvers ?? [];
      if (approvers.length < act.approvals) {
        return `${approvers.length} of ${act.approvals} persons have approved it`;
      }
    }
    return conditionObjection(want, this.readings);
  }
}

/**
 * Nothing leaves in shadow mode, nothing that is to be proposed without as many persons as the rule
 * asks for, and nothing that the rule's own `act.if` does not allow.
 */
export function checkPermission(readings: Readings): GuardBook {
  const book = new ApprovalBook(readings);
  return guardBook("2 permission", (want) => book.objection(want), {
    note: (step) => book.note(step),
    done: (act) => book.use(act),
    end: (step) => {
      if (step.durable) book.proposals.settle();
      // What could not be committed is not sent, and its approval is used up all the same.
      else for (const act of decidedActsOf(step)) book.use(act);
    },
    restart: ({ tables }) => {
      book.proposals.restore((id) => {
        const row = rowOf({ tables }, id);
        if (row === undefined || row.denial !== undefined) return undefined;
        const { action, expiresAt, approvals } = row;
        const approvers = approvals.map(({ by }) => by);
        return { run: runOf(row), action, expiresAt, approvers };
      });
    },
  });
}

function rowOf({ tables }: Pick<State, "tables">, id: string): Proposal | undefined {
  return [...tables.proposal.values()].find((one) => one.id === id);
}

function runOf({ alert, alertStartedAt }: Pick<Want, "alert" | "alertStartedAt">): string {
  return `${alert} ${alertStartedAt}`;
}

function conditionObjection(want: Want, readings: Readings): string | undefined {
  const { rule, act, key, state, at } = want;
  const known = readings.entity(key);
  if (act.condition === undefined || known === undefined) return undefined;
  const truth = truthOf({ ...rule, when: act.condition }, key, known, state, at);
  if (truth === undefined || truth === "bad") return undefined;
  return `act.if (${act.condition.source}) is ${truth === "ok" ? "false" : truth}`;
}

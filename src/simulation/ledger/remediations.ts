import type { ActionName } from "../../domain/action.ts";
import { entityKey } from "../../domain/entity.ts";
import { isSettled, type Remediation, type RemediationState } from "../../domain/remediation.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { Step } from "../run-event.ts";
import { DurableMap } from "./durable-map.ts";

/** One attempt to repair, as the findings report it. */
export type RemediationEntry = {
  readonly id: string;
  readonly rule: string;
  readonly action: ActionName;
  readonly aggregator: string;
  /** The key of the entity. */
  readonly entity: string;
  readonly run: string;
  readonly requestedAt: Instant;
  /** Its step was on disk, so its request may be sent. */
  readonly isDurable: boolean;
  /** Every state that it has had, in order. */
  readonly states: readonly RemediationState[];
  readonly answeredAt: Instant | undefined;
  readonly withinMs: Millis;
  /** Counts from the answer, and again from a start, as no process polled meanwhile. */
  readonly deadline: Instant;
  /** Its request was never sent, so it counts for no limit. */
  readonly isUnsent: boolean;
};

type Answered = Extract<Step["event"], { type: "acted" }>;

/** One run of an alert: from when it became pending until it is resolved. */
export type AlertRun = { readonly alert: string; readonly alertStartedAt: Instant };

export function runKey({ alert, alertStartedAt }: AlertRun): string {
  return `${alert} ${alertStartedAt}`;
}

/** Every remediation of the run, settled or not. One that could not be committed counts as sent. */
export class Remediations {
  readonly entries = new DurableMap<RemediationEntry>({
    keys: ({ remediation }) => remediation.keys(),
    read: ({ remediation }, id, before, since) => {
      const made = remediation.get(id);
      const isDurable = since !== undefined || before?.isDurable === true;
      if (made !== undefined) return { ...entryOf(made), isDurable };
      // One that was pruned before the commits were lost stays.
      const isOld = before !== undefined && since !== undefined && before.requestedAt < since;
      return isOld ? before : undefined;
    },
  });
  /** Those that may have been sent, and of these the unsettled ones, after so many changes. */
  private listed: Record<"sent" | "open", RemediationEntry[]> = { sent: [], open: [] };
  private listedAfter = 0;

  /** Those that may have been sent, in the order of their requests; only those before `id`, if it is given. */
  before(id?: string): readonly RemediationEntry[] {
    if (id === undefined || !this.entries.has(id)) return this.lists().sent;
    const all = [...this.entries.values()].filter((one) => !one.isUnsent || one.id === id);
    return all.slice(
      0,
      all.findIndex((one) => one.id === id),
    );
  }

  /** Those of a run that were held back in a row before they were sent, newest first; only before `id`, if it is given. */
  unsentInARow(run: string, id?: string): readonly RemediationEntry[] {
    const row: RemediationEntry[] = [];
    for (const one of [...this.entries.values()].toReversed()) {
      if (one.run !== run || one.id === id) continue;
      if (one.isUnsent) row.push(one);
      // One that is given up before its answer says nothing of those before it.
      else if (one.answeredAt !== undefined || stateOf(one) === "rejected") break;
    }
    return row;
  }

  open(): readonly RemediationEntry[] {
    return this.lists().open;
  }

  private lists() {
    if (this.listedAfter === this.entries.changes) return this.listed;
    this.listedAfter = this.entries.changes;
    const sent = [...this.entries.values()].filter((one) => !one.isUnsent);
    const open = sent.filter((one) => !isSettled({ state: stateOf(one) }));
    return (this.listed = { sent, open });
  }

  /** Of one that was given up before its answer came, only that it was not sent counts. */
  private recordAnswer({ remediation, reply }: Answered, at: Instant): void {
    const one = this.entries.get(remediation);
    const isUnsent = reply.outcome === "unsent";
    if (one === undefined || one.answeredAt !== undefined) return;
    if (isSettled({ state: stateOf(one) }) && !isUnsent) return;
    this.entries.set(remediation, {
      ...one,
      answeredAt: at,
      isUnsent,
      deadline: at + one.withinMs,
    });
  }

  record(step: Step): void {
    const { event, stampedAt: at, durable } = step;
    if (event.type === "acted") this.recordAnswer(event, at);
    for (const one of this.open()) {
      if (event.type === "resumed")
        this.entries.set(one.id, { ...one, deadline: one.deadline + at - event.since });
      if (event.type === "started")
        this.entries.set(one.id, { ...one, deadline: at + one.withinMs });
    }
    for (const finding of step.result.findings) {
      if (finding.type !== "remediation" || finding.corrected === true) continue;
      const made = finding.remediation;
      const known = this.entries.get(made.id);
      const states = [...(known?.states ?? []), made.state];
      const isNew = { ...entryOf(made), isDurable: durable, deadline: at + made.verifyWithinMs };
      this.entries.set(made.id, { ...(known ?? isNew), states });
    }
  }
}

export function stateOf({ states }: RemediationEntry): RemediationState {
  return states.at(-1) ?? "requested";
}

/** The entry that a row gives. */
function entryOf(made: Remediation): Omit<RemediationEntry, "isDurable"> {
  const { id, rule, action, entity, state, requestedAt, answeredAt } = made;
  return {
    id,
    rule,
    action,
    aggregator: entity.aggregator,
    entity: entityKey(entity),
    run: runKey(made),
    requestedAt,
    states: [state],
    answeredAt,
    withinMs: made.verifyWithinMs,
    isUnsent: made.unsent === true,
    deadline: made.settleBy,
  };
}

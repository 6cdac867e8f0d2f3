import { entityKey } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { formatDuration, formatInstant, type Instant, type Millis } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import type { Step } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";

type Open = {
  readonly entity: string;
  readonly state: "requested" | "acknowledged" | "in_doubt";
  readonly isAnswered: boolean;
  readonly withinMs: Millis;
  readonly deadline: Instant;
};

class RemediationBook {
  readonly open = createDurableBook<Open>();
  readonly settled = createDurableBook<string>();

  noteMove(made: Remediation, step: Step): string[] {
    const { id, state } = made;
    const key = entityKey(made.entity);
    const before = this.settled.get(id);
    if (before !== undefined) return [`${id} of ${key} became ${state}, and was ${before} already`];
    if (state === "verified" || state === "unverified" || state === "rejected") {
      this.open.delete(id);
      this.settled.set(id, state);
      return [];
    }
    const others = [...this.open.entries()].filter(
      ([other, { entity }]) => other !== id && entity === key,
    );
    const { verifyWithinMs: withinMs } = made;
    const { deadline = step.stampedAt + withinMs, isAnswered = false } = this.open.get(id) ?? {};
    this.open.set(id, { entity: key, state, isAnswered, withinMs, deadline });
    return others.map(
      ([other]) => `${id} of ${key} became ${state} while ${other} of it was not this.settled`,
    );
  }

  /** The deadline counts from the answer, and anew from a start, as nobody looked meanwhile. */
  noteDeadlines({ event, stampedAt: at }: Step): void {
    for (const [id, one] of this.open.entries()) {
      const isAnswer = event.type === "acted" && event.remediation === id && !one.isAnswered;
      if (!isAnswer && event.type !== "started") continue;
      this.open.set(id, {
        ...one,
        isAnswered: one.isAnswered || isAnswer,
        deadline: at + one.withinMs,
      });
    }
  }

  overdue({ event, stampedAt: at }: Step): string[] {
    const found: string[] = [];
    for (const [id, { entity, state, withinMs, deadline }] of this.open.entries()) {
      if (event.type === "tick" && at >= deadline) {
        found.push(
          `${id} of ${entity} is ${state} at ${formatInstant(at)}: it had ${formatDuration(withinMs)}, until ${formatInstant(deadline)}`,
        );
      }
      if (event.type === "started" && state === "requested") {
        found.push(`${id} of ${entity} is not in doubt after the start at ${formatInstant(at)}`);
      }
    }
    return found;
  }
}

/**
 * One unsettled remediation for an entity at most, each settled once, by its deadline, and never again;
 * one that a process left unanswered is in doubt for the next.
 */
export function checkOpenRemediations(): Checker {
  const book = new RemediationBook();
  return {
    invariant: "3 remediations",
    witness: (seen) => {
      if (seen.type === "restarted") {
        const { remediation } = seen.state.tables;
        book.open.restore((id) => openOf(remediation.get(id)));
        book.settled.restore((id) => settledOf(remediation.get(id)));
        return [];
      }
      if (seen.type !== "step") return [];
      book.noteDeadlines(seen);
      const found = seen.result.findings.flatMap((finding) =>
        finding.type === "remediation" ? book.noteMove(finding.remediation, seen) : [],
      );
      found.push(...book.overdue(seen));
      if (seen.durable) {
        book.open.settle();
        book.settled.settle();
      }
      return found;
    },
  };
}

function openOf(row: Remediation | undefined): Open | undefined {
  if (row === undefined) return undefined;
  const { state, verifyWithinMs: withinMs, settleBy: deadline } = row;
  if (state === "verified" || state === "unverified" || state === "rejected") return undefined;
  const isAnswered = row.answeredAt !== undefined;
  return { entity: entityKey(row.entity), state, isAnswered, withinMs, deadline };
}

function settledOf(row: Remediation | undefined): string | undefined {
  return row === undefined || openOf(row) !== undefined ? undefined : row.state;
}

import type { Part } from "../../domain/observation.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import { stepChecker, type Step } from "./acts.ts";
import { partOf } from "./fresh-data.ts";

/** Verified, not assumed: only by a reading that was asked after the answer and shows what was aimed at. */
export function checkVerified(): Checker {
  const answeredAt = new Map<string, Instant>();
  return stepChecker("3 verified", (step) => {
    const { event } = step;
    if (event.type === "acted" && !answeredAt.has(event.remediation)) {
      answeredAt.set(event.remediation, step.stampedAt);
    }
    return step.result.findings.flatMap((finding) => {
      if (finding.type !== "remediation" || finding.remediation.state !== "verified") return [];
      const { remediation: made } = finding;
      const since =
        made.answeredAt === undefined ? made.requestedAt : (answeredAt.get(made.id) ?? 0);
      const problem = problemOf(made, since, step);
      const { aggregator, kind, id } = made.entity;
      const name = `${made.id} (${made.action} of ${aggregator}/${kind}/${id})`;
      return problem === undefined
        ? []
        : [`${name} became verified at ${formatInstant(step.stampedAt)} ${problem}`];
    });
  });
}

function problemOf(made: Remediation, since: Instant, step: Step): string | undefined {
  const part = partOf(step, made.surface);
  if (part === undefined) return "without a reading of its surface";
  if (!part.reading.ok) return `by a reading that failed (${part.reading.failure.reason})`;
  if (part.askedAt <= since) {
    return `by a reading asked at ${formatInstant(part.askedAt)}, not after ${formatInstant(since)}`;
  }
  return showsAim(made, part) ? undefined : "by a reading that does not show what was aimed at";
}

/** What each action aims at, written down a second time. */
function showsAim({ action, entity: { kind, id } }: Remediation, { reading }: Part): boolean {
  if (!reading.ok) return false;
  const facts = reading.entities.find((one) => one.kind === kind && one.id === id)?.facts;
  switch (action) {
    case "enable_exchange":
      return facts?.["listed"] === true && facts["disabled"] === false;
    case "enable_pair":
      return facts === undefined && reading.complete;
    case "force_cancel_order":
      return facts?.["final"] === true;
  }
}

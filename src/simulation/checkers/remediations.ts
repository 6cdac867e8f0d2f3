import { entityKey } from "../../domain/entity.ts";
import { isSettled, type Remediation } from "../../domain/remediation.ts";
import type { Part } from "../../domain/observation.ts";
import { formatDuration, formatInstant } from "../../domain/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { stateOf } from "../ledger/remediations.ts";
import { isUnsure } from "../ledger/listings.ts";
import type { Step } from "../run-event.ts";
import { partOf } from "./acts.ts";
import { on } from "./checker.ts";

/**
 * An entity has at most one unsettled remediation, and each is settled once, by its deadline.
 * One that a process left unanswered is in doubt for the next.
 */
export const openRemediations = on("step", "3 remediations", (step, ledger) => [
  ...changesOf(step, ledger),
  ...overdue(step, ledger),
]);

function changesOf({ result }: Step, { remediations }: Ledger): string[] {
  return result.findings.flatMap((finding) => {
    if (finding.type !== "remediation" || finding.corrected === true) return [];
    const entry = remediations.entries.get(finding.remediation.id);
    if (entry === undefined) return [];
    const { id, entity } = entry;
    const name = `${id} of ${entity} became ${stateOf(entry)}`;
    const settled = entry.states.slice(0, -1).find((state) => isSettled({ state }));
    if (settled !== undefined) return [`${name}, and was ${settled} already`];
    if (isSettled({ state: stateOf(entry) })) return [];
    const others = remediations.open().filter((one) => one.id !== id && one.entity === entity);
    return others.map((other) => `${name} while ${other.id} of it was not settled`);
  });
}

function overdue({ event, stampedAt: at }: Step, { remediations }: Ledger): string[] {
  if (event.type !== "tick" && event.type !== "started") return [];
  return remediations.open().flatMap((one) => {
    const state = stateOf(one);
    if (event.type === "started")
      return state === "requested"
        ? [`${one.id} of ${one.entity} is not in doubt after the start at ${formatInstant(at)}`]
        : [];
    if (at < one.deadline) return [];
    return [
      `${one.id} of ${one.entity} is ${state} at ${formatInstant(at)}: it had ${formatDuration(one.withinMs)}, until ${formatInstant(one.deadline)}`,
    ];
  });
}

/** A remediation is verified only by a reading that was requested after the answer, and that shows the aim. */
export const verified = on("step", "3 verified", (step, ledger) =>
  step.result.findings.flatMap((finding) => {
    if (finding.type !== "remediation" || finding.corrected === true) return [];
    const { remediation: made } = finding;
    if (made.state !== "verified") return [];
    const problem = verificationProblem(made, step, ledger);
    const name = `${made.id} (${made.action} of ${entityKey(made.entity)})`;
    return problem === undefined
      ? []
      : [`${name} became verified at ${formatInstant(step.stampedAt)} ${problem}`];
  }),
);

function verificationProblem(
  made: Remediation,
  step: Step,
  { remediations }: Ledger,
): string | undefined {
  const answeredAt = remediations.entries.get(made.id)?.answeredAt ?? 0;
  const since = made.answeredAt === undefined ? made.requestedAt : answeredAt;
  const part = partOf(step, made.surface);
  if (part === undefined) return "without a reading of its surface";
  if (!part.reading.ok) return `by a reading that failed (${part.reading.failure.reason})`;
  if (part.askedAt <= since) {
    return `by a reading asked at ${formatInstant(part.askedAt)}, not after ${formatInstant(since)}`;
  }
  if (isUnsure(part.reading, made.entity))
    return "by a reading that contradicts itself or is a part";
  return showsAim(made, part) ? undefined : "by a reading that does not show what was aimed at";
}

/** The aim of each action, written a second time, apart from the core. */
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

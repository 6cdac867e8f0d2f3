import { severityOf } from "../../domain/shown/severity.ts";
import type { Alert } from "../../domain/alert.ts";
import type { Finding } from "../../domain/finding.ts";
import { formatScope } from "../../domain/hold.ts";
import type { EventNotification } from "../../domain/notification.ts";
import type { EndedProposal, Proposal, Remediation } from "../../domain/remediation.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { approvalsNeeded } from "../act/decide.ts";
import { reasonsOf } from "../act/guards/index.ts";
import { shownText } from "../act/shown.ts";
import { touch, type Draft } from "../draft.ts";
import type { About } from "./muted-by.ts";
import { remediationSubject } from "./outbox.ts";
import { whatFollows } from "./what-follows.ts";

/** An event to notify of, with the words that people read. */
export type EventOnSubject = {
  /** The subject of its row in the outbox. */
  readonly subject: string;
  readonly notification: EventNotification;
  /** A silence that covers these mutes it; undefined if no silence does. */
  readonly about?: About;
};

/** The event that a finding is; undefined if people are not notified of it. */
export function eventOf(draft: Draft, finding: Finding): EventOnSubject | undefined {
  const { type } = finding;
  const { at } = draft;
  if (type === "remediation")
    return finding.corrected === true ? undefined : remediationEvent(draft, finding.remediation);
  if (type === "kill") return killEvent(finding, at);
  if (type === "hold" && finding.change === "ends_soon") return holdEvent(finding, at);
  return undefined;
}

const REMEDIATION_WORDS = {
  requested: { word: "sent", severity: "info" },
  verified: { word: "verified", severity: "info" },
  unverified: { word: "unverified", severity: "warning" },
  rejected: { word: "rejected", severity: "warning" },
} as const;

/** Undefined for the states between the request and its end. */
function remediationEvent(draft: Draft, remediation: Remediation): EventOnSubject | undefined {
  const { state, detail, id, approvedBy } = remediation;
  if (state === "acknowledged" || state === "in_doubt") return undefined;
  const by = approvedBy === undefined || state !== "requested" ? "" : `; approved by ${approvedBy}`;
  return repairEvent(remediationSubject(id), remediation, draft.at, {
    ...REMEDIATION_WORDS[state],
    title: `: ${REMEDIATION_WORDS[state].word}`,
    detail: `${id}: ${detail}${by}${whatFollows(draft, remediation)}`,
  });
}

/** The proposals to notify people of now; each is notified once. */
export function dueProposals(draft: Draft): EventOnSubject[] {
  return [...draft.state.tables.proposal].flatMap(([key, proposal]) => {
    const { announcement, denial, withdrawn } = proposal;
    if (announcement.isDone || announcement.dueAt > draft.at) return [];
    if (denial !== undefined || withdrawn !== undefined) return [];
    announcement.isDone = true;
    announcement.times += 1;
    announcement.lastAt = draft.at;
    touch(draft, "proposal", key);
    return [proposalEvent(draft, proposal)];
  });
}

/** What the subjects of events about an alert begin with; its key follows. */
const PROPOSAL = "proposal ";
const SUPPRESSED = "suppressed ";

/** With these an action is held back as somebody wants it so. */
export const INTENDED = reasonsOf(({ isIntended }) => isIntended);

/** Whether it is out of date: the proposal no longer waits for a decision, or the action is no longer held back. */
export function isOver(
  { at, policy, state: { tables } }: Draft,
  { subject, notification: { word, labels } }: Pick<EventOnSubject, "subject" | "notification">,
): boolean {
  if (word === "suppressed") {
    const alert = tables.alert.get(subject.slice(SUPPRESSED.length));
    if (alert?.state !== "firing" || alert.suppressed === undefined) return true;
    const { reason, before } = alert.suppressed;
    // Behind a pause is what is held back by wish, unless the pause is what it is about.
    return reason !== labels["reason"] && INTENDED.has((before ?? alert.suppressed).reason);
  }
  if (word !== "proposed") return false;
  const proposal = tables.proposal.get(subject.slice(PROPOSAL.length));
  if (proposal === undefined || proposal.id !== labels["proposal"]) return true;
  const { approvals, denial, withdrawn, expiresAt } = proposal;
  if (denial !== undefined || withdrawn !== undefined || expiresAt <= at) return true;
  return approvals.length >= approvalsNeeded(policy, proposal);
}

/** What is read here is what is approved by the command: it names the digest. */
function proposalEvent({ at, policy, state }: Draft, proposal: Proposal): EventOnSubject {
  const { id, alert, digest, shown, expiresAt, because } = proposal;
  const what = shownText(policy.kinds.get(proposal.entity.kind), shown);
  // Last: what is to be decided on is read first.
  const before = because === undefined ? "" : `. Before it, ${because}`;
  // One subject for each alert: what was withdrawn and still waits is not sent any more.
  return repairEvent(`${PROPOSAL}${alert}`, proposal, at, {
    word: "proposed",
    severity: callFor(state.tables.alert.get(alert)?.severity),
    labels: { proposal: id, digest },
    title: " waits for a person",
    detail: `${id} (${digest}) expires at ${formatInstant(expiresAt)}: ${what}${before}`,
    command: `aggwatch approve ${id} --digest ${digest} --reason "why"`,
  });
}

/** That a decision is no longer needed, with the word that says why. */
export function endOfProposal({ proposal, word, why }: EndedProposal, at: Instant): EventOnSubject {
  return repairEvent(`${PROPOSAL}${proposal.alert}`, proposal, at, {
    word,
    severity: "info",
    labels: { proposal: proposal.id, digest: proposal.digest },
    title: " no longer waits for a person",
    detail: `${proposal.id} ${why}`,
  });
}

/** Notes a channel whose receiver knows of the proposal by now, so that it gets its end as well. */
export function noteAsked(draft: Draft, channel: string, subject: string): void {
  const key = subject.slice(PROPOSAL.length);
  const proposal = draft.state.tables.proposal.get(key);
  if (proposal === undefined) return;
  const { told = [] } = proposal.announcement;
  if (told.includes(channel)) return;
  proposal.announcement.told = [...told, channel];
  touch(draft, "proposal", key);
}

/** A remediation that a guard has held back for long. */
export function suppressedEvent(alert: Alert, action: string, at: Instant): EventOnSubject {
  const { key, rule, entity } = alert;
  const { reason, detail, since } = alert.suppressed ?? { reason: "", detail: "", since: at };
  return repairEvent(`${SUPPRESSED}${key}`, { rule, entity, action }, at, {
    word: "suppressed",
    severity: callFor(alert.severity),
    labels: { reason },
    title: ` is held back (${reason})`,
    detail: `since ${formatInstant(since)}: ${detail}`,
  });
}

/** Who is called for critical alerts alone is also asked to decide on them. */
function callFor(severityOfAlert: string | undefined): "warning" | "critical" {
  const isCritical = severityOfAlert !== undefined && severityOf(severityOfAlert) === "critical";
  return isCritical ? "critical" : "warning";
}

type Repair = About & { readonly action: string };

/** The title goes on from the action and its entity. */
function repairEvent(
  subject: string,
  { rule, entity, parent, action }: Repair,
  at: Instant,
  said: Pick<EventNotification, "word" | "severity" | "title" | "detail" | "command"> &
    Partial<Pick<EventNotification, "labels">>,
): EventOnSubject {
  const { aggregator, kind, id } = entity;
  const { word, severity, labels, title, detail, command } = said;
  return {
    subject,
    about: { rule, entity, ...(parent && { parent }) },
    notification: {
      type: "event",
      topic: "remediations",
      word,
      severity,
      at,
      labels: { alertname: rule, aggregator, kind, entity: id, action, ...labels },
      title: `${action} of ${kind} ${id} on ${aggregator}${title}`,
      detail,
      ...(command === undefined ? {} : { command }),
    },
  };
}

/** Holds of recurring maintenance end as planned, so no reminder is sent. */
const MAINTENANCE_HOLD = /^maintenance-/;

function holdEvent(
  { hold, detail }: Extract<Finding, { type: "hold" }>,
  at: Instant,
): EventOnSubject | undefined {
  if (MAINTENANCE_HOLD.test(hold.id)) return undefined;
  const { aggregator } = hold.scope;
  return {
    subject: `hold ${hold.id}`,
    notification: {
      type: "event",
      topic: "holds",
      word: "hold_ends",
      severity: "warning",
      at,
      labels: { hold: hold.id, ...(aggregator === undefined ? {} : { aggregator }) },
      title: `The hold ${hold.id} of ${hold.owner} ends soon`,
      detail: `${formatScope(hold.scope)} (${hold.reason}): ${detail}`,
    },
  };
}

function killEvent(
  { source, on, by, stillOn = [], detail }: Extract<Finding, { type: "kill" }>,
  at: Instant,
): EventOnSubject {
  // The other sources are no persons.
  const who = source === "operator" && by !== undefined ? `by ${by}: ` : "";
  const still = stillOn.length === 0 ? "" : `; it is still on by ${stillOn.join(", ")}`;
  return {
    subject: `kill ${source}`,
    notification: {
      type: "event",
      topic: "kill",
      word: on ? "kill_on" : "kill_off",
      // Also the release: who is told that nothing is sent has to be told that it is over.
      severity: "warning",
      at,
      labels: { source },
      title: on
        ? `No action is sent: the kill switch is on (${source})`
        : `The kill switch (${source}) was released${still}`,
      detail: `${who}${detail}`,
    },
  };
}

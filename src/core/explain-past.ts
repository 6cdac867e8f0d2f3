import { entityKey } from "../domain/entity.ts";
import type { Alert } from "../domain/alert.ts";
import type { Finding } from "../domain/finding.ts";
import { formatInstant, type Instant } from "../domain/time.ts";

/**
 * Why, at an instant that is past: made anew from what was found up to then. State is not kept for
 * every instant, so facts and guards are those of the last finding that tells them.
 */
export type Past = { readonly at: Instant; readonly finding: Finding };

/** Sentences, the answer first. `found` is about one alert, newest first, none later than `at`. */
export function explainPast(alertKey: string, at: Instant, found: readonly Past[]): string[] {
  const last = found.find(isAlert);
  if (last === undefined) {
    const what = "the journal has nothing about it up to then";
    return [`${alertKey} at ${formatInstant(at)}: ${what}.`];
  }
  const { alert } = last.finding;
  const ofThisRun = found.filter(
    ({ at: foundAt, finding }) => foundAt >= alert.startedAt && finding.type !== "alert",
  );
  return [
    stateSentence(alert, last, at),
    factsSentence(alert, last.at),
    ...withheld(found.filter(({ at: foundAt }) => foundAt >= alert.startedAt)),
    ...ofThisRun.toReversed().flatMap(deedSentence),
    "This is made from the journal's findings; it says what was recorded, not every value in between.",
  ];
}

type AlertPast = Past & { readonly finding: Extract<Finding, { type: "alert" }> };

function isAlert(past: Past): past is AlertPast {
  return past.finding.type === "alert";
}

const STATE_AFTER = {
  pending: "pending",
  firing: "firing",
  resolved: "resolved",
  dropped: "without an alert",
} as const;

function stateSentence(alert: Alert, { at: foundAt, finding }: AlertPast, at: Instant): string {
  const { change, detail } = finding;
  const what = `${alert.rule} on ${entityKey(alert.entity)} at ${formatInstant(at)}`;
  const said = detail === "" ? "" : `: ${detail}`;
  const since = `since ${formatInstant(foundAt)}${said}`;
  if (change === "unknown") return `${what}: ${alert.state}, and not known ${since}.`;
  if (change === "known") return `${what}: ${alert.state}, and known again ${since}.`;
  return `${what}: ${STATE_AFTER[change]} ${since}.`;
}

function factsSentence({ facts }: Alert, foundAt: Instant): string {
  const said = Object.entries(facts).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  if (said.length === 0) return "No facts were recorded with it.";
  return `It rested on, as of ${formatInstant(foundAt)}: ${said.join(", ")}.`;
}

/** The last reason not to act, unless something was sent after it. */
function withheld(found: readonly Past[]): string[] {
  for (const { at, finding } of found) {
    if (finding.type === "remediation") return [];
    if (finding.type !== "suppressed") continue;
    const { action, reason, detail } = finding;
    return [`${action} was not sent, since ${formatInstant(at)}: ${reason}. ${detail}.`];
  }
  return ["No reason not to act was recorded."];
}

function deedSentence({ at, finding }: Past): string[] {
  const when = formatInstant(at);
  if (finding.type === "unconfirmed") {
    return [`${when} ${finding.action} was not confirmed: ${finding.detail}.`];
  }
  if (finding.type !== "remediation") return [];
  const { id, action, state, approvedBy } = finding.remediation;
  const by = approvedBy === undefined ? "" : `, approved by ${approvedBy}`;
  return [`${when} ${id}: ${action} ${state}${by}: ${finding.detail}.`];
}

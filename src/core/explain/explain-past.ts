import { alertKey, type Alert } from "../../domain/alert.ts";
import { entityKey, type Entity, type EntityId } from "../../domain/entity.ts";
import type { Finding } from "../../domain/finding.ts";
import { covers, formatScope } from "../../domain/hold.ts";
import type { Judgement } from "../../domain/judgement.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { attemptsThen } from "./attempts-then.ts";
import { explanationSentences, type Explanation } from "./explain.ts";

/**
 * Why, at an instant in the past: reconstructed from the findings up to then, in the words of `explain`. A judgement is
 * recorded whenever an alert moves, the reason for not acting changes, or a remediation moves; what changed between the
 * last judgement and the instant is listed as it was found.
 */
export type Past = { readonly at: Instant; readonly finding: Finding };

type PastQuestion = {
  readonly rule: string;
  /** With its parent, if that is known: a hold of an exchange covers its pairs. */
  readonly entity: EntityId & Pick<Entity, "parent">;
  readonly at: Instant;
  /** About the one alert, newest first, none later than `at`. */
  readonly found: readonly Past[];
  /** The alert as the present knows it of `at`, which the findings may lack. */
  readonly lasting?: Alert;
};

export function explainPast(question: PastQuestion): Explanation {
  const { rule, entity, at, found } = question;
  const judged = found.find((past) => judgementIn(past) !== undefined);
  return {
    at,
    rule,
    entity: { aggregator: entity.aggregator, kind: entity.kind, id: entity.id },
    judgement: judged && judgementIn(judged),
    alert: alertThen(question),
    remediations: remediationsOf(found),
  };
}

function alertThen(question: PastQuestion): Alert | undefined {
  const moved = lastMove(question);
  if (moved === undefined) return question.lasting;
  const { at, finding } = moved;
  const { change, alert } = finding;
  if (change === "dropped") return undefined;
  return { ...alert, attempts: attemptsThen(alert, at, remediationsOf(question.found)) };
}

/** The last move of the alert; undefined if none is found of the run that lasts. */
function lastMove({ found, lasting }: PastQuestion): AlertPast | undefined {
  const last = found.find(isAlert);
  const isOfIt = lasting === undefined || last?.finding.alert.startedAt === lasting.startedAt;
  return isOfIt ? last : undefined;
}

/** When the run of the alert began; undefined if it is not known. */
export function storyBegin(question: PastQuestion): Instant | undefined {
  return (lastMove(question)?.finding.alert ?? question.lasting)?.startedAt;
}

/** Sentences, the answer first. `others` are findings of holds, kills and the like, newest first. */
export function pastSentences(
  kinds: Policy["kinds"],
  question: PastQuestion,
  others: readonly Past[],
): string[] {
  const it = explainPast(question);
  const told = explanationSentences(kinds, it);
  if (question.found.length === 0 && it.alert === undefined) {
    return [...told.slice(0, 1), "The journal has nothing about it up to then."];
  }
  const isBeginFound = it.alert === undefined || lastMove(question) !== undefined;
  const begins = storyBegin(question) ?? question.at;
  const proposals = new Set<string>();
  const story = [...others, ...question.found.filter(({ at }) => at >= begins)]
    .toReversed()
    .toSorted((one, other) => one.at - other.at || rankOf(one) - rankOf(other))
    .flatMap(({ at, finding }) => {
      const said = eventSentence(finding, question, proposals);
      return said === undefined ? [] : [`  ${formatInstant(at)} ${said}`];
    });
  return [
    ...told,
    ...(isBeginFound ? [] : ["The journal has no finding of how it began."]),
    ...(story.length === 0 ? [] : ["What happened:", ...story]),
  ];
}

type AlertPast = Past & { readonly finding: Extract<Finding, { type: "alert" }> };

function isAlert(past: Past): past is AlertPast {
  return past.finding.type === "alert";
}

function judgementIn({ finding }: Past): Judgement | undefined {
  return "judgement" in finding ? finding.judgement : undefined;
}

/** Each as it was last found. */
function remediationsOf(found: readonly Past[]): Remediation[] {
  const newest = new Map<string, Remediation>();
  for (const { finding } of found) {
    if (finding.type !== "remediation" || newest.has(finding.remediation.id)) continue;
    newest.set(finding.remediation.id, finding.remediation);
  }
  return [...newest.values()].toSorted((one, other) => other.requestedAt - one.requestedAt);
}

/** What happened; undefined if it does not concern this alert.  */
function eventSentence(
  finding: Finding,
  { rule, entity }: PastQuestion,
  proposals: Set<string>,
): string | undefined {
  const key = entityKey(entity);
  const own = endOfOwn(rule, key);
  switch (finding.type) {
    case "alert": {
      const { change, detail } = finding;
      return `${change}${detail === "" ? "" : `: ${detail}`}`;
    }
    case "suppressed":
      return `${finding.action} not sent: ${finding.reason}. ${finding.detail}`;
    case "unconfirmed":
      return `${finding.action} was not confirmed: ${finding.detail}`;
    case "remediation": {
      const { id, action, state, approvedBy } = finding.remediation;
      const by = approvedBy === undefined ? "" : `, approved by ${approvedBy}`;
      return `${id}: ${action} ${state}${by}: ${finding.detail}`;
    }
    case "proposed":
    case "withdrawn":
      if (entityKey(finding.entity) !== key) return undefined;
      proposals.add(finding.proposal);
      return `${finding.proposal} (${finding.digest}) ${finding.type}: ${finding.detail}`;
    case "command": {
      const { name, subject, by, reason, accepted, detail } = finding;
      const isOwn = proposals.has(subject) || detail.endsWith(own) || subject === key;
      if (!isOwn) return undefined;
      return `${name} by ${by} (${reason}) ${accepted ? "accepted" : "refused"}: ${detail}`;
    }
    case "kill":
      return `the kill switch (${finding.source}) ${finding.on ? "on" : "off"}: ${finding.detail}`;
    case "hold": {
      const { hold, change, detail } = finding;
      if (!covers(hold.scope, rule, entity)) return undefined;
      return `hold ${hold.id} of ${hold.owner} on ${formatScope(hold.scope)} ${change.replace("_", " ")}: ${detail}`;
    }
    case "quarantine":
      return finding.entity === key
        ? `quarantine ${finding.change.replace("_", " ")}: ${finding.detail}`
        : undefined;
    case "storm":
      return stormSentence(finding, rule, entity.aggregator);
    case "policy":
      return policySentence(finding, rule);
    case "muted":
      return finding.subject.endsWith(own)
        ? `not notified (${finding.reason}): ${finding.detail}`
        : undefined;
    case "polled":
    case "watch":
    case "left_out":
    case "took":
    case "entity":
    case "notified":
      return undefined;
  }
}

/** How a text about the alert ends: after a space, as the name of another rule may end like this one's. */
function endOfOwn(rule: string, key: string): string {
  return ` ${alertKey(rule, key)}`;
}

function stormSentence(
  finding: Extract<Finding, { type: "storm" }>,
  rule: string,
  aggregator: string,
): string | undefined {
  const { change, detail } = finding;
  const changed = `${change.replace("_", " ")}: ${detail}`;
  // After a hold or a kill switch, acting grows again for all rules on all aggregators: there was no storm.
  if (finding.rule === "*") return `ramp of all rules ${changed}`;
  const isOwn = finding.rule === rule && finding.aggregator === aggregator;
  return isOwn ? `storm ${changed}` : undefined;
}

function policySentence(
  finding: Extract<Finding, { type: "policy" }>,
  rule: string,
): string | undefined {
  const changes = (["added", "changed", "removed"] as const).filter((one) =>
    finding[one].includes(rule),
  );
  return changes.length === 0 ? undefined : `the rule was ${changes.join(", ")} by a reload`;
}

/** Within one instant a cause comes before its effects: a command, the alert, then what it led to. */
function rankOf({ finding: { type } }: Past): number {
  if (type === "alert") return 1;
  if (type === "proposed" || type === "withdrawn" || type === "storm") return 2;
  return type === "suppressed" || type === "unconfirmed" || type === "remediation" ? 3 : 0;
}

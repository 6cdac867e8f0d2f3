import { entityKey } from "../../domain/entity.ts";
import { formatScope } from "../../domain/hold.ts";
import type { Finding } from "../../domain/step.ts";
import type { Logger } from "./log.ts";

/** Writes what a step found as log lines: a constant message, and fields in the words of the metrics. */
export function createFindingLog(log: Logger): (findings: readonly Finding[]) => void {
  // A poll that fails again and again says so once, and once more when it changes.
  const lastOutcome = new Map<string, string>();
  return (findings) => {
    for (const finding of findings) {
      if (finding.type === "polled") logPoll(log, finding, lastOutcome);
      else logFinding(log, finding);
    }
  };
}

type Polled = Extract<Finding, { type: "polled" }>;

function logPoll(log: Logger, finding: Polled, lastOutcome: Map<string, string>): void {
  const { aggregator, poller, origin, outcome, durationMs, detail } = finding;
  const fields = {
    aggregator,
    poller,
    origin,
    outcome,
    duration_ms: Math.round(durationMs),
    detail,
  };
  const key = `${aggregator}/${poller}/${origin}`;
  const said = `${outcome} ${wayOf(detail)}`;
  const before = lastOutcome.get(key);
  lastOutcome.set(key, said);
  if (before === said || (before === undefined && outcome === "complete")) {
    log.debug(fields, "polled");
  } else if (outcome === "complete") log.info(fields, "poll is complete again");
  else log.warn(fields, "poll is not complete");
}

/** Reason and first clause, `status: status 503`: what follows are a server's words, new each time. */
function wayOf(detail: string): string {
  return detail.split(": ", 2).join(": ");
}

function logFinding(log: Logger, finding: Exclude<Finding, Polled>): void {
  switch (finding.type) {
    case "entity":
      return logEntity(log, finding);
    case "took":
      return log.debug({ entity: entityKey(finding.entity), took_ms: finding.tookMs }, "took");
    case "alert":
      return logAlert(log, finding);
    case "suppressed": {
      const { action, reason, detail } = finding;
      return log.info({ action, entity: entityKey(finding.entity), reason, detail }, "suppressed");
    }
    case "proposed": {
      const { action, proposal, detail } = finding;
      return log.warn({ action, entity: entityKey(finding.entity), proposal, detail }, "proposed");
    }
    case "unconfirmed": {
      const { action, detail } = finding;
      return log.info({ action, entity: entityKey(finding.entity), detail }, "not confirmed");
    }
    case "remediation":
      return logRemediation(log, finding);
    case "command": {
      const { by, reason, name, subject, accepted, detail } = finding;
      const fields = { by, reason, command: name, subject, accepted, detail };
      return log.info(fields, "operator command");
    }
    case "hold": {
      const { change, hold, detail } = finding;
      const fields = { hold: hold.id, owner: hold.owner, scope: formatScope(hold.scope), change };
      return log.warn({ ...fields, detail }, "hold");
    }
    case "quarantine": {
      const { change, entity, detail } = finding;
      return log.warn({ entity, change, detail }, "quarantine");
    }
    case "muted": {
      const { subject, reason, detail } = finding;
      return log.info({ subject, reason, detail }, "nobody is told");
    }
    case "notified":
      return logNotified(log, finding);
    case "storm": {
      const { change, rule, aggregator, detail } = finding;
      return log.warn({ alertname: rule, aggregator, change, detail }, "storm");
    }
    case "policy": {
      const { added, removed, changed } = finding;
      return log.info({ added, removed, changed }, "rules replaced");
    }
    case "watch":
      return logWatch(log, finding);
    case "kill": {
      const { source, on, detail } = finding;
      return log.warn({ source, on, detail }, "kill switch");
    }
  }
}

function logRemediation(log: Logger, finding: Extract<Finding, { type: "remediation" }>): void {
  const { id, action, entity, state } = finding.remediation;
  const fields = {
    remediation: id,
    action,
    entity: entityKey(entity),
    state,
    detail: finding.detail,
  };
  const failed = state === "unverified" || state === "rejected" || state === "in_doubt";
  if (failed) log.warn(fields, "remediation");
  else log.info(fields, "remediation");
}

function logNotified(log: Logger, finding: Extract<Finding, { type: "notified" }>): void {
  const { channel, outcome, count, durationMs, detail, repeated } = finding;
  const fields = { channel, outcome, count, duration_ms: Math.round(durationMs), detail };
  if (repeated) log.debug(fields, "notification");
  else if (outcome === "delivered") log.info(fields, "notification");
  else log.warn(fields, "notification");
}

function logWatch(log: Logger, finding: Extract<Finding, { type: "watch" }>): void {
  const { aggregator, source, name, entries, ended } = finding;
  log.info({ aggregator, source, name, entries, entities_ended: ended }, "watch list");
}

function logEntity(log: Logger, finding: Extract<Finding, { type: "entity" }>): void {
  const fields = {
    entity: entityKey(finding.entity),
    change: finding.change,
    detail: finding.detail,
  };
  // What a poller learns of itself is told by its polls and alerts.
  if (finding.change === "status") log.info(fields, "status changed");
  else log.debug(fields, "entity");
}

function logAlert(log: Logger, finding: Extract<Finding, { type: "alert" }>): void {
  const { alert, change, detail } = finding;
  const fields = {
    alertname: alert.rule,
    entity: entityKey(alert.entity),
    severity: alert.severity,
    change,
    summary: alert.annotations["description"] ?? alert.annotations["summary"] ?? "",
    detail,
  };
  if (change === "firing") log.warn(fields, "alert");
  else if (change === "resolved") log.info(fields, "alert");
  else log.debug(fields, "alert");
}

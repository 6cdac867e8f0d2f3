import { entityKey } from "../../domain/entity.ts";
import { formatScope } from "../../domain/hold.ts";
import type { Finding } from "../../domain/step.ts";
import type { Logger } from "./log.ts";

/** A constant message, and fields in the words of the metrics. */
type Line = readonly [
  level: "debug" | "info" | "warn",
  message: string,
  fields: Readonly<Record<string, unknown>>,
];

/** Logs the findings of a step, with the ids of its span if it has one. */
export function createFindingLog(
  log: Logger,
): (findings: readonly Finding[], span?: Readonly<Record<string, string>>) => void {
  // A poll that fails again in the same way is logged at `debug`.
  const lastOutcome = new Map<string, string>();
  return (findings, span) => {
    for (const finding of findings) {
      const line = finding.type === "polled" ? lineOfPoll(finding, lastOutcome) : lineOf(finding);
      const [level, message, fields] = line;
      log[level](span === undefined ? fields : { ...fields, ...span }, message);
    }
  };
}

type Polled = Extract<Finding, { type: "polled" }>;

function lineOfPoll(finding: Polled, lastOutcome: Map<string, string>): Line {
  const { aggregator, poller, origin, outcome, durationMs, detail } = finding;
  const duration_ms = Math.round(durationMs);
  const fields = { aggregator, poller, origin, outcome, duration_ms, detail };
  const key = `${aggregator}/${poller}/${origin}`;
  const now = `${outcome} ${wayOf(detail)}`;
  const before = lastOutcome.get(key);
  lastOutcome.set(key, now);
  const isWell = outcome === "complete" && detail === "";
  if (before === now || (before === undefined && isWell)) return ["debug", "polled", fields];
  if (outcome === "complete" && !isWell) return ["warn", "poll is complete, but in doubt", fields];
  return outcome === "complete"
    ? ["info", "poll is complete again", fields]
    : ["warn", "poll is not complete", fields];
}

/** Reason and first clause, `status: status 503`: the rest is a server's text, which may be new each time. */
function wayOf(detail: string): string {
  return detail.split(": ", 2).join(": ");
}

function lineOf(finding: Exclude<Finding, Polled>): Line {
  switch (finding.type) {
    case "entity":
      return lineOfEntity(finding);
    case "left_out":
      return lineOfLeftOut(finding);
    case "took":
      return ["debug", "took", { entity: entityKey(finding.entity), took_ms: finding.tookMs }];
    case "alert":
      return lineOfAlert(finding);
    case "suppressed": {
      const { action, entity, reason, detail } = finding;
      return ["info", "suppressed", { action, entity: entityKey(entity), reason, detail }];
    }
    case "proposed":
    case "withdrawn":
      return lineOfProposal(finding);
    case "unconfirmed": {
      const { action, entity, detail } = finding;
      return ["info", "not confirmed", { action, entity: entityKey(entity), detail }];
    }
    case "remediation":
      return lineOfRemediation(finding);
    case "command":
      return lineOfCommand(finding);
    case "hold": {
      const { change, hold, detail } = finding;
      const { id, owner } = hold;
      return ["warn", "hold", { hold: id, owner, scope: formatScope(hold.scope), change, detail }];
    }
    case "quarantine": {
      const { change, entity, detail } = finding;
      return ["warn", "quarantine", { entity, change, detail }];
    }
    case "muted": {
      const { subject, reason, detail } = finding;
      return ["info", "notification muted", { subject, reason, detail }];
    }
    case "notified":
      return lineOfNotified(finding);
    case "storm": {
      const { change, rule, aggregator, detail } = finding;
      return ["warn", "storm", { alertname: rule, aggregator, change, detail }];
    }
    case "policy": {
      const { added, removed, changed } = finding;
      return ["info", "rules replaced", { added, removed, changed }];
    }
    case "watch": {
      const { aggregator, source, name, entries, ended } = finding;
      const fields = { aggregator, source, name, entries, entities_ended: ended };
      return ["info", "watch list", fields];
    }
    case "kill": {
      const { source, on, detail } = finding;
      return ["warn", "kill switch", { source, on, detail }];
    }
  }
}

function lineOfProposal(finding: Extract<Finding, { type: "proposed" | "withdrawn" }>): Line {
  const { type, action, entity, proposal, digest, detail } = finding;
  return ["warn", type, { action, entity: entityKey(entity), proposal, digest, detail }];
}

function lineOfCommand(finding: Extract<Finding, { type: "command" }>): Line {
  const { by, reason, name, subject, accepted, detail } = finding;
  return ["info", "operator command", { by, reason, command: name, subject, accepted, detail }];
}

function lineOfLeftOut(finding: Extract<Finding, { type: "left_out" }>): Line {
  const { aggregator, kind, why, count } = finding;
  // While a listing holds too many, each poll finds it again, and an alert fires.
  const level = why === "listed" ? "debug" : "warn";
  return [level, "left out: more than `limits` allows", { aggregator, kind, why, count }];
}

function lineOfRemediation(finding: Extract<Finding, { type: "remediation" }>): Line {
  const { remediation, detail } = finding;
  const { id, action, entity, state } = remediation;
  const failed = state === "unverified" || state === "rejected" || state === "in_doubt";
  const fields = { remediation: id, action, entity: entityKey(entity), state, detail };
  return [failed ? "warn" : "info", "remediation", fields];
}

function lineOfNotified(finding: Extract<Finding, { type: "notified" }>): Line {
  const { channel, outcome, count, durationMs, detail, repeated } = finding;
  const fields = { channel, outcome, count, duration_ms: Math.round(durationMs), detail };
  const level = outcome === "delivered" ? "info" : "warn";
  return [repeated ? "debug" : level, "notification", fields];
}

function lineOfEntity(finding: Extract<Finding, { type: "entity" }>): Line {
  const { entity, change, detail } = finding;
  const fields = { entity: entityKey(entity), change, detail };
  // The changes of a poller's own entity are in the log as polls and alerts.
  return change === "status" ? ["info", "status changed", fields] : ["debug", "entity", fields];
}

function lineOfAlert(finding: Extract<Finding, { type: "alert" }>): Line {
  const { alert, change, detail } = finding;
  const { rule, entity, severity, annotations } = alert;
  const summary = annotations["description"] ?? annotations["summary"] ?? "";
  const fields = { alertname: rule, entity: entityKey(entity), severity, change, summary, detail };
  const level = change === "firing" ? "warn" : change === "resolved" ? "info" : "debug";
  return [level, "alert", fields];
}

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
      const [level, message, fields] =
        finding.type === "polled"
          ? lineOfPoll(finding, lastOutcome)
          : LINES[finding.type](finding as never);
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

/** Reason, endpoint and first clause, `status: pools: status 503`: the rest, a server's text, may be new each time. */
function wayOf(detail: string): string {
  return detail.split(": ", /^\w+: \w+: /.test(detail) ? 3 : 2).join(": ");
}

type Lines = {
  readonly [Type in Exclude<Finding["type"], "polled">]: (
    finding: Extract<Finding, { type: Type }>,
  ) => Line;
};

const LINES: Lines = {
  // The changes of a poller's own entity are in the log as polls and alerts.
  entity: ({ entity, change, detail }) =>
    change === "status"
      ? ["info", "status changed", { entity: entityKey(entity), change, detail }]
      : ["debug", "entity", { entity: entityKey(entity), change, detail }],
  left_out: ({ aggregator, kind, why, count }) => {
    // While a listing holds too many, each poll finds it again, and an alert fires.
    const level = why === "listed" ? "debug" : "warn";
    return [level, "left out: more than `limits` allows", { aggregator, kind, why, count }];
  },
  took: ({ entity, tookMs }) => ["debug", "took", { entity: entityKey(entity), took_ms: tookMs }],
  alert: ({ alert: { rule, entity, severity, annotations }, change, detail }) => {
    const summary = annotations["description"] ?? annotations["summary"] ?? "";
    const of = { alertname: rule, entity: entityKey(entity), severity };
    const level = change === "firing" ? "warn" : change === "resolved" ? "info" : "debug";
    return [level, "alert", { ...of, change, summary, detail }];
  },
  suppressed: ({ action, entity, reason, detail }) => [
    "info",
    "suppressed",
    { action, entity: entityKey(entity), reason, detail },
  ],
  proposed: lineOfProposal,
  withdrawn: lineOfProposal,
  unconfirmed: ({ action, entity, detail }) => [
    "info",
    "not confirmed",
    { action, entity: entityKey(entity), detail },
  ],
  remediation: ({ remediation: { id, action, entity, state }, detail, corrected }) => {
    const failed = state === "unverified" || state === "rejected" || state === "in_doubt";
    const fields = { remediation: id, action, entity: entityKey(entity), state, detail, corrected };
    return [failed ? "warn" : "info", "remediation", fields];
  },
  command: ({ by, reason, name, subject, accepted, detail }) => [
    "info",
    "operator command",
    { by, reason, command: name, subject, accepted, detail },
  ],
  hold: ({ change, hold: { id, owner, scope }, detail }) => [
    "warn",
    "hold",
    { hold: id, owner, scope: formatScope(scope), change, detail },
  ],
  quarantine: ({ change, entity, detail }) => ["warn", "quarantine", { entity, change, detail }],
  muted: ({ subject, reason, detail }) => [
    "info",
    "notification muted",
    { subject, reason, detail },
  ],
  notified: ({ channel, outcome, count, durationMs, detail, repeated }) => {
    const fields = { channel, outcome, count, duration_ms: Math.round(durationMs), detail };
    const level = outcome === "delivered" ? "info" : "warn";
    return [repeated ? "debug" : level, "notification", fields];
  },
  storm: ({ change, rule, aggregator, detail }) => [
    "warn",
    "storm",
    { alertname: rule, aggregator, change, detail },
  ],
  policy: ({ added, removed, changed }) => ["info", "rules replaced", { added, removed, changed }],
  watch: ({ aggregator, source, name, entries, ended }) => [
    "info",
    "watch list",
    { aggregator, source, name, entries, entities_ended: ended },
  ],
  kill: ({ source, on, by, stillOn, detail }) => [
    "warn",
    "kill switch",
    { source, on, by, still_on: stillOn, detail },
  ],
};

function lineOfProposal(finding: Extract<Finding, { type: "proposed" | "withdrawn" }>): Line {
  const { type, action, entity, proposal, digest, detail } = finding;
  return ["warn", type, { action, entity: entityKey(entity), proposal, digest, detail }];
}

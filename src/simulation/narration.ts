import { formatScope } from "../domain/hold.ts";
import type { Finding } from "../domain/finding.ts";
import { formatDuration } from "../domain/time.ts";
import type { EventKind, Loss, Plan, Stall } from "./plan.ts";
import type { RunEvent } from "./run-event.ts";

/** Narrates a run: each event as a sentence for people. */

export function describeEvent(what: EventKind, plan: Pick<Plan, "variants">): string {
  switch (what.do) {
    case "control": {
      const { do: name, ...fields } = what.command;
      return `${what.aggregator}: ${name} ${fieldsOf(fields)}`.trimEnd();
    }
    case "adversary":
      return `${what.aggregator}: the adversary undoes the next ${what.times} repairs, ${formatDuration(what.after)} after each`;
    case "network":
      return `${what.aggregator}: network faults: ${fieldsOf(what.faults) || "none"}`;
    case "disk":
      return what.fault === "none" ? "the disk works" : `the disk fails at ${what.fault}`;
    case "disk_at_action":
      return `the disk fails at ${what.fault}, when an action is next committed`;
    case "slow_disk":
      return `each commit takes ${formatDuration(what.length)}`;
    case "journal":
      return `${what.isDamaged ? "a page of the journal is damaged; " : ""}a check of it takes ${formatDuration(what.checkTakes)} from the next start on`;
    case "repair_journal":
      return "an operator repairs the journal, if it is damaged";
    case "stall":
      return describeStall(what);
    case "stall_at_confirmation":
      return `${describeStall(what)}, when an action next waits for its confirmation`;
    case "stall_at_action":
      return `${describeStall(what)}, when an action is next about to be sent`;
    case "control_at_confirmation":
      return `${what.aggregator}: ${what.command.do} ${fieldsOf(what.command)}, as the reading before the next action is asked for`;
    case "clock":
      return `the wall clock is set ${what.error < 0 ? "behind" : "ahead"} by ${formatDuration(Math.abs(what.error))}`;
    case "crash":
      return `${what.losesPower === true ? "the power is to fail" : "the process is to crash"}: ${what.boundary.replaceAll("_", " ")}, and is down for ${formatDuration(what.downFor)}${rulesOf(what.variant, plan)}`;
    case "restart":
      return `the process is stopped, and is down for ${formatDuration(what.downFor)}${rulesOf(what.variant, plan)}`;
    case "reload":
      return `reload${rulesOf(what.variant, plan)}`;
    case "kill_file":
      return what.exists ? "the kill file appears" : "the kill file is removed";
    case "command":
      return `${what.by}: ${what.command.name}${"entry" in what.command ? ` ${what.command.entry.kind} ${what.command.entry.target} on ${what.command.aggregator}` : ""}`;
    case "hold":
    case "silence":
      return `${what.by}: ${what.do} ${formatScope(what.scope)} for ${formatDuration(what.length)}`;
    case "decide":
      return `${what.by} ${what.approves ? "approves" : "denies"} the oldest proposal`;
    case "read_proposal":
      return `${what.by} reads the oldest proposal`;
    case "approve_read":
      return `${what.by} approves what was read${what.byNow ? ", by the id of the proposal that waits now" : ""}`;
    case "database":
      return `the database: ${fieldsOf(what.faults) || "works"}`;
    case "partition":
      return `the ${what.whom} is cut off from the database for ${formatDuration(what.length)}`;
    case "lose_commits":
      return describeLoss(what);
    case "end_longest":
      return `an operator ends the oldest ${what.what}`;
  }
}

function describeLoss({ from, after, stall }: Loss): string {
  const what = from === "now" ? "what is committed from now on" : `the ${LOST_FROM[from]}`;
  const stands = stall && `; of the replica that has taken over, ${describeStall(stall)}`;
  return `${what} is lost ${formatDuration(after)} later${stands ?? ""}`;
}

const LOST_FROM = { next_take_over: "next take-over", next_action: "commit of the next action" };

function rulesOf(variant: number, { variants }: Pick<Plan, "variants">): string {
  const rules = variants[variant]?.rules ?? {};
  return `, with settings ${variant}${Object.keys(rules).length === 0 ? "" : ` (${fieldsOf(rules)})`}`;
}

function fieldsOf(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

/** The lines for an event of the run; a complete poll has none. */
export function narrate(seen: RunEvent): string[] {
  if (seen.type === "step")
    return seen.result.findings.map(findingText).filter((text) => text !== undefined);
  if (seen.type === "delivered")
    return seen.alerts.map(({ key, state }) => `the receiver gets: ${key} is ${state}`);
  const text = eventText(seen);
  return text === undefined ? [] : [text];
}

function eventText(seen: Exclude<RunEvent, { type: "step" | "delivered" }>): string | undefined {
  switch (seen.type) {
    case "threw":
      return `a bug in the core at the event ${seen.event}: ${seen.error}`;
    case "sent":
      if (seen.purpose !== "act") return undefined;
      return `sent to ${seen.aggregator}: ${seen.method} ${seen.path} (${seen.remediation ?? "no remediation"})`;
    case "applied":
      return `${seen.aggregator} applies ${seen.what} ${seen.target}${seen.changed ? "" : ", which changes nothing"}`;
    case "crashed":
      return `the process crashes: ${seen.boundary}`;
    case "restarted":
      return "the process starts";
    case "checked":
      return `the journal is found to be ${seen.isDamaged ? "damaged" : "sound"}`;
    case "served":
      if (seen.mark === undefined) return undefined;
      return `${seen.aggregator} answers ${seen.endpoint} with ${seen.mark}`;
    case "unowned":
    case "beyond_rate":
      return seen.what;
    case "lost":
      return "what was committed last is lost";
    case "stood_still":
    case "faults_ended":
    case "ended":
      return undefined;
  }
}

function findingText(finding: Finding): string | undefined {
  switch (finding.type) {
    case "polled": {
      const { aggregator, origin, poller, outcome, detail } = finding;
      if (outcome === "complete") return undefined;
      return `${aggregator}: the ${origin} of ${poller} is ${outcome}: ${detail}`;
    }
    case "alert": {
      const { rule, entity } = finding.alert;
      return `${rule} on ${entity.aggregator} ${entity.kind} ${entity.id}: ${finding.change}`;
    }
    case "suppressed":
      return `${finding.action} of ${finding.entity.id} is suppressed: ${finding.reason}: ${finding.detail}`;
    case "unconfirmed":
      return `${finding.action} of ${finding.entity.id} is not confirmed: ${finding.detail}`;
    case "proposed":
      return `${finding.action} of ${finding.entity.id} is proposed as ${finding.proposal}`;
    case "withdrawn":
      return `${finding.proposal} is withdrawn: ${finding.detail}`;
    case "remediation": {
      const { id, action, entity, state } = finding.remediation;
      return `${id} ${action} ${entity.id}: ${state}: ${finding.detail}`;
    }
    case "command":
      return `${finding.name} ${finding.subject} ${finding.accepted ? "accepted" : "refused"}: ${finding.detail}`;
    case "kill":
      return `kill switch ${finding.source} ${finding.on ? "on" : "off"}: ${finding.detail}`;
    case "hold":
      return `hold ${finding.hold.id} ${finding.change}`;
    case "quarantine":
      return `quarantine of ${finding.entity} ${finding.change}: ${finding.detail}`;
    case "storm":
      return `storm of ${finding.rule} on ${finding.aggregator} ${finding.change}: ${finding.detail}`;
    case "watch":
      return `${finding.aggregator}: ${finding.source} ${finding.name} lists ${finding.entries}; ${finding.ended} have ended`;
    case "left_out":
      return `${finding.aggregator}: ${finding.count} of kind ${finding.kind} left out (${finding.why})`;
    case "entity":
    case "took":
    case "muted":
    case "notified":
    case "policy":
      return undefined;
  }
}

export function describeStall({ length, asleep }: Stall): string {
  return `the ${asleep ? "machine sleeps" : "process pauses"} for ${formatDuration(length)}`;
}

import { counted } from "../../domain/wording.ts";
import { entityKey } from "../../domain/entity.ts";
import { originText } from "../../domain/watch.ts";
import type { Finding } from "../../domain/finding.ts";
import { formatScope } from "../../domain/hold.ts";
import { formatDuration } from "../../domain/time.ts";
import type { StoredFinding } from "../journal/rows.ts";
import { documented, instant, object, orNull, text, type ValueOf } from "./codec.ts";

/** A finding, as a row of a list. */

export const findingFields = {
  at: instant,
  type: text,
  /** The subject's key, id or name: of an entity, a hold, a rule … */
  subject: text,
  what: text,
  detail: text,
  by: orNull(text),
  reason: orNull(text),
};

export const findingRow = documented(object(findingFields), "Finding");

export function findingRowOf({ at, finding }: StoredFinding): ValueOf<typeof findingRow> {
  return { at, type: finding.type, ...rowOf(finding) };
}

/** Each unit of senders has a poller of the same name, with its own id. */
function idOf({ poller, id = poller }: Extract<Finding, { type: "polled" }>): string {
  return id;
}

type Row = Omit<ValueOf<typeof findingRow>, "at" | "type">;

function rowOf(finding: Finding): Row {
  const { detail } = { detail: "", ...finding };
  switch (finding.type) {
    case "polled":
      return { subject: `${finding.aggregator}/${idOf(finding)}`, what: finding.outcome, detail };
    case "entity":
      return { subject: entityKey(finding.entity), what: finding.change, detail };
    case "left_out": {
      const { aggregator, kind, why, count } = finding;
      return { subject: `${aggregator}/${kind}`, what: `${count} left out (${why})`, detail };
    }
    case "took": {
      const what = `took ${formatDuration(finding.tookMs)}`;
      return { subject: entityKey(finding.entity), what, detail };
    }
    case "alert":
      return { subject: finding.alert.key, what: finding.change, detail };
    case "suppressed":
      return { subject: finding.alert, what: finding.action, detail, reason: finding.reason };
    case "proposed":
    case "withdrawn":
      return { subject: entityKey(finding.entity), what: finding.action, detail };
    case "unconfirmed":
      return { subject: finding.alert, what: finding.action, detail };
    case "remediation": {
      const { id, action, state } = finding.remediation;
      return { subject: finding.remediation.alert, what: `${id} ${action} ${state}`, detail };
    }
    case "command":
      return rowOfCommand(finding);
    case "policy": {
      const { added, removed, changed } = finding;
      const what = `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
      return { subject: "rules", what, detail };
    }
    case "watch": {
      const { aggregator, source, name, entries, ended } = finding;
      const what = `${counted(entries, "entry", "entries")}, ${counted(ended, "entity", "entities")} ended`;
      return { subject: `${aggregator}: ${originText({ source, name })}`, what, detail };
    }
    case "kill":
      return { subject: finding.source, what: finding.on ? "on" : "off", detail };
    case "hold": {
      const { id, scope, owner, reason } = finding.hold;
      const subject = `${id} (${formatScope(scope)})`;
      return { subject, what: finding.change, detail, by: owner, reason };
    }
    case "quarantine":
      return { subject: finding.entity, what: finding.change, detail };
    case "muted":
      return { subject: finding.subject, what: finding.reason, detail };
    case "notified": {
      const { channel, outcome, count } = finding;
      return { subject: channel, what: `${outcome} (${count})`, detail };
    }
    case "storm":
      return { subject: `${finding.rule} on ${finding.aggregator}`, what: finding.change, detail };
  }
}

function rowOfCommand(finding: Extract<Finding, { type: "command" }>): Row {
  const { by, reason, subject, name, accepted, detail } = finding;
  // Older versions wrote neither subject nor reason.
  const what = `${name} ${accepted ? "accepted" : "refused"}`;
  return { subject: subject ?? "", what, detail, by, reason: reason ?? "" };
}

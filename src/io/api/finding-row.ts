import { counted } from "../../domain/wording.ts";
import { whoseOf } from "../../domain/shown/acting.ts";
import { originText } from "../../domain/watch.ts";
import type { Finding } from "../../domain/finding.ts";
import { formatScope } from "../../domain/hold.ts";
import { formatDuration } from "../../domain/time.ts";
import type { StoredFinding } from "../journal/rows.ts";
import { alias } from "./answer-parts.ts";
import { documented, instant, object, orNull, text, type ValueOf } from "./codec.ts";
import { aboutOf, aliasOf, type Entities } from "./details/about-finding.ts";

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
  const { alert, entity = "" } = aboutOf(finding);
  const { detail } = { detail: "", ...finding };
  return { at, type: finding.type, detail, ...rowOf(finding, alert ?? entity) };
}

/** A finding with what people call its entity. */
export const namedFinding = object({ ...findingFields, alias });

export function namedFindingOf(
  entities: Entities,
  found: StoredFinding,
): ValueOf<typeof namedFinding> {
  return { ...findingRowOf(found), alias: aliasOf(entities, aboutOf(found.finding).entity) };
}

type Row = Pick<ValueOf<typeof findingRow>, "subject" | "what" | "by" | "reason"> & {
  /** Left out: the finding's own. */
  readonly detail?: string;
};

/** `about` is the alert or the entity that the finding is about, if it is about one. */
function rowOf(finding: Finding, about: string): Row {
  switch (finding.type) {
    case "polled": {
      // Each unit of senders has a poller of the same name, with its own id.
      const { aggregator, poller, id = poller, outcome } = finding;
      return { subject: `${aggregator}/${id}`, what: outcome };
    }
    case "entity":
    case "alert":
    case "quarantine":
      return { subject: about, what: finding.change };
    case "left_out": {
      const { aggregator, kind, why, count } = finding;
      return { subject: `${aggregator}/${kind}`, what: `${count} left out (${why})` };
    }
    case "took":
      return { subject: about, what: `took ${formatDuration(finding.tookMs)}` };
    case "suppressed":
      return { subject: about, what: finding.action, reason: finding.reason };
    case "proposed":
    case "withdrawn":
    case "unconfirmed":
      return { subject: about, what: finding.action };
    case "remediation": {
      const { id, action, state } = finding.remediation;
      const correction = finding.corrected === true ? ", but not sent" : "";
      return { subject: about, what: `${id} ${action} ${state}${correction}` };
    }
    case "command": {
      const { by, reason, subject, name, accepted } = finding;
      return { subject, what: `${name} ${accepted ? "accepted" : "refused"}`, by, reason };
    }
    case "policy":
      return ofReload(finding);
    case "watch": {
      const { aggregator, source, name, entries, ended } = finding;
      const what = `${counted(entries, "entry", "entries")}, ${counted(ended, "entity", "entities")} ended`;
      return { subject: `${aggregator}: ${originText({ source, name })}`, what };
    }
    case "kill":
      return ofSwitch(finding);
    case "hold": {
      const { id, scope, owner, reason } = finding.hold;
      return { subject: `${id} (${formatScope(scope)})`, what: finding.change, by: owner, reason };
    }
    case "muted":
      return { subject: finding.subject, what: finding.reason };
    case "notified": {
      const { channel, outcome, count } = finding;
      return { subject: channel, what: `${outcome} (${count})` };
    }
    case "storm":
      return { subject: whoseOf(finding), what: finding.change };
  }
}

/** The sources other than the operator are no persons. */
function ofSwitch({ source, on, by, stillOn = [] }: Extract<Finding, { type: "kill" }>): Row {
  const still = stillOn.length === 0 ? "" : `, still on by ${stillOn.join(", ")}`;
  return {
    subject: source,
    what: on ? "on" : `off${still}`,
    by: source === "operator" ? by : undefined,
  };
}

function ofReload(finding: Extract<Finding, { type: "policy" }>): Row {
  const { added, removed, changed, moved = [], reload } = finding;
  const isOther = added.length + removed.length + changed.length > 0;
  const rules = isOther
    ? `${added.length} added, ${removed.length} removed, ${changed.length} changed`
    : "unchanged";
  const of = moved.length === 0 ? "" : `; base_url changed: ${moved.join(", ")}`;
  const row = { subject: "rules", what: `${rules}${of}` };
  if (reload === undefined) return row;
  const { by, settings } = reload;
  const isSame = settings.length === 0;
  return { ...row, by, ...(isSame ? {} : { detail: `settings: ${settings.join("; ")}` }) };
}

import { parseAlertKey, type Alert } from "../../../domain/alert.ts";
import { entityKey } from "../../../domain/entity.ts";
import { eachInSlices, type Slices } from "../../../domain/slices.ts";
import type { Change, Finding, StateTable } from "../../../domain/step.ts";
import type { Instant } from "../../../domain/time.ts";
import type { StoredFinding } from "../../journal/rows.ts";

/** What a step changed and found; of what another process did, only the changes are known. */
export type Noted = {
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[] | "unknown";
};

export type Gathered = ReturnType<typeof gatherNothing>;

/** The changes since viewers were last sent any: only keys, so that a row that changes often is sent once. */
export function gatherNothing() {
  return {
    entities: new Set<string>(),
    /** Any entity may have changed, with no change of its own row. */
    anyEntity: false,
    alerts: new Set<string>(),
    remediations: new Set<string>(),
    /** The tables of the overview that have a changed row. */
    overview: new Set<StateTable>(),
    /** The newest last, and how many older ones were dropped. */
    findings: new Array<StoredFinding>(),
    findingsLeftOut: 0,
    /** The findings of polls, the newest last. */
    polls: new Array<StoredFinding>(),
    /** There may be findings that are not known here. */
    hasUnknownFindings: false,
  };
}

const OVERVIEW: ReadonlySet<StateTable> = new Set<StateTable>([
  "proposal",
  "kill",
  "hold",
  "silence",
  "quarantine",
  "storm",
  "watch",
]);

/** More than a person can follow in a second; the journal has all. */
const MOST_FINDINGS = 200;
/** So many make a message that is too large, so that viewers read all polls again: none is lost without a word. */
const MOST_POLLS = 2_000;

/** Collects the changes and findings of a step. */
export function* gather(into: Gathered, { changes, findings }: Noted, at: Instant): Slices {
  yield* eachInSlices(changes, ({ table, key, value }) => {
    if (table === "entity") into.entities.add(key);
    else if (table === "unread") into.anyEntity ||= value !== undefined;
    else if (table === "alert") {
      into.alerts.add(key);
      const { entity } = { entity: undefined, ...(value as Partial<Alert> | undefined) };
      into.entities.add(entity ? entityKey(entity) : parseAlertKey(key).entity);
    } else if (table === "remediation") into.remediations.add(key);
    else if (OVERVIEW.has(table)) into.overview.add(table);
  });
  if (findings === "unknown") {
    into.hasUnknownFindings = true;
    return;
  }
  yield* eachInSlices(findings, (finding) => {
    const isPoll = finding.type === "polled";
    const [found, most] = isPoll ? [into.polls, MOST_POLLS] : [into.findings, MOST_FINDINGS];
    found.push({ at, finding });
    if (found.length <= most) return;
    found.shift();
    if (!isPoll) into.findingsLeftOut += 1;
  });
}

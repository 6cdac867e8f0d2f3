import { alertKey } from "../../../domain/alert.ts";
import type { Finding } from "../../../domain/finding.ts";
import type { Instant } from "../../../domain/time.ts";
import type { JournalReading, NumberedFinding } from "../../journal/past.ts";
import { newestFirst } from "./newest-first.ts";

const TYPES = ["kill", "hold", "quarantine", "storm", "command"] as const;

/**
 * What stopped actions at an instant in the past: kill switches, holds, quarantines and storms, if the journal still
 * keeps how they began.
 */
export async function stopsAt(past: Pick<JournalReading, "between" | "restarts">, at: Instant) {
  const restarts = await past.restarts(0, at);
  const newest = new Map<string, NumberedFinding>();
  // Findings of earlier versions do not say who.
  const killedBy = new Map<Instant, string>();
  const span = { from: 0, until: at, types: TYPES };
  for await (const found of newestFirst(past, span)) {
    const { finding } = found;
    if (finding.type === "command" && finding.name === "kill") killedBy.set(found.at, finding.by);
    const subject = subjectOf(finding);
    if (subject !== undefined && !newest.has(subject)) newest.set(subject, found);
  }
  const inOrder = [...newest.values()].toReversed();
  return {
    startedAt: restarts.find(({ why }) => why === "start")?.at,
    killed: inOrder.flatMap(({ at: since, finding }) => {
      if (finding.type !== "kill" || !finding.on) return [];
      const { source, by = killedBy.get(since) ?? source, detail: reason } = finding;
      return [{ source, since, by, reason }];
    }),
    holds: inOrder.flatMap(({ finding }) =>
      finding.type === "hold" && finding.change !== "ended" && finding.hold.until > at
        ? [finding.hold]
        : [],
    ),
    quarantines: inOrder.flatMap(({ at: since, finding }) =>
      finding.type === "quarantine" && finding.change !== "ended"
        ? [{ entity: finding.entity, since, reason: finding.detail }]
        : [],
    ),
    storms: inOrder.flatMap(({ at: since, finding }) => {
      if (finding.type !== "storm" || finding.change !== "began") return [];
      const { rule, aggregator, detail } = finding;
      return [{ rule, aggregator, since, detail, ramp: undefined }];
    }),
  };
}

/** The newest finding about each of these says whether it was in force. */
function subjectOf(finding: Finding): string | undefined {
  if (finding.type === "kill") return `kill ${finding.source}`;
  if (finding.type === "hold") return `hold ${finding.hold.id}`;
  if (finding.type === "quarantine") return `quarantine ${finding.entity}`;
  if (finding.type === "storm") return `storm ${alertKey(finding.rule, finding.aggregator)}`;
  return undefined;
}

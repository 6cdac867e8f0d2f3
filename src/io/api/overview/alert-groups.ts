import { mutedBy, type MutedBy } from "../../../core/tell/muted-by.ts";
import type { Alert } from "../../../domain/alert.ts";
import { runbookOf } from "../../../domain/runbook.ts";
import { severityRank } from "../../../domain/shown/severity.ts";
import type { Instant } from "../../../domain/time.ts";
import { documented, instant, list, named, number, object, orNull, text } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { countsByState, type View } from "../lists/view.ts";

/** The alerts of a rule, as counts, so that all rules fit on one screen. */
export const alertGroup = object({
  rule: named("alertname", text),
  severity: text,
  summary: text,
  runbook: documented(orNull(text), { description: "A shipped one by its name, or an address." }),
  firing: number,
  pending: number,
  resolved: number,
  unknown: documented(number, {
    description: "Of the pending and firing ones: those whose condition is unknown now.",
  }),
  muted: documented(number, { description: "Of those: muted by another rule that fires." }),
  silenced: documented(number, { description: "Of those: muted by a silence." }),
  since: documented(instant, {
    description:
      "Since when the oldest of those that fire does; if none fires, of the pending, or else of the resolved ones.",
  }),
  suppressed: documented(list(object({ reason: text, alerts: number })), {
    description: "Why no action is sent, with the number of alerts.",
  }),
});

type AlertGroup = ValueOf<typeof alertGroup>;

/** By rule and severity: groups that fire first, then pending ones; then by severity, and by size. */
export function alertGroupsOf(view: View): AlertGroup[] {
  const muted = mutedBy(view);
  const groups = Map.groupBy(view.alerts.values(), ({ rule, severity }) => `${rule}\n${severity}`);
  return [...groups.values()]
    .flatMap((own) => groupOf(own, muted, view.alertsNow))
    .toSorted(
      (one, other) =>
        stageOf(other) - stageOf(one) ||
        severityRank(other.severity) - severityRank(one.severity) ||
        other.firing + other.pending - one.firing - one.pending ||
        (one.rule < other.rule ? -1 : 1),
    );
}

type AlertRow = Readonly<Alert>;

function groupOf(
  alerts: readonly AlertRow[],
  mutedOf: (alert: AlertRow) => MutedBy,
  alertsNow: View["alertsNow"],
): AlertGroup[] {
  const open = alerts.filter(({ state }) => state !== "resolved");
  // The oldest alert in the worst state represents the group, which may have hundreds.
  const [first] = alerts.toSorted(
    (one, other) =>
      WORST_FIRST.indexOf(one.state) - WORST_FIRST.indexOf(other.state) ||
      isSoSince(one) - isSoSince(other) ||
      (one.key < other.key ? -1 : 1),
  );
  if (first === undefined) return [];
  const mutes = open.map(mutedOf);
  const { annotations } = alertsNow?.(first) ?? first;
  const runbook = runbookOf(annotations);
  const reasons = Map.groupBy(
    open.flatMap(({ suppressed }) => (suppressed === undefined ? [] : [suppressed.reason])),
    (reason) => reason,
  );
  return [
    {
      rule: first.rule,
      severity: first.severity,
      summary: annotations["summary"] ?? "",
      runbook: runbook && ("url" in runbook ? runbook.url : runbook.name),
      ...countsByState(alerts),
      unknown: open.filter(({ unknownSince }) => unknownSince !== undefined).length,
      muted: mutes.filter(({ inhibitedBy }) => inhibitedBy.length > 0).length,
      silenced: mutes.filter(({ silencedBy }) => silencedBy.length > 0).length,
      since: isSoSince(first),
      suppressed: [...reasons].map(([reason, own]) => ({ reason, alerts: own.length })),
    },
  ];
}

/** A group that fires is no worse because more of it is pending. */
function stageOf({ firing, pending }: AlertGroup): number {
  return firing > 0 ? 2 : Number(pending > 0);
}

const WORST_FIRST: ReadonlyArray<Alert["state"]> = ["firing", "pending", "resolved"];

/** Since when an alert is in its state. */
function isSoSince({ resolvedAt, firedAt, activeAt }: AlertRow): Instant {
  return resolvedAt ?? firedAt ?? activeAt;
}

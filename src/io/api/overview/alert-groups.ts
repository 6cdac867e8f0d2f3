import type { Alert } from "../../../domain/alert.ts";
import { runbookOf } from "../../../domain/runbook.ts";
import type { Instant } from "../../../domain/time.ts";
import { severityRank } from "../../page/verdict.ts";
import { inhibitorsOf, type View } from "../lists/view.ts";

/** Alerts by rule, as counts, so that they fit on one screen. */

export type AlertGroup = {
  readonly rule: string;
  readonly severity: string;
  readonly summary: string;
  readonly runbook: string | undefined;
  readonly firing: number;
  readonly pending: number;
  readonly resolved: number;
  readonly unknown: number;
  readonly muted: number;
  readonly since: Instant;
  readonly suppressed: ReadonlyArray<{ readonly reason: string; readonly alerts: number }>;
};

/** By rule and severity: what fires before what does not, the most severe first, then the largest. */
export function alertGroupsOf(view: View): AlertGroup[] {
  const inhibitors = inhibitorsOf(view);
  const groups = Map.groupBy(view.alerts.values(), ({ rule, severity }) => `${rule}\n${severity}`);
  return [...groups.values()]
    .flatMap((own) => groupOf(own, (alert) => inhibitors(alert).length > 0))
    .toSorted(
      (one, other) =>
        Number(other.firing > 0) - Number(one.firing > 0) ||
        Number(other.pending > 0) - Number(one.pending > 0) ||
        severityRank(one.severity) - severityRank(other.severity) ||
        other.firing + other.pending - one.firing - one.pending ||
        (one.rule < other.rule ? -1 : 1),
    );
}

type AlertRow = Readonly<Alert>;

function groupOf(alerts: readonly AlertRow[], isMuted: (alert: AlertRow) => boolean): AlertGroup[] {
  const open = alerts.filter(({ state }) => state !== "resolved");
  const shown = open.length > 0 ? open : alerts;
  // The oldest speaks for all, as of the others there may be hundreds.
  const [first] = shown.toSorted(
    (one, other) => beganAt(one) - beganAt(other) || (one.key < other.key ? -1 : 1),
  );
  if (first === undefined) return [];
  const runbook = runbookOf(first.annotations);
  const reasons = Map.groupBy(
    open.flatMap(({ suppressed }) => (suppressed === undefined ? [] : [suppressed.reason])),
    (reason) => reason,
  );
  return [
    {
      rule: first.rule,
      severity: first.severity,
      summary: first.annotations["summary"] ?? "",
      runbook: runbook && ("url" in runbook ? runbook.url : runbook.name),
      firing: count(alerts, ({ state }) => state === "firing"),
      pending: count(alerts, ({ state }) => state === "pending"),
      resolved: alerts.length - open.length,
      unknown: count(open, ({ unknownSince }) => unknownSince !== undefined),
      muted: count(open, isMuted),
      since: beganAt(first),
      suppressed: [...reasons].map(([reason, own]) => ({ reason, alerts: own.length })),
    },
  ];
}

function beganAt({ firedAt, activeAt }: AlertRow): Instant {
  return firedAt ?? activeAt;
}

function count<Item>(items: readonly Item[], fits: (item: Item) => boolean): number {
  return items.reduce((sum, item) => sum + Number(fits(item)), 0);
}

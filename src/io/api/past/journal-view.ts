import { setImmediate } from "node:timers/promises";
import { attemptsThen } from "../../../core/explain/attempts-then.ts";
import { lastingThen } from "../../../core/explain/lasting-alert.ts";
import type { Alert } from "../../../domain/alert.ts";
import type { Remediation } from "../../../domain/remediation.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import { DAY, formatInstant, MINUTE, type Instant } from "../../../domain/time.ts";
import type { AlertFound, JournalReading } from "../../journal/past.ts";
import type { View } from "../lists/view.ts";
import { newestFirst } from "./newest-first.ts";

/** Reads alerts and remediations as of an instant from the journal's findings. Entities are in the record, not here. */
export type PastSource = {
  readonly view: () => View;
  readonly now: () => Instant;
  readonly past: Pick<JournalReading, "alertsAfter" | "between" | "reachesBackTo">;
};

/** Alerts that are read at once: a few milliseconds' worth. */
const ALERTS_AT_ONCE = 40;
/** How long a resolved alert stays in sight, as in the present. */
const RESOLVED_IN_SIGHT = 15 * MINUTE;
const REMEDIATIONS_IN_SIGHT = 7 * DAY;

/** Alerts and remediations as of an instant. The problem says why they are not kept. */
export async function journalView(source: PastSource, at: Instant): Promise<Result<View, string>> {
  const oldest = await source.past.reachesBackTo();
  if (oldest === undefined || at < oldest) {
    const reach = oldest === undefined ? "is empty" : `looks back to ${formatInstant(oldest)} only`;
    return fail(`not kept: the journal ${reach}`);
  }
  const remediations = await remediationsAt(source, at);
  const byAlert = Map.groupBy(remediations.values(), ({ alert }) => alert);
  const alerts = await alertsAt(source, at, byAlert);
  const { kinds, rules, alerts: ofNow, silences } = source.view();
  for (const [key, alert] of ofNow) {
    // Of a run whose beginning is not in the journal, the present knows.
    const then = lastingThen(alert, at);
    if (then !== undefined && alerts.get(key)?.startedAt !== then.startedAt) alerts.set(key, then);
  }
  return succeed({ at, kinds, rules, entities: new Map(), alerts, remediations, silences });
}

async function alertsAt(
  { past }: PastSource,
  at: Instant,
  remediationsOf: ReadonlyMap<string, readonly Remediation[]>,
): Promise<Map<string, Alert>> {
  const alerts = new Map<string, Alert>();
  let key: string | undefined = "";
  while (key !== undefined) {
    const { found, next } = await past.alertsAfter(key, at, ALERTS_AT_ONCE);
    for (const one of found) {
      const alert = alertThen(one, remediationsOf);
      if (alert === undefined) continue;
      const isOver = alert.resolvedAt !== undefined && at - alert.resolvedAt > RESOLVED_IN_SIGHT;
      if (!isOver) alerts.set(alert.key, alert);
    }
    key = next;
    await setImmediate();
  }
  return alerts;
}

/** An alert at its last move, with the attempts and the suppression since then. */
function alertThen(
  { moved, last, unconfirmedSince }: AlertFound,
  remediationsOf: ReadonlyMap<string, readonly Remediation[]>,
): Alert | undefined {
  const { finding } = moved;
  if (finding.type !== "alert" || finding.change === "dropped") return undefined;
  const { alert } = finding;
  if (last.finding.type === "alert") return alert;
  const { suppressed: _before, ...rest } = alert;
  const own = remediationsOf.get(alert.key) ?? [];
  const known = { ...rest, attempts: attemptsThen(alert, moved.at, own) };
  // The reading right before the action did not come, which no guard knows of.
  if (last.finding.type === "unconfirmed" && last.finding.why === "late") {
    const { detail } = last.finding;
    return {
      ...known,
      suppressed: { reason: "stale", detail, since: unconfirmedSince ?? last.at },
    };
  }
  if (last.finding.type !== "suppressed") return known;
  const { reason, detail, since = last.at } = last.finding;
  return { ...known, suppressed: { reason, detail, since } };
}

/** Each in its last recorded state, the oldest first. */
async function remediationsAt(
  { past }: PastSource,
  at: Instant,
): Promise<Map<string, Remediation>> {
  const newest = new Map<string, Remediation>();
  const span = { from: at - REMEDIATIONS_IN_SIGHT, until: at, types: ["remediation"] } as const;
  for await (const { finding } of newestFirst(past, span))
    if (finding.type === "remediation" && !newest.has(finding.remediation.id))
      newest.set(finding.remediation.id, finding.remediation);
  return new Map([...newest].toSorted(([, one], [, other]) => inOrder(one, other)));
}

/** Those of one instant have numbers that grow, as in `r9` and `r10`. */
function inOrder(one: Remediation, other: Remediation): number {
  return (
    one.requestedAt - other.requestedAt ||
    one.id.length - other.id.length ||
    (one.id < other.id ? -1 : 1)
  );
}

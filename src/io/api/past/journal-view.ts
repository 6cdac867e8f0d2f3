import { setImmediate } from "node:timers/promises";
import type { Alert } from "../../../domain/alert.ts";
import type { Remediation } from "../../../domain/remediation.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import { DAY, formatInstant, MINUTE, type Instant } from "../../../domain/time.ts";
import type { JournalReading } from "../../journal/past.ts";
import type { View } from "../lists/view.ts";
import { newestFirst } from "./newest-first.ts";

/** What the journal found is read back as of an instant. What entities were then is in the record, and not here. */
export type PastSource = {
  readonly view: () => View;
  readonly now: () => Instant;
  readonly past: Pick<JournalReading, "alertsAfter" | "between" | "reachesBackTo">;
};

/** So many alerts are read at once: a few milliseconds' worth. */
const ALERTS_AT_ONCE = 40;
/** A resolved alert is in sight for so long, as in the present. */
const RESOLVED_IN_SIGHT = 15 * MINUTE;
const REMEDIATIONS_IN_SIGHT = 7 * DAY;

/** Alerts and remediations as of an instant; the problem is why they are not kept. */
export async function journalView(source: PastSource, at: Instant): Promise<Result<View, string>> {
  const oldest = await source.past.reachesBackTo();
  if (oldest === undefined || at < oldest) {
    const reach = oldest === undefined ? "is empty" : `looks back to ${formatInstant(oldest)} only`;
    return fail(`not kept: the journal ${reach}`);
  }
  const alerts = await alertsAt(source, at);
  const remediations = await remediationsAt(source, at);
  const { kinds, rules } = source.view();
  return succeed({ at, kinds, rules, entities: new Map(), alerts, remediations });
}

async function alertsAt({ past }: PastSource, at: Instant): Promise<Map<string, Alert>> {
  const alerts = new Map<string, Alert>();
  let key: string | undefined = "";
  while (key !== undefined) {
    const { found, next } = await past.alertsAfter(key, at, ALERTS_AT_ONCE);
    for (const { finding } of found) {
      if (finding.type !== "alert" || finding.change === "dropped") continue;
      const { alert } = finding;
      const isOver = alert.resolvedAt !== undefined && at - alert.resolvedAt > RESOLVED_IN_SIGHT;
      if (!isOver) alerts.set(alert.key, alert);
    }
    key = next;
    await setImmediate();
  }
  return alerts;
}

/** Each as it was last found, the oldest first. */
async function remediationsAt(
  { past }: PastSource,
  at: Instant,
): Promise<Map<string, Remediation>> {
  const newest = new Map<string, Remediation>();
  const span = { from: at - REMEDIATIONS_IN_SIGHT, until: at, types: ["remediation"] } as const;
  for await (const { finding } of newestFirst(past, span))
    if (finding.type === "remediation" && !newest.has(finding.remediation.id))
      newest.set(finding.remediation.id, finding.remediation);
  const all = [...newest].toSorted(([, one], [, other]) => one.requestedAt - other.requestedAt);
  return new Map(all);
}

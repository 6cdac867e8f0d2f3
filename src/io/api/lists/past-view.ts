import { setImmediate } from "node:timers/promises";
import type { Alert } from "../../../domain/alert.ts";
import type { Remediation } from "../../../domain/remediation.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import { DAY, formatInstant, MINUTE, type Instant } from "../../../domain/time.ts";
import type { JournalReading, PastPart } from "../../journal/past.ts";
import type { View } from "./view.ts";

/** What the journal found is read back as of an instant. What entities were then is in the record, and not here. */
export type PastSource = {
  readonly view: () => View;
  readonly now: () => Instant;
  readonly past: Pick<JournalReading, "alertsAfter" | "between" | "reachesBackTo">;
};

/** So many alerts are read at once: a few milliseconds' worth. */
const ALERTS_AT_ONCE = 100;
/** A resolved alert is in sight for so long, as in the present. */
const RESOLVED_IN_SIGHT = 15 * MINUTE;
const REMEDIATIONS_IN_SIGHT = 7 * DAY;
/** Findings are searched so many at once, and so many times. */
const SEARCHED_AT_ONCE = 1_000;
const MOST_SEARCHES = 100;

/** The view of the present, or of an instant; the problem is why there is none. */
export async function viewAt(
  source: PastSource,
  at: string | undefined,
): Promise<Result<View, string>> {
  if (at === undefined) return succeed(source.view());
  const then = Date.parse(at);
  if (then > source.now()) return fail(`${at} is yet to come`);
  const oldest = await source.past.reachesBackTo();
  if (oldest === undefined || then < oldest) {
    const reach = oldest === undefined ? "is empty" : `looks back to ${formatInstant(oldest)} only`;
    return fail(`not kept: the journal ${reach}`);
  }
  const alerts = await alertsAt(source, then);
  const remediations = await remediationsAt(source, then);
  const { kinds, rules } = source.view();
  return succeed({ at: then, kinds, rules, entities: new Map(), alerts, remediations });
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

/** Each as it was last found. */
async function remediationsAt(
  { past }: PastSource,
  at: Instant,
): Promise<Map<string, Remediation>> {
  const newest = new Map<string, Remediation>();
  let before: PastPart["next"];
  for (let search = 0; search < MOST_SEARCHES; search += 1) {
    const span = {
      from: at - REMEDIATIONS_IN_SIGHT,
      until: at,
      before,
      types: ["remediation"],
    } as const;
    const { found, next } = await past.between(span, SEARCHED_AT_ONCE);
    for (const { finding } of found)
      if (finding.type === "remediation" && !newest.has(finding.remediation.id))
        newest.set(finding.remediation.id, finding.remediation);
    if (next === undefined) break;
    before = next;
    await setImmediate();
  }
  return newest;
}

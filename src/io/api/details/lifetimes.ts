import { RESOLVED_BECAUSE, type Alert } from "../../../domain/alert.ts";
import type { Instant } from "../../../domain/time.ts";
import type { StoredFinding } from "../../journal/rows.ts";
import { instant, object, orNull, word, type ValueOf } from "../codec.ts";

/** One run of an alert, from the instant at which its condition became bad to its end. */
export const lifetimeRow = object({
  startedAt: instant,
  firedAt: orNull(instant),
  endedAt: orNull(instant),
  /** `dropped`: it never fired. */
  end: orNull(word([...RESOLVED_BECAUSE, "dropped"])),
});

type Lifetime = ValueOf<typeof lifetimeRow>;

/** The runs of an alert, the newest first; `found` has its findings, in any order. */
export function lifetimesOf(
  found: readonly StoredFinding[],
  now: Readonly<Alert> | undefined,
): readonly Lifetime[] {
  const runs = new Map<Instant, Lifetime>();
  const ordered = found.toSorted((one, other) => one.at - other.at);
  for (const { at, finding } of ordered) {
    if (finding.type === "alert") runs.set(finding.alert.startedAt, lifetimeOf(finding, at));
  }
  if (now !== undefined) runs.set(now.startedAt, lifetimeOf({ change: now.state, alert: now }, 0));
  return [...runs.values()].toSorted((one, other) => other.startedAt - one.startedAt);
}

function lifetimeOf(
  { change, alert }: { readonly change: string; readonly alert: Readonly<Alert> },
  at: Instant,
): Lifetime {
  const { startedAt, firedAt, resolvedAt, resolvedBecause } = alert;
  if (change === "dropped") return { startedAt, endedAt: at, end: "dropped" };
  if (alert.state !== "resolved") return { startedAt, firedAt };
  return { startedAt, firedAt, endedAt: resolvedAt ?? at, end: resolvedBecause ?? "ok" };
}

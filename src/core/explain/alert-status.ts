import type { Alert } from "../../domain/alert.ts";
import { openByAlert, type Remediation } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import { annotationsNow } from "../judge/alert-text.ts";
import { isOfRows } from "../observe/unread.ts";
import type { State } from "../state.ts";
import { mutedBy, type MutedBy, type Muting } from "../tell/muted-by.ts";
import { unknownBecause } from "./unknown-because.ts";

/** An alert as it is shown. */
export type AlertStatus = Alert &
  MutedBy & {
    /** Why its condition is unknown, if that is known here. */
    readonly unknownBecause?: string | undefined;
    /** The id of its remediation that is not settled. */
    readonly openRemediation?: string | undefined;
  };

/** Says of an alert what only the present knows. */
export type AlertsNow = (
  alert: Readonly<Alert>,
) => Pick<AlertStatus, "annotations" | "unknownBecause">;

/** Makes the status of an alert by what there is at one instant; in the past, with the texts of its last change. */
export function alertStatusOf(
  shown: Muting & {
    readonly remediations: ReadonlyMap<string, Readonly<Remediation>>;
    readonly alertsNow?: AlertsNow;
  },
): (alert: Readonly<Alert>) => AlertStatus {
  const muted = mutedBy(shown);
  const open = openByAlert(shown.remediations.values());
  return (alert) => ({
    ...alert,
    ...shown.alertsNow?.(alert),
    ...muted(alert),
    openRemediation: open.get(alert.key),
  });
}

/** A process that only shows rows has no windows, which a text may read. */
export function alertsNow(policy: Pick<Policy, "rules">, state: State): AlertsNow {
  const { at, tables } = state;
  return (alert) => {
    const hasNoWindows = isOfRows(state) && policy.rules.get(alert.rule)?.windows.length !== 0;
    return {
      annotations: hasNoWindows
        ? alert.annotations
        : annotationsNow(policy.rules, tables.entity, alert, at),
      unknownBecause: unknownBecause(policy, state, alert),
    };
  };
}

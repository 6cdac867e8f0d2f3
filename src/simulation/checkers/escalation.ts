import { entityKey } from "../../domain/entity.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Ended } from "../run-event.ts";
import { on } from "./checker.ts";

/** At the end, each entity that aggwatch has stopped repairing is reported: attempts used up, or a tug of war. */
export const escalation = on("ended", "9 nothing hangs: escalation", (end) => [
  ...usedUp(end),
  ...quarantined(end),
]);

function usedUp({ policy, state, at }: Ended): string[] {
  return [...state.tables.alert.values()].flatMap((alert) => {
    const most = policy.rules.get(alert.rule)?.act?.attempts;
    if (alert.state !== "firing" || most === undefined || alert.attempts < most) return [];
    const own = [...state.tables.remediation.values()].filter(
      (one) => one.alert === alert.key && one.alertStartedAt === alert.startedAt,
    );
    const last = own.at(-1);
    if (last === undefined || (last.state !== "unverified" && last.state !== "rejected")) return [];
    const row = state.tables.entity.get(repairKey(entityKey(alert.entity)));
    if (row?.facts["exhausted"] === true) return [];
    return [
      `${alert.key} fires at ${formatInstant(at)}, its ${most} attempts are used up, the last (${last.id}) is ${last.state}, and its repair is not said to be exhausted`,
    ];
  });
}

function quarantined({ state, at }: Ended): string[] {
  return [...state.tables.quarantine.keys()].flatMap((key) => {
    if (state.tables.entity.get(repairKey(key))?.facts["quarantined"] === true) return [];
    return [`${key} is quarantined at ${formatInstant(at)}, and its repair does not say so`];
  });
}

/** The key of the entity of kind `repair` that stands for the repair of another. */
function repairKey(key: string): string {
  const [aggregator = "", ...rest] = key.split("/");
  return entityKey({ aggregator, kind: "repair", id: rest.join("/") });
}

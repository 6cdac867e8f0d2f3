import { alertKey } from "../../domain/alert.ts";
import { entityKey, type EntityId } from "../../domain/entity.ts";
import type { Draft } from "../draft.ts";
import { noteRepair, noteRepairIfAny } from "./repairs.ts";

type Known = Pick<Draft, "policy" | "state">;

/**
 * Attempts that are used up: an alert on the entity fires, no remediation of it is open, and the
 * alert's rule has no attempt left. It is derived from the rules in force and not remembered from the last
 * attempt, as a reload may change how many attempts a rule has, and an alert may pause meanwhile.
 */
export function isExhausted({ policy, state }: Known, of: EntityId): boolean {
  const key = entityKey(of);
  if (state.unsettled.has(key)) return false;
  return (policy.rulesByKind.get(of.kind) ?? []).some(({ alert: name, act }) => {
    const alert = state.tables.alert.get(alertKey(name, key));
    const isWanted = alert?.state === "firing" && alert.keepFiringSince === undefined;
    return act !== undefined && isWanted && alert.attempts > 0 && alert.attempts >= act.attempts;
  });
}

/**
 * Updates the `repair` of the entity, if a repair was ever tried. One that ended with its aggregator, which is back now,
 * is made again.
 */
export function noteExhaustion(draft: Draft, of: EntityId): void {
  const exhausted = isExhausted(draft, of);
  if (exhausted) noteRepair(draft, of, { exhausted });
  else noteRepairIfAny(draft, of, { exhausted });
}

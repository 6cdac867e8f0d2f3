import { entityKey } from "../../domain/entity.ts";
import type { Alert } from "../../domain/alert.ts";
import type { Policy } from "../../domain/step.ts";
import { verdictOf } from "../judge/verdict.ts";
import { isOfRows } from "../observe/unread.ts";
import type { State } from "../state.ts";

/**
 * Why an alert's condition is unknown: its entity is not read, or it is and a windowed fact is not known. Undefined if
 * it is known, or only to the process that reads the entity.
 */
export function unknownBecause(
  policy: Pick<Policy, "rules">,
  state: State,
  alert: Readonly<Alert>,
): string | undefined {
  if (alert.unknownSince === undefined || alert.state === "resolved") return undefined;
  const rule = policy.rules.get(alert.rule);
  const entity = state.tables.entity.get(entityKey(alert.entity));
  if (rule === undefined || entity?.kind !== rule.kind) return undefined;
  // Windows are not rows.
  if (entity.unknownSince === undefined && isOfRows(state)) return undefined;
  return verdictOf(state, rule, entity, state.at).reason;
}

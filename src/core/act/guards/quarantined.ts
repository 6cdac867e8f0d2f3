import { entityKey } from "../../../domain/entity.ts";
import { formatInstant } from "../../../domain/time.ts";
import { object, pass, type Guard } from "./guard.ts";

export const quarantined: Guard = {
  objectsIf:
    "repairs of the entity were undone `undo_limit` times in a row, each within `undo_window`; an operator must release it",
  ask: ({ state, entity, policy }) => {
    const key = entityKey(entity);
    const quarantine = state.tables.quarantine.get(key);
    if (quarantine !== undefined) {
      return object(
        () => `quarantined since ${formatInstant(quarantine.since)}: ${quarantine.reason}`,
        "event",
      );
    }
    const undone = state.tables.attempt.get(key)?.undone ?? 0;
    const { undoLimit } = policy.acting;
    return pass(() => `repairs of it were undone ${undone} of ${undoLimit} times`, "event");
  },
};

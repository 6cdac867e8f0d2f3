import { entityKey } from "../../../domain/entity.ts";
import { notSettled } from "../../../domain/shown/suppression.ts";
import { object, pass, type Guard } from "./guard.ts";

/** More requests than that would wait for slots for longer than what they were decided by is true. */
export const MOST_UNDER_WAY = 100;

export const inFlight: Guard = {
  objectsIf:
    "another remediation of the entity is not settled, or its request is not answered; or 100 other actions are under way",
  ask: ({ state, entity }) => {
    const key = entityKey(entity);
    const id = state.unsettled.get(key);
    if (id !== undefined) return object(() => notSettled(id), "event");
    // It was settled before its answer came, and two requests at once might act twice.
    const awaited = state.unanswered.get(key);
    if (awaited !== undefined)
      return object(() => `the request of ${awaited} is not answered`, "event");
    if (state.unanswered.size + state.confirming.size >= MOST_UNDER_WAY)
      return object(() => `${MOST_UNDER_WAY} other actions are under way`, "event");
    return pass(() => "no remediation of it is open", "event");
  },
};

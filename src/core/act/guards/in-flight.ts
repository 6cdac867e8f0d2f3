import { entityKey } from "../../../domain/entity.ts";
import { notSettled } from "../../../domain/shown/suppression.ts";
import { object, pass, type Guard } from "./guard.ts";

export const inFlight: Guard = {
  objectsIf: "another remediation of the entity is not settled, or its request is not answered",
  ask: ({ state, entity }) => {
    const key = entityKey(entity);
    const id = state.unsettled.get(key);
    if (id !== undefined) return object(() => notSettled(id), "event");
    // It was settled before its answer came, and two requests at once might act twice.
    const awaited = state.unanswered.get(key);
    if (awaited !== undefined)
      return object(() => `the request of ${awaited} is not answered`, "event");
    return pass(() => "no remediation of it is open", "event");
  },
};

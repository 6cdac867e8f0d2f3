import { entityKey } from "../../../domain/entity.ts";
import { object, pass, type Guard } from "./guard.ts";

export const inFlight: Guard = {
  objectsIf: "another remediation of the entity is not settled",
  ask: ({ state, entity }) => {
    const id = state.unsettled.get(entityKey(entity));
    if (id === undefined) return pass(() => "no remediation of it is open", "event");
    return object(() => `remediation ${id} of it is not settled`, "event");
  },
};

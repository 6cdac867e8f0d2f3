import { object, pass, type Guard } from "./guard.ts";

export const attempts: Guard = {
  objectsIf:
    "the rule's `attempts` are used up: those for this alert, and those for alerts before it since the entity was last seen to be well, which count for at least seven days",
  ask: ({ alert, act }) => {
    const detail = (): string =>
      `${alert.attempts} of ${act.attempts} attempts used for this alert`;
    return alert.attempts < act.attempts ? pass(detail, "event") : object(detail, "event");
  },
};

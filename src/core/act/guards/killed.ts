import { object, pass, type Guard, type GuardContext } from "./guard.ts";

export const killed = {
  objectsIf: "any source of the kill switch is on",
  isKeptCurrent: true,
  ask: ({ state }: Pick<GuardContext, "state">) => {
    const [kill] = state.tables.kill.values();
    if (kill === undefined) return pass(() => "the kill switch is off", "event");
    return object(
      () => `the kill switch is on (${kill.source}, by ${kill.by}): ${kill.reason}`,
      "event",
    );
  },
} satisfies Guard;

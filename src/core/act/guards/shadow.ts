import { modeOf, object, pass, type Guard, type GuardContext } from "./guard.ts";

/** Asked last, so that a shadow run says exactly what a live run would have done. */
export const shadow = {
  objectsIf: "the mode is `shadow`",
  isIntended: true,
  ask: (context: Pick<GuardContext, "policy" | "act">) => {
    const mode = modeOf(context);
    return mode === "shadow"
      ? object(() => "mode is shadow: decided and recorded, not sent", "event")
      : pass(() => `mode is ${mode}`, "event");
  },
} satisfies Guard;

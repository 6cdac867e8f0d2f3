import { flipsAt, scopeOf } from "../../judge/verdict.ts";
import { object, pass, type Guard } from "./guard.ts";

export const condition: Guard = {
  objectsIf: "the rule's `act.if` is false or unknown",
  ask: ({ act, rule, entity, at }) => {
    const { condition: only } = act;
    if (only === undefined) return pass(() => "there is no act.if", "event");
    const verdict = only.judge(scopeOf(rule, entity, at));
    const flip = (): number => flipsAt(rule, only, entity, at);
    // A condition's "bad" is CEL's true, here as in `when`.
    if (verdict.truth === "bad") return pass(() => `act.if is true (${only.source})`, flip);
    const outcome = verdict.truth === "ok" ? "false" : `unknown: ${verdict.reason ?? ""}`;
    return object(() => `act.if is ${outcome} (${only.source})`, flip);
  },
};

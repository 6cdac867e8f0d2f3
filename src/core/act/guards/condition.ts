import { flipsAt, scopeOf } from "../../judge/verdict.ts";
import { formatDuring } from "../../../domain/rule.ts";
import { object, pass, type Guard } from "./guard.ts";

export const condition: Guard = {
  objectsIf: "the rule's `act.if` is false or unknown, or the time is outside its `act.during`",
  isIntended: true,
  ask: ({ act, rule, entity, at }) => {
    const { condition: only, during } = act;
    const edge = during?.nextEdge(at) ?? Infinity;
    if (during?.covers(at) === false)
      return object(
        () => `it is not the time of act.during (${formatDuring(during)})`,
        () => edge,
      );
    if (only === undefined)
      return during === undefined
        ? pass(() => "there is no act.if", "event")
        : pass(
            () => `it is the time of act.during (${formatDuring(during)})`,
            () => edge,
          );
    const verdict = only.judge(scopeOf(rule, entity, at));
    const flip = (): number => Math.min(edge, flipsAt(rule, only, entity, at));
    // As in `when`, a condition that CEL finds true is bad.
    if (verdict.truth === "bad") return pass(() => `act.if is true (${only.source})`, flip);
    const outcome = verdict.truth === "ok" ? "false" : `unknown: ${verdict.reason ?? ""}`;
    return object(() => `act.if is ${outcome} (${only.source})`, flip);
  },
};

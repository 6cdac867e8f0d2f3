import { covers, formatScope, type Hold, type Member } from "../../../domain/hold.ts";
import type { Rule } from "../../../domain/rule.ts";
import { formatInstant } from "../../../domain/time.ts";
import { object, pass, type Guard, type GuardContext } from "./guard.ts";

/** What may be held: it is asked about an action that was decided, too. */
type Holdable = Pick<GuardContext, "state" | "at"> & {
  readonly rule: Pick<Rule, "alert">;
  readonly entity: Member;
};

export const held = {
  objectsIf: "a hold covers the entity, its parent, the rule, or everything",
  isKeptCurrent: true,
  ask: (context: Holdable) => {
    const hold = holdOn(context);
    if (hold === undefined) return pass(() => "no hold covers it", "event");
    const { id, owner, scope, until, reason } = hold;
    return object(
      () => `${owner} holds ${formatScope(scope)} (${id}) until ${formatInstant(until)}: ${reason}`,
      () => until,
    );
  },
} satisfies Guard;

function holdOn({ state, rule, entity, at }: Holdable): Hold | undefined {
  for (const hold of state.tables.hold.values()) {
    if (hold.from <= at && at < hold.until && covers(hold.scope, rule.alert, entity)) return hold;
  }
  return undefined;
}

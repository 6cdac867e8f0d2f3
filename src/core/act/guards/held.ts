import { covers, formatScope, type Hold } from "../../../domain/hold.ts";
import { formatInstant } from "../../../domain/time.ts";
import { object, pass, type Guard, type GuardContext } from "./guard.ts";

export const held: Guard = {
  objectsIf: "a hold covers the entity, its parent, the rule, or everything",
  ask: (context) => {
    const hold = holdOn(context);
    if (hold === undefined) return pass(() => "no hold covers it", "event");
    const { id, owner, scope, until, reason } = hold;
    return object(
      () => `${owner} holds ${formatScope(scope)} (${id}) until ${formatInstant(until)}: ${reason}`,
      () => until,
    );
  },
};

function holdOn({ state, rule, entity, at }: GuardContext): Hold | undefined {
  for (const hold of state.tables.hold.values()) {
    if (hold.from <= at && at < hold.until && covers(hold.scope, rule.alert, entity)) return hold;
  }
  return undefined;
}

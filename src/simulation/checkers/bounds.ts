import { entityKey, type Entity } from "../../domain/entity.ts";
import type { Observation } from "../../domain/observation.ts";
import {
  entityGroups,
  groupOf,
  hasVanished,
  isCounted,
  isNeeded,
  mostEntities,
  toldToFire,
} from "../ledger/entity-bounds.ts";
import { DELETED, type Rows } from "../ledger/rows.ts";
import type { Restarted, Step } from "../run-event.ts";
import { on } from "./checker.ts";

/** Never more entities than the limits allow, whatever an aggregator lists: at run time and after a start. */
export const bounds = on(["restarted", "step"], "11 bounds", (event, { rows }) => {
  if (event.type === "restarted") return restored(event);
  return event.event.type === "observed"
    ? [...added(event, rows), ...vanished(event, event.event.observation)]
    : added(event, rows);
});

function added(step: Step, { texts }: Rows): string[] {
  const { policy, state, result } = step;
  const fresh = result.changes.flatMap(({ table, key, value }) =>
    table === "entity" && value !== undefined && (texts.get(`entity ${key}`) ?? DELETED) === DELETED
      ? [value as Entity]
      : [],
  );
  if (fresh.length === 0) return [];
  const groups = entityGroups(state);
  return [...new Map(fresh.map((one) => [groupOf(one), one]))].flatMap(([group, one]) => {
    const count = groups.get(group)?.length ?? 0;
    const most = mostEntities(policy, one.aggregator);
    if (!isCounted(policy, one) || count <= most) return [];
    return [`${count} entities of ${group} after one more, and no more than ${most} may be`];
  });
}

/** After a reload with lower limits, those of an aggregator apply once it is read. */
function vanished({ policy, state }: Step, { aggregator }: Observation): string[] {
  const { limits } = policy;
  const gone: Entity[] = [];
  for (const one of state.tables.entity.values())
    if (one.aggregator === aggregator && hasVanished(policy, one)) gone.push(one);
  if (gone.length <= limits.vanished) return [];
  return [...Map.groupBy(gone, groupOf)].flatMap(([group, those]) => {
    const count = those.filter((one) => !isNeeded(state, one)).length;
    if (count <= limits.vanished) return [];
    return [
      `${count} entities of ${group} are kept that have vanished, and no more than ${limits.vanished} may be`,
    ];
  });
}

/** The journal may have been written under higher limits. */
function restored({ policy, state }: Restarted): string[] {
  const told = toldToFire(state);
  return [...entityGroups(state)].flatMap(([group, those]) => {
    const [first] = those;
    if (first === undefined || !isCounted(policy, first)) return [];
    const most = mostEntities(policy, first.aggregator);
    const needed = those.filter((one) => told.has(entityKey(one)) || isNeeded(state, one)).length;
    if (those.length <= Math.max(most, needed)) return [];
    return [
      `${those.length} entities of ${group} were read at the start, ${needed} of which are needed, and no more than ${most} may be`,
    ];
  });
}

import { POLLER_KIND } from "../../core/observe/poller-health.ts";
import { entityKey } from "../../domain/entity.ts";
import { pollerId } from "../../domain/lease.ts";
import type { Loop } from "../loop.ts";

/** The pollers whose first poll is not done; one that has read a part of what it watches is at work. */
export function firstPolls(
  loop: Pick<Loop, "state" | "policy">,
): ReadonlyArray<{ readonly poller: string; readonly progress?: string }> {
  const { tables, surfaces, startedAt } = loop.state();
  const all = loop
    .policy()
    .aggregators.flatMap(({ name: aggregator, pollers }) =>
      pollers.map((poller) => ({ aggregator, poller, id: pollerId(poller) })),
    );
  return all.flatMap(({ aggregator, id, poller: { name, surfaces: planned } }) => {
    const entity = tables.entity.get(entityKey({ aggregator, kind: POLLER_KIND, id }));
    if (entity === undefined || entity.facts["up"] !== undefined) return [];
    const read = surfaces
      .values()
      .filter((one) => one.aggregator === aggregator && one.poller === name)
      .filter(({ askedAt = -Infinity }) => askedAt >= startedAt)
      .toArray().length;
    if (read === 0) return [{ poller: name }];
    const of = planned === undefined ? "" : ` of ${planned.size}`;
    const progress = `the first poll of ${name} goes on: ${read}${of} surfaces are read`;
    return [{ poller: name, progress }];
  });
}

import { pollerKey } from "../../domain/lease.ts";
import { surfaceKey } from "../../domain/observation.ts";
import type { Loop } from "../loop.ts";

/**
 * The pollers whose first poll is not done; one that has read a part of what it watches is at work. In the middle of an
 * event, a part may count already: a probe must not end a long event in one piece. Until the start is so far that it
 * expects polls, none is done.
 */
export function firstPolls(
  loop: Pick<Loop, "stateSoFar" | "policy">,
): ReadonlyArray<{ readonly poller: string; readonly progress?: string }> {
  const { tables, surfacesByPoller, startedAt } = loop.stateSoFar();
  const all = loop
    .policy()
    .aggregators.flatMap(({ name: aggregator, pollers }) =>
      pollers.map((poller) => ({ aggregator, poller })),
    );
  return all.flatMap(({ aggregator, poller }) => {
    const { name, surfaces: planned } = poller;
    if (startedAt === -Infinity) return [{ poller: name }];
    if (tables.entity.get(pollerKey(aggregator, poller))?.facts["up"] !== undefined) return [];
    const own = surfacesByPoller
      .get(surfaceKey(aggregator, name, ""))
      ?.read.values()
      .toArray();
    const read = (own ?? []).filter(({ askedAt = -Infinity }) => askedAt >= startedAt).length;
    if (read === 0) return [{ poller: name }];
    const of = planned === undefined ? "" : ` of ${planned.size}`;
    const progress = `the first poll of ${name} goes on: ${read}${of} surfaces are read`;
    return [{ poller: name, progress }];
  });
}

import { runPoll, type PollRequest } from "../../io/aggregator/poll-runner.ts";
import type { Observation } from "../../domain/observation.ts";
import type { PolledAggregator } from "../aggregator-connection.ts";

/** The surfaces that pollers have `after` and not `before`, by poller: they need not wait for a slot. */
export function addedSurfaces(
  before: PolledAggregator | undefined,
  after: PolledAggregator,
): ReadonlyMap<string, ReadonlySet<string>> {
  const added = new Map<string, ReadonlySet<string>>();
  // Pollers that are read again as a whole, or were off before, are left to the scheduler.
  if (before?.polls !== after.polls) return added;
  for (const [name, { surfaces }] of after.pollers) {
    const known = before.pollers.get(name)?.surfaces;
    if (known === undefined) continue;
    const fresh = [...surfaces].filter((surface) => !known.has(surface));
    if (fresh.length > 0) added.set(name, new Set(fresh));
  }
  return added;
}

/** Reads some surfaces of a poller. The observations are marked as pieces, as the others were not read. */
export async function readAdded(
  request: PollRequest,
  only: ReadonlySet<string>,
  push: (observation: Observation) => void | Promise<void>,
): Promise<void> {
  const pushPiece = async (observation: Observation): Promise<void> => {
    if (!request.signal.aborted) await push({ ...observation, ongoing: true });
  };
  await pushPiece(await runPoll({ ...request, only }, pushPiece));
}

import { runPoll, type PollRequest } from "../../io/aggregator/poll-runner.ts";
import type { Observation } from "../../domain/observation.ts";
import type { Watched } from "../watched.ts";

/** The surfaces that a poller of the one has, and of the other had not: they need not wait for a slot. */
export function addedSurfaces(
  before: Watched | undefined,
  after: Watched,
): ReadonlyMap<string, ReadonlySet<string>> {
  const added = new Map<string, ReadonlySet<string>>();
  // What is read anew as a whole, or was not read at all, is polled by the scheduler.
  if (before?.reading !== after.reading) return added;
  for (const [name, { surfaces }] of after.pollers) {
    const known = before.pollers.get(name)?.surfaces;
    if (known === undefined) continue;
    const fresh = new Set([...surfaces].filter((surface) => !known.has(surface)));
    if (fresh.size > 0) added.set(name, fresh);
  }
  return added;
}

/** Reads some surfaces of a poller. It says nothing of the others, nor of the poller. */
export async function readAdded(
  request: PollRequest,
  only: ReadonlySet<string>,
  push: (observation: Observation) => void,
): Promise<void> {
  const tell = (observation: Observation): void => {
    if (!request.signal.aborted) push({ ...observation, ongoing: true });
  };
  tell(await runPoll({ ...request, only }, tell));
}

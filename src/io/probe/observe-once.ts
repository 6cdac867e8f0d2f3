import type { Args } from "../../aggregator/endpoints/definition.ts";
import type { Decoded, ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import { failureText } from "../../domain/http.ts";
import type { Contradiction, DoubtReason, Observation } from "../../domain/observation.ts";
import type { Policy } from "../../domain/step.ts";
import { firstOfEach, type Poller, type Surface, type WatchList } from "../../pollers/poller.ts";
import { type Statuses } from "../../pollers/status-words.ts";
import { createReadings } from "../aggregator/readings.ts";
import { runPoll } from "../aggregator/poll-runner.ts";
import type { Read } from "../aggregator/reader.ts";
import type { ProbeWorld } from "./probe-endpoint.ts";

/** Feeds the replies to a probe to the pollers, by the daemon's own code. */

export type ProbeInput = {
  readonly pollers: readonly Poller[];
  readonly watch: WatchList;
  /** The config names lists over HTTP, of which `watch` has nothing. */
  readonly hasHttpLists?: boolean;
  readonly statuses: Statuses;
  readonly aggregator: string;
  /** The rules in force. */
  readonly policy: Policy;
};

/** Whether an enabled poller can read what it needs. */
export type ProbedPoller = {
  readonly name: string;
  readonly ok: boolean;
  /** How many the first request of each kind gave. */
  readonly entities?: number;
  readonly problem?: string;
};

/**
 * The first surface for each set of endpoints that the poller asks, with one request of each endpoint: the first of
 * several statuses stands for all.
 */
function firstSurfaces(poller: Poller, watch: WatchList): readonly Surface[] {
  const endpointsOf = ({ requests }: Surface): string =>
    [...new Set(requests.map(({ endpoint }) => endpoint))].join();
  return firstOfEach(poller.plan(watch), endpointsOf).map((surface) => ({
    ...surface,
    requests: firstOfEach(surface.requests, ({ endpoint }) => endpoint),
  }));
}

/** Reads the replies as a poll would. Undefined if there is nothing to ask. */
export async function observe(
  poller: Poller,
  { watch, statuses, aggregator }: ProbeInput,
  answerTo: (endpoint: ReadEndpoint, args: Args) => Read<unknown>,
  { profile, clock, signal }: ProbeWorld,
): Promise<Observation | undefined> {
  const surfaces = firstSurfaces(poller, watch);
  if (surfaces.length === 0) return undefined;
  const client = {
    read: async <Name extends ReadEndpoint>(endpoint: Name, args: Args) =>
      // The endpoint's own decoder made the reply.
      await Promise.resolve(answerTo(endpoint, args) as Read<Decoded[Name]>),
    readings: createReadings(),
    ignores: (endpoint: ReadEndpoint, reason: DoubtReason) =>
      profile[endpoint].ignore.includes(reason),
  };
  return await runPoll({
    aggregator,
    poller: { ...poller, plan: () => surfaces },
    client,
    watch,
    statuses,
    clock,
    signal,
    origin: "poll",
  });
}

export function pollerReport(
  { name, plan }: Poller,
  { watch, hasHttpLists }: ProbeInput,
  observation: Observation | undefined,
): ProbedPoller {
  if (observation === undefined) {
    const why = hasHttpLists ? "lists over HTTP are not asked for" : "its watch list is empty";
    return { name, ok: true, problem: `nothing to ask: ${why}` };
  }
  let entities = 0;
  for (const { surface, reading } of observation.parts) {
    if (!reading.ok) return { name, ok: false, problem: failureText(reading.failure) };
    if (reading.doubt !== undefined)
      return { name, ok: false, problem: `not whole: ${reading.doubt.detail}` };
    // With one id, a wrong path and a wrong id look alike.
    if (reading.missing === true)
      return { name, ok: false, problem: `status 404 for the first entry of its watch list` };
    const [contradiction] = reading.contradictions ?? [];
    if (contradiction !== undefined) {
      const [request] = plan(watch).find((one) => one.name === surface)?.requests ?? [];
      return { name, ok: false, problem: contradictionText(contradiction, request?.endpoint) };
    }
    entities += reading.entities.length;
  }
  return { name, ok: true, entities };
}

function contradictionText({ id, detail }: Contradiction, endpoint = ""): string {
  const setting = `wire.${endpoint}.ignore: [contradiction]`;
  return `contradicts itself: ${id} is ${detail}; if that means nothing here, ${setting}`;
}

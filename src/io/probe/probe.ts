import type { ProbeKnowledge } from "../../aggregator/endpoints/definition.ts";
import {
  READ_ENDPOINTS,
  readEndpoints,
  type ReadEndpoint,
  type Reply,
} from "../../aggregator/endpoints/index.ts";
import type { Args } from "../../aggregator/endpoints/definition.ts";
import type { Failure } from "../../domain/http.ts";
import { firstOfEach, type Poller, type Statuses, type WatchList } from "../../pollers/poller.ts";
import { probeEndpoint, type Probed, type ProbeWorld } from "./probe-endpoint.ts";

/** What a deployment answers to every question of the interface. */
export type ProbeReport = {
  readonly endpoints: readonly ProbedEndpoint[];
  readonly pollers: readonly ProbedPoller[];
};

export type ProbedEndpoint = (
  | Probed
  | { readonly endpoint: ReadEndpoint; readonly outcome: "not_asked"; readonly why: string }
) & {
  /** The pollers that are on and ask it. */
  readonly neededBy: readonly string[];
};

/** Whether a poller that is on would read what it needs. */
export type ProbedPoller = {
  readonly name: string;
  readonly ok: boolean;
  /** Of the first thing that it asks for. */
  readonly entities?: number;
  readonly problem?: string;
};

export type ProbeInput = {
  readonly pollers: readonly Poller[];
  readonly watch: WatchList;
  readonly statuses: Statuses;
};

/**
 * Calls every read endpoint once, never a writing one: with the configured arguments, and where there
 * are none, with what the listings named.
 */
export async function probe(input: ProbeInput, world: ProbeWorld): Promise<ProbeReport> {
  const endpoints: ProbedEndpoint[] = [];
  const asked = new Map<string, Probed>();
  const needs = needsOf(input);
  let known = knownFrom(input.watch);
  for (const endpoint of READ_ENDPOINTS) {
    const { probeArgs, lacks } = readEndpoints[endpoint];
    const need = needs.get(endpoint);
    const neededBy = need?.pollers ?? [];
    const args = need?.args ?? probeArgs(known);
    if (!args || world.signal.aborted) {
      endpoints.push({ endpoint, outcome: "not_asked", why: lacks || "stopped", neededBy });
      continue;
    }
    const probed = await probeEndpoint(endpoint, args, world);
    asked.set(keyOf(endpoint, args), probed);
    endpoints.push({ ...probed, neededBy });
    if (probed.reply !== undefined) known = learn(known, probed.reply);
  }
  return { endpoints, pollers: input.pollers.map((poller) => judge(poller, input, asked)) };
}

/** What a reply names is known from then on; what the config names stays. */
function learn(known: ProbeKnowledge, { endpoint, value }: Reply): ProbeKnowledge {
  const { learn: namesIn } = readEndpoints[endpoint];
  const named = Object.entries((namesIn as (value: unknown) => ProbeKnowledge)(value));
  const isNew = ([key, item]: [string, unknown]): boolean =>
    item !== undefined && known[key as keyof ProbeKnowledge] === undefined;
  return { ...known, ...Object.fromEntries(named.filter(isNew)) };
}

/** What the pollers ask first of each endpoint. */
function needsOf({
  pollers,
  watch,
}: ProbeInput): ReadonlyMap<ReadEndpoint, { readonly args: Args; readonly pollers: string[] }> {
  const needs = new Map<ReadEndpoint, { readonly args: Args; readonly pollers: string[] }>();
  for (const { name, plan } of pollers) {
    for (const { endpoint, args } of plan(watch).flatMap(({ requests }) => requests)) {
      const need = needs.get(endpoint);
      if (need === undefined) needs.set(endpoint, { args, pollers: [name] });
      else if (!need.pollers.includes(name)) need.pollers.push(name);
    }
  }
  return needs;
}

function knownFrom({ senders, liquidations, pools }: WatchList): ProbeKnowledge {
  return {
    sender: senders[0]?.address,
    liquidation: liquidations[0]?.id,
    pool: pools[0] && { factory: pools[0].factory, pair: pools[0].pair },
  };
}

/**
 * Reads the poller's first surface as a poll would, but for one question of each endpoint: of several statuses
 * the first stands for all.
 */
function judge(
  poller: Poller,
  input: ProbeInput,
  asked: ReadonlyMap<string, Probed>,
): ProbedPoller {
  const { name } = poller;
  const [whole] = poller.plan(input.watch);
  if (whole === undefined)
    return { name, ok: true, problem: "nothing to ask: its watch list is empty" };
  const requests = firstOfEach(whole.requests, ({ endpoint }) => endpoint);
  const surface = { ...whole, requests };
  const replies: Reply[] = [];
  for (const { endpoint, args } of requests) {
    const probed = asked.get(keyOf(endpoint, args));
    if (probed?.reply === undefined)
      return {
        name,
        ok: false,
        problem: `${endpoint}: ${probed?.failure?.message ?? "not asked"}`,
      };
    replies.push(probed.reply);
  }
  const reading = poller.read(surface, replies, input);
  if (!reading.ok) return { name, ok: false, problem: messageOf(reading.failure) };
  return { name, ok: true, entities: reading.entities.length };
}

function messageOf({ endpoint, message }: Failure): string {
  return endpoint === undefined ? message : `${endpoint}: ${message}`;
}

function keyOf(endpoint: ReadEndpoint, args: Args): string {
  const sorted = Object.keys(args).toSorted();
  return JSON.stringify([endpoint, ...sorted.map((name) => [name, args[name]])]);
}

import type { ProbeKnowledge } from "../../aggregator/endpoints/definition.ts";
import {
  READ_ENDPOINTS,
  readEndpoints,
  type ReadEndpoint,
  type Reply,
} from "../../aggregator/endpoints/index.ts";
import type { Args } from "../../aggregator/endpoints/definition.ts";
import type { Observation } from "../../domain/observation.ts";
import { fail } from "../../domain/result.ts";
import type { WatchList } from "../../pollers/poller.ts";
import { observe, pollerReport, type ProbedPoller, type ProbeInput } from "./observe-once.ts";
import type { Read } from "../aggregator/reader.ts";
import { suggestAll } from "./suggest-all.ts";
import type { Suggested } from "./suggest-map.ts";
import { suggestSettings, type SuggestedSetting } from "./suggest-settings.ts";
import { isElsewhere, prefixText, searchPrefix, type PrefixSearch } from "./elsewhere.ts";
import { judgeOnce, type Judged } from "./judge-once.ts";
import { probeEndpoint, type Probed, type ProbeWorld } from "./probe-endpoint.ts";

/** The answers of a deployment to every read of the interface. */
export type ProbeReport = {
  readonly endpoints: readonly ProbedEndpoint[];
  readonly pollers: readonly ProbedPoller[];
  /** What is suggested, as settings of the aggregator. */
  readonly settings: readonly SuggestedSetting[];
  /** Set if each configured path has status 404. If a prefix was found, all else in the report was asked under it. */
  readonly elsewhere?: PrefixSearch;
} & Judged;

/** Whether the configured paths give everything that the pollers need, and no enabled rule is blind. */
export function isRight({ pollers, rules, elsewhere }: ProbeReport): boolean {
  if (elsewhere !== undefined) return false;
  return pollers.every(({ ok }) => ok) && rules.every(({ verdict }) => verdict !== "blind");
}

export type ProbedEndpoint = (
  | Probed
  | { readonly endpoint: ReadEndpoint; readonly outcome: "not_asked"; readonly why: string }
) & {
  /** The pollers that are on and ask it. */
  readonly neededBy: readonly string[];
} & Suggested;

/**
 * Calls every read endpoint once, never a writing one: with the configured arguments, or if there are none, with names
 * from the listings. If each path has status 404, it tries the usual prefixes, and asks again under the one that
 * answers.
 */
export async function probe(input: ProbeInput, world: ProbeWorld): Promise<ProbeReport> {
  const report = await probeAt(input, world);
  if (!isElsewhere(report.endpoints)) return report;
  const elsewhere = await searchPrefix(world);
  const { found } = elsewhere;
  const profile = found === undefined ? undefined : world.profileAt?.(found);
  if (found === undefined || profile === undefined) return { ...report, elsewhere };
  const moved = await probeAt(input, { ...world, profile });
  const why = [`Nothing is known at the paths that were set; under ${prefixText(found)} there is.`];
  const prefix = { path: ["api_prefix"], value: prefixText(found), why };
  return { ...moved, settings: [prefix, ...moved.settings], elsewhere };
}

async function probeAt(input: ProbeInput, world: ProbeWorld): Promise<ProbeReport> {
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
  const answerTo = (endpoint: ReadEndpoint, args: Args): Read<unknown> => {
    const probed = asked.get(keyOf(endpoint, args));
    if (probed?.reply !== undefined) return { ok: true, ...probed.reply };
    return fail(probed?.failure ?? { reason: "internal", endpoint, message: "not asked" });
  };
  const observations: Observation[] = [];
  const pollers: ProbedPoller[] = [];
  for (const poller of input.pollers) {
    const observation = await observe(poller, input, answerTo, world);
    if (observation !== undefined) observations.push(observation);
    pollers.push(pollerReport(poller, input, observation));
  }
  const judged = judgeOnce({ ...input, pollers, observations, at: world.clock.now() });
  const maps = await suggestAll([...asked.values()], world.profile);
  const settings = suggestSettings([...asked.values()], maps, world.profile, pollers);
  const suggested = endpoints.map((one) => ({ ...one, ...maps.byEndpoint.get(one.endpoint) }));
  return { endpoints: suggested, pollers, settings, ...judged };
}

/** Adds the names in a reply; names from the config stay. */
function learn(known: ProbeKnowledge, { endpoint, value }: Reply): ProbeKnowledge {
  const { learn: namesIn } = readEndpoints[endpoint];
  const named = Object.entries((namesIn as (value: unknown) => ProbeKnowledge)(value));
  const isNew = ([key, item]: [string, unknown]): boolean =>
    item !== undefined && known[key as keyof ProbeKnowledge] === undefined;
  return { ...known, ...Object.fromEntries(named.filter(isNew)) };
}

/** The arguments of the pollers' first request to each endpoint. */
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

function keyOf(endpoint: ReadEndpoint, args: Args): string {
  const sorted = Object.keys(args).toSorted();
  return JSON.stringify([endpoint, ...sorted.map((name) => [name, args[name]])]);
}

import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import { parseJsonBody } from "../http/json-body.ts";
import type { ProbeWorld } from "./probe-endpoint.ts";

/** What all paths begin with, if nothing is known at the paths that are set. */

/** What was tried instead of what is set, and the first that answers. */
export type PrefixSearch = { readonly tried: readonly string[]; readonly found?: string };

const STEMS = ["/api", "", "/rest", "/backend", "/backend/api"];
const VERSIONS = ["/v1", "/v2", "/v3", ""];

/** What is usual: few enough to be asked for one by one. */
export const USUAL_PREFIXES: readonly string[] = STEMS.flatMap((stem) =>
  VERSIONS.map((version) => stem + version),
);

/** Reads without arguments that every aggregator has. Both have to answer: a page for whatever is asked is not a sign. */
const SIGNS: readonly ReadEndpoint[] = ["exchanges", "disabled"];

const LEAST_PATHS = 3;

/** Nothing of the interface is there: it is not each path that is wrong, but what all of them begin with. */
export function isElsewhere(
  probed: ReadonlyArray<{ readonly outcome: string; readonly status?: number }>,
): boolean {
  const asked = probed.filter(({ outcome }) => outcome !== "not_asked");
  return asked.length >= LEAST_PATHS && asked.every(({ status }) => status === 404);
}

/** Asks for one read under each of the usual prefixes, with GET alone, until one answers in JSON. */
export async function searchPrefix(world: ProbeWorld): Promise<PrefixSearch> {
  const tried: string[] = [];
  for (const prefix of USUAL_PREFIXES) {
    const profile = world.profileAt?.(prefix);
    if (profile === undefined || isSame(profile, world.profile)) continue;
    if (world.signal.aborted) break;
    tried.push(prefix);
    if (await answers(profile, world)) return { tried, found: prefix };
  }
  return { tried };
}

/** As a prefix is written in a config: a slash if there is none. */
export function prefixText(prefix: string): string {
  return prefix === "" ? "/" : prefix;
}

function isSame(one: WireProfile, other: WireProfile): boolean {
  return SIGNS.every((name) => one[name].path === other[name].path);
}

async function answers(profile: WireProfile, { client, signal }: ProbeWorld): Promise<boolean> {
  for (const sign of SIGNS) {
    if (profile[sign].method !== "GET") return false;
    const reply = await client.request(sign, {}, { signal, profile });
    if (!reply.ok || !parseJsonBody(reply.value.body).ok) return false;
  }
  return true;
}

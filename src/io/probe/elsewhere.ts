import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import { parseJsonBody } from "../http/json-body.ts";
import type { ProbeWorld } from "./probe-endpoint.ts";

/** Looks for the prefix of all paths, if each configured path has status 404. */

/** The prefixes that were tried, and the first that answers. */
export type PrefixSearch = { readonly tried: readonly string[]; readonly found?: string };

const STEMS = ["/api", "", "/rest", "/backend", "/backend/api"];
const VERSIONS = ["/v1", "/v2", "/v3", ""];

/** Few enough to try one by one. */
export const USUAL_PREFIXES: readonly string[] = STEMS.flatMap((stem) =>
  VERSIONS.map((version) => stem + version),
);

/** Reads without arguments that every aggregator has. Both must answer in JSON: a page for any path is no sign. */
const SIGNS: readonly ReadEndpoint[] = ["exchanges", "disabled"];

const LEAST_PATHS = 3;

/** Whether every path has status 404, so that their common prefix must be wrong. */
export function isElsewhere(
  probed: ReadonlyArray<{ readonly outcome: string; readonly status?: number }>,
): boolean {
  const asked = probed.filter(({ outcome }) => outcome !== "not_asked");
  return asked.length >= LEAST_PATHS && asked.every(({ status }) => status === 404);
}

/** Tries the usual prefixes with GET requests, until one answers in JSON. */
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

/** A prefix as a config writes it: the empty one is a slash. */
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

import { readEndpoints, type ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { InstantUnit } from "../../aggregator/decoding/decode.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import { succeed, type Json } from "../../domain/result.ts";
import { compileWireMap, type ReadForm } from "../aggregator/decode-body.ts";
import { emptied } from "./body.ts";
import type { Probed } from "./probe-endpoint.ts";
import { suggestMap, type Suggested } from "./suggest-map.ts";

/** The suggestions for the bodies of all endpoints together. */
export type SuggestedMaps = {
  readonly byEndpoint: ReadonlyMap<ReadEndpoint, Suggested>;
  /** The unit of all instants, if it is not the configured one; the maps are for this unit. */
  readonly instants?: InstantUnit;
};

/**
 * Suggests a map for each body that is not read, or that could give more than without a map, or with the guess of an
 * earlier probe. If all instants of the deployment are in one unit that is not the configured one, that is one setting,
 * and no map needs to convert them.
 */
export async function suggestAll(
  probed: readonly Probed[],
  profile: WireProfile,
): Promise<SuggestedMaps> {
  const [set] = new Set(probed.map(({ endpoint }) => profile[endpoint].instants));
  const inForce = await suggestIn(undefined, probed, profile);
  const units = new Set([...inForce.values()].flatMap(({ units: own }) => own));
  const [unit] = units;
  if (units.size !== 1 || unit === undefined || unit === set) return { byEndpoint: inForce };
  return { byEndpoint: await suggestIn(unit, probed, profile), instants: unit };
}

type Seen = Suggested & { readonly units: readonly InstantUnit[] };

async function suggestIn(
  unit: InstantUnit | undefined,
  probed: readonly Probed[],
  profile: WireProfile,
): Promise<ReadonlyMap<ReadEndpoint, Seen>> {
  const found = new Map<ReadEndpoint, Seen>();
  for (const { endpoint, json } of probed) {
    if (json === undefined) continue;
    const { map, instants: set } = profile[endpoint];
    const instants = unit ?? set;
    const current = await readNow({ endpoint, instants, map }, json);
    const suggested = await suggestMap({ endpoint, instants }, json, current);
    const ofNow = current !== undefined && hasInstants(endpoint, current) ? [instants] : [];
    // What a map of one's own leaves out, it may leave out on purpose.
    const stays =
      map !== undefined &&
      current !== undefined &&
      !(await isGuess(map, { endpoint, instants }, json));
    found.set(
      endpoint,
      stays
        ? { fuller: suggested.suggestion, units: ofNow }
        : { ...suggested, units: suggested.suggestion?.units ?? ofNow },
    );
  }
  return found;
}

/** Whether the map is the one that an earlier probe suggested while the lists of the body were empty. */
async function isGuess(map: string, form: ReadForm, json: Json): Promise<boolean> {
  const { suggestion } = await suggestMap(form, emptied(json));
  return suggestion?.map === map;
}

/** The result of the configured map for a body, if it can be decoded. */
async function readNow(
  { endpoint, instants, map }: ReadForm & { readonly map: string | undefined },
  json: Json,
): Promise<Json | undefined> {
  const made = map === undefined ? succeed(json) : await compileWireMap(map)(json);
  if (!made.ok) return undefined;
  return readEndpoints[endpoint].decode(made.value, instants).ok ? made.value : undefined;
}

const INSTANTS = /"(?:creationTime|updateTime|expiration)":\s*[^n]/;

/** Whether a value in the default shape holds an instant. */
function hasInstants(endpoint: ReadEndpoint, made: Json): boolean {
  const example = JSON.stringify(readEndpoints[endpoint].reply.example);
  return INSTANTS.test(example) && INSTANTS.test(JSON.stringify(made));
}

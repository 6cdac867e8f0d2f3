import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import { bare } from "./alike.ts";
import type { Candidate } from "./candidates.ts";

/** What a map leaves out may say that the rest does not mean what the map takes it for. */

/** Of a listing by which exchanges count as enabled or disabled. */
const LISTINGS: ReadonlySet<ReadEndpoint> = new Set(["exchanges", "disabled"]);
const WHETHER =
  /^(?:is|exchange|pair)?(?:enabled|disabled|active|inactive|online|offline|available|suspended|status|state)$/;

/** Why a person must write the map; undefined if what it leaves out says nothing against it. */
export function saysOtherwise(
  endpoint: ReadEndpoint,
  { unused }: Pick<Candidate, "unused">,
): string | undefined {
  if (!LISTINGS.has(endpoint)) return undefined;
  const field = unused.find((path) => WHETHER.test(bare(path.split(".").at(-1) ?? "")));
  return field === undefined
    ? undefined
    : `only a person can say which entries count by their field ${field}, so write the map yourself`;
}

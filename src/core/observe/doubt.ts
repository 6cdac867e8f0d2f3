import type { Draft } from "../draft.ts";
import type { Observation } from "../../domain/observation.ts";
import type { SurfaceState } from "../state.ts";

/**
 * Servers often return [] on error, and a listing that lacks most of what it had a moment ago is more
 * often wrong than right. An entity that is absent from it is therefore gone only if the next poll lacks
 * it too: one poll later, and never more. Probes settle no doubt: they come within moments, and a short
 * error would be believed.
 */

/** From this many of a kind on, losing more than half at once is doubted; of two or three, losing all. */
const MANY = 4;

/** What is doubtful about a complete listing that lacks `absent`; undefined if it is believed. */
export function doubtOf(
  draft: Draft,
  surface: SurfaceState,
  origin: Observation["origin"],
  keys: readonly string[],
  absent: ReadonlySet<string>,
): string | undefined {
  // The listing before was doubted: this poll settles it, whichever way.
  if (surface.doubt !== undefined && origin === "poll") return undefined;
  if (absent.size === 0) return undefined;
  const counts = new Map<string, { known: number; lost: number }>();
  for (const key of keys) {
    const entity = draft.state.tables.entity.get(key);
    if (entity === undefined) continue;
    const { whenAbsent = "gone" } = draft.policy.kinds.get(entity.kind) ?? {};
    const isLostAlready = whenAbsent !== "gone" && entity.facts["status"] === whenAbsent["status"];
    if (isLostAlready) continue;
    const count = counts.get(entity.kind) ?? { known: 0, lost: 0 };
    count.known += 1;
    if (absent.has(key)) count.lost += 1;
    counts.set(entity.kind, count);
  }
  for (const [kind, { known, lost }] of counts) {
    const isDoubtful = known >= MANY ? lost > known / 2 : known > 1 && lost === known;
    if (isDoubtful) {
      return `${lost} of ${known} entities of the kind ${kind} are absent at once: the next poll is to confirm it`;
    }
  }
  return undefined;
}

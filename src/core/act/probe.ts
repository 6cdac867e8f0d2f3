import {
  parseSurfaceKey,
  surfaceKey,
  type Observation,
  type Part,
} from "../../domain/observation.ts";
import type { Draft } from "../draft.ts";

/** The part of an observation that read a surface, if any. */
export function partOf(observation: Observation, surface: string): Part | undefined {
  const prefix = surfaceKey(observation.aggregator, observation.poller, "");
  if (!surface.startsWith(prefix)) return undefined;
  const name = surface.slice(prefix.length);
  return observation.parts.find((part) => part.surface === name);
}

/** Whether what is known rests on this reading. A poll that was asked later may have come before a probe. */
export function isNewest({ state }: Draft, surface: string, { askedAt }: Part): boolean {
  return askedAt >= (state.surfaces.get(surface)?.askedAt ?? -Infinity);
}

/**
 * Requests one more reading of a surface, to confirm an action right before it or to verify it: once in a step, however
 * many wait for it.
 */
export function probe(draft: Draft, surface: string, why: "confirm" | "verify"): void {
  const asked = `${why} ${surface}`;
  if (draft.probed.has(asked)) return;
  draft.probed.add(asked);
  draft.effects.push({ type: "probe", ...parseSurfaceKey(surface), why });
}

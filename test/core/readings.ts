import type { SeenEntity } from "../../src/domain/entity.ts";
import {
  tallyOf,
  type Observation,
  type Part,
  type SurfaceReading,
} from "../../src/domain/observation.ts";
import type { Event } from "../../src/domain/step.ts";
import { parseDuration, type Instant, type Millis } from "../../src/domain/time.ts";
import { AGGREGATOR } from "./fixtures.ts";

/** What a scripted surface says: its entities, or that it could not be read. */
export type Said = readonly SeenEntity[] | "failed";

export type Evidence = Pick<Extract<SurfaceReading, { ok: true }>, "doubt" | "contradictions">;

export type ReadingOptions = {
  readonly surface?: string;
  readonly complete?: boolean;
  /** How good it is as evidence. */
  readonly evidence?: Evidence;
  /** How long ago it was asked. */
  readonly askedAgo?: string;
  readonly origin?: Observation["origin"];
};

export function partOf(
  surface: string,
  askedAt: Instant,
  said: Said,
  complete = true,
  evidence: Evidence = {},
): Part {
  if (said !== "failed")
    return { surface, askedAt, reading: { ok: true, complete, entities: said, ...evidence } };
  const failure = { reason: "timeout", message: "no answer within 5s" } as const;
  return { surface, askedAt, reading: { ok: false, failure } };
}

export function observed(
  poller: string,
  parts: readonly Part[],
  origin: Observation["origin"] = "poll",
): Event {
  const observation = { aggregator: AGGREGATOR, poller, parts, origin, durationMs: 5 };
  return { type: "observed", observation };
}

/** A long poll, which comes in pieces. */
export function observedInPieces(poller: string, pieces: ReadonlyArray<readonly Part[]>): Event[] {
  return pieces.map((parts, index) => {
    const before = pieces.slice(0, index).flat();
    const isLast = index === pieces.length - 1;
    const observation = { aggregator: AGGREGATOR, poller, parts, origin: "poll", durationMs: 5 };
    const rest = isLast ? { earlier: tallyOf(before) } : { ongoing: true };
    return { type: "observed", observation: { ...observation, ...rest } as Observation };
  });
}

export function lengthOf(duration: string): Millis {
  const length = parseDuration(duration);
  if (length === undefined) throw new Error(`not a duration: ${duration}`);
  return length;
}

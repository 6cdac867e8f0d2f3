import type { Effect } from "../domain/step.ts";

/** Asks for one more reading of a surface: to confirm an action right before it, or to verify it. */
export function probeOf(surface: string, why: "confirm" | "verify"): Effect {
  // The inverse of `surfaceKey`: neither an aggregator's nor a poller's name holds a slash.
  const [aggregator = "", poller = "", ...rest] = surface.split("/");
  return { type: "probe", aggregator, poller, surface: rest.join("/"), why };
}

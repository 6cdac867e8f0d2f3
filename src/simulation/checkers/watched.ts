import { formatInstant } from "../../domain/time.ts";
import { stepChecker } from "./acts.ts";
import type { Checker } from "../witness.ts";

/** What came into force with the step, so that it may have ended the watching of something. */
const ENDING: ReadonlySet<string> = new Set(["started", "policy_changed", "watch_changed"]);

/** What has left the watch lists has ended with the same step: nothing is known of it any more. */
export function checkWatched(): Checker {
  return stepChecker("7 watch lists", ({ event, policy, state, stampedAt }) => {
    if (!ENDING.has(event.type)) return [];
    const found: string[] = [];
    for (const [surface, keys] of state.entitiesBySurface) {
      const [aggregator, poller, ...name] = surface.split("/");
      const own = policy.aggregators.find((one) => one.name === aggregator);
      const surfaces = own?.pollers.find((one) => one.name === poller)?.surfaces;
      if (surfaces === undefined || surfaces.has(name.join("/")) || name[0] === SELF) continue;
      for (const key of keys) {
        found.push(
          `${key} is known after a ${event.type} event at ${formatInstant(stampedAt)}, and ${surface} is not watched`,
        );
      }
    }
    return found;
  });
}

/** The surface of a poller's own entity, which nobody asks for. */
const SELF = "(self)";

import { watchedPoller } from "../../core/policy.ts";
import type { Policy, WatchedPoller } from "../../domain/step.ts";
import type { Millis } from "../../domain/time.ts";

/** The poller that reads a surface, if the policy watches it, and the surface's own name. */
export function pollerOfSurface(
  policy: Policy,
  surface: string,
): { readonly poller: WatchedPoller | undefined; readonly name: string } {
  const [aggregator = "", poller = "", ...name] = surface.split("/");
  return { poller: watchedPoller(policy, aggregator, poller), name: name.join("/") };
}

/** The longest time between two slots of any poller. */
export function longestInterval(policy: Policy): Millis {
  const all = policy.aggregators.flatMap(({ pollers }) => pollers.map((one) => one.intervalMs));
  return Math.max(0, ...all);
}

import { pollOutcome, surfaceKey, type Observation } from "../../domain/observation.ts";
import type { Instant } from "../../domain/time.ts";
import type { RunEvent, Step } from "../run-event.ts";
import { watchedPoller } from "../../core/policy.ts";

/** A probe that is wanted and has not come, and how many ticks have passed since. */
type WantedProbe = { readonly at: Instant; readonly stamp: Instant; ticks: number };

/** When pollers polled, which probes were wanted, and when the loop ticked. */
export class Polls {
  /** When a poller last polled, by `aggregator/poller`. */
  readonly polledAt = new Map<string, Instant>();
  /** When the newest poll of a poller that did not fail was requested, by `aggregator/poller`. */
  readonly successAt = new Map<string, Instant>();
  readonly wantedProbes = new Map<string, WantedProbe>();
  /** When the newest reading of a surface in this process was requested. */
  readonly newestAskedAt = new Map<string, Instant>();
  /** When readings to confirm an action were wanted, by surface, since the process started. */
  private readonly confirmations = new Map<string, Instant[]>();
  /** When the newest of them was wanted, in true time. */
  readonly confirmingSince = new Map<string, Instant>();
  tickedAt: Instant = Number.NEGATIVE_INFINITY;

  confirmationsOf(surface: string): readonly Instant[] {
    return this.confirmations.get(surface) ?? [];
  }

  record(step: Step): void {
    const { event } = step;
    if (event.type === "started") this.confirmations.clear();
    if (event.type === "policy_changed" || event.type === "started") this.wantedProbes.clear();
    if (event.type === "observed") this.recordObserved(step.at, event.observation);
    for (const effect of step.result.effects) {
      if (effect.type !== "probe") continue;
      const key = surfaceKey(effect.aggregator, effect.poller, effect.surface);
      const isWatched = watchedPoller(step.policy, effect.aggregator, effect.poller) !== undefined;
      if (isWatched && !this.wantedProbes.has(key))
        this.wantedProbes.set(key, { at: step.at, stamp: step.stampedAt, ticks: 0 });
    }
    if (event.type === "tick") for (const wanted of this.wantedProbes.values()) wanted.ticks += 1;
  }

  private recordObserved(at: Instant, observation: Observation): void {
    const { aggregator, poller, origin, parts } = observation;
    if (origin === "poll") {
      const name = `${aggregator}/${poller}`;
      this.polledAt.set(name, at);
      if (parts.length > 0 && pollOutcome(parts) !== "failed") {
        const askedAt = Math.min(...parts.map((part) => part.askedAt));
        this.successAt.set(name, Math.max(askedAt, this.successAt.get(name) ?? askedAt));
      }
    }
    for (const { surface, askedAt } of origin === "probe" ? parts : []) {
      const key = surfaceKey(aggregator, poller, surface);
      if (askedAt >= (this.wantedProbes.get(key)?.stamp ?? Infinity)) this.wantedProbes.delete(key);
    }
  }

  settle(event: RunEvent): void {
    if (event.type === "restarted") this.newestAskedAt.clear();
    if (event.type !== "step") return;
    if (event.event.type === "tick") this.tickedAt = event.at;
    if (event.event.type === "observed") this.settleNewest(event, event.event.observation);
    for (const effect of event.result.effects) {
      if (effect.type !== "probe" || effect.why !== "confirm") continue;
      const surface = surfaceKey(effect.aggregator, effect.poller, effect.surface);
      const wanted = [...this.confirmationsOf(surface).slice(-50), event.stampedAt];
      this.confirmations.set(surface, wanted);
      this.confirmingSince.set(surface, event.at);
    }
  }

  private settleNewest({ state }: Step, { aggregator, poller, parts }: Observation): void {
    for (const { surface, askedAt, reading } of parts) {
      const key = surfaceKey(aggregator, poller, surface);
      // The surface is not watched any more, or the aggregator has moved.
      if (state.surfaces.get(key)?.askedAt === undefined) this.newestAskedAt.delete(key);
      else if (reading.ok)
        this.newestAskedAt.set(key, Math.max(askedAt, this.newestAskedAt.get(key) ?? askedAt));
    }
  }
}

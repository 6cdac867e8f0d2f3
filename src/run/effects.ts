import type { Effect, Event } from "../domain/step.ts";
import type { Batch } from "../domain/notification.ts";
import { surfaceKey } from "../domain/observation.ts";
import type { PollRequest } from "../io/aggregator/poll-runner.ts";
import { runPoll } from "../io/aggregator/poll-runner.ts";
import type { Client } from "../io/aggregator/client.ts";
import type { Leaving } from "./outdated.ts";

/** Performs the effects of a step, and brings their outcomes back as events. */
export type Effects = {
  readonly perform: (effect: Effect) => void;
  /** Waits until no action is under way; those that begin meanwhile are waited for too. */
  readonly settle: () => Promise<void>;
};

export type EffectsWorld = {
  readonly push: (event: Event) => void;
  readonly clientOf: (aggregator: string) => Client | undefined;
  /** The poll that a probe runs; undefined if the poller is not configured. */
  readonly probeRequest: (
    aggregator: string,
    poller: string,
    surface: string,
  ) => PollRequest | undefined;
  readonly notify: (batch: Batch) => void;
  /** Why an action must not be sent any more; undefined if it may. */
  readonly outdated: (action: Leaving) => string | undefined;
  /** Aborted at shutdown, when actions have had their time. */
  readonly actSignal: AbortSignal;
};

export function createEffects(world: EffectsWorld): Effects {
  const acting = new Set<Promise<void>>();
  const probing = new Map<string, { again: boolean }>();

  async function act(effect: Extract<Effect, { type: "act" }>): Promise<void> {
    const client = world.clientOf(effect.aggregator);
    const reply =
      client === undefined
        ? ({ outcome: "rejected", detail: "not sent: no such aggregator" } as const)
        : await client.act(effect.call, {
            signal: world.actSignal,
            outdated: () => world.outdated(effect),
          });
    world.push({ type: "acted", remediation: effect.remediation, reply });
  }

  /** One probe of a surface at a time, and at most one that waits: it reads again, so it serves all. */
  async function probe(effect: Extract<Effect, { type: "probe" }>): Promise<void> {
    const key = surfaceKey(effect.aggregator, effect.poller, effect.surface);
    const running = probing.get(key);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const own = { again: true };
    probing.set(key, own);
    try {
      while (own.again) {
        own.again = false;
        const request = world.probeRequest(effect.aggregator, effect.poller, effect.surface);
        if (request === undefined || request.signal.aborted) return;
        const observation = await runPoll(request);
        // Cut off by other settings: it is read again under them. At shutdown the next one is aborted too.
        if (request.signal.aborted) own.again = true;
        else world.push({ type: "observed", observation });
      }
    } finally {
      probing.delete(key);
    }
  }

  return {
    perform: (effect) => {
      if (effect.type === "probe") {
        void probe(effect);
        return;
      }
      if (effect.type === "notify") {
        world.notify(effect.batch);
        return;
      }
      const done = act(effect).finally(() => acting.delete(done));
      acting.add(done);
    },
    settle: async () => {
      while (acting.size > 0) await Promise.all(acting);
    },
  };
}

import { once } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NO_NOTIFICATIONS } from "../../src/config/settings/resolve-notify.ts";
import { succeed } from "../../src/domain/result.ts";
import type { Effect, Event } from "../../src/domain/step.ts";
import { createRedactor } from "../../src/io/redact/redactor.ts";
import type { Client } from "../../src/io/aggregator/client.ts";
import type { GapDetector } from "../../src/io/process/gap.ts";
import type { Loop } from "../../src/run/loop.ts";
import { createPerformers } from "../../src/run/performers.ts";
import type { Lease } from "../../src/run/replica/lease.ts";
import { alert, batch } from "../notifiers/batches.ts";
import { HOOK } from "./hook.ts";
import { loopTest, upToConfirmation } from "./loop-world.ts";
import { aggregatorSetup, watchdogSetup } from "./watchdog-setup.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What carries out the effects of a loop; the aggregator never answers. */
function performing({ lease, gaps }: { readonly lease?: Lease; readonly gaps?: GapDetector } = {}) {
  const now = { isWritable: true, isAbandoned: false, channels: [HOOK], isAnswering: true };
  const bodies: unknown[] = [];
  const pushed: Event[] = [];
  const asked: Array<Parameters<Client["act"]>[1]> = [];
  const test = loopTest();
  test.loop.push(upToConfirmation(test));
  const loop: Loop = {
    ...test.loop,
    push: (event) => void pushed.push(event),
    journalWritable: () => now.isWritable,
    isAbandoned: () => now.isAbandoned,
  };
  const made = watchdogSetup("/nowhere", [aggregatorSetup("http://aggregator.invalid")]);
  const stopping = new AbortController();
  const act: Client["act"] = (_, options) => {
    asked.push(options);
    return new Promise(() => undefined);
  };
  const performers = createPerformers(
    {
      clock: { now: () => test.now },
      random: () => 0.5,
      createSender: () => ({
        send: async ({ body }, signal) => {
          bodies.push(JSON.parse(String(body)));
          if (!now.isAnswering) await once(signal, "abort");
          return succeed({ status: 200, headers: {}, body: "" });
        },
        close: () => undefined,
      }),
      redactor: createRedactor(),
      lease,
      gaps,
    },
    {
      loop: () => loop,
      setup: () => ({ ...made, notify: { ...NO_NOTIFICATIONS, channels: now.channels } }),
      polling: { clientOf: () => ({ act }) as Client, probeRequest: () => undefined },
      actSignal: stopping.signal,
    },
  );
  const notify = async (): Promise<void> => {
    performers.effects.perform({ type: "notify", batch: batch(alert("BINANCE")) });
    await vi.advanceTimersByTimeAsync(0);
  };
  const acts = test.effects.filter(
    (effect): effect is Extract<Effect, { type: "act" }> => effect.type === "act",
  );
  return { ...performers, now, bodies, pushed, asked, acts, notify, stopping };
}

it("a notification says whether the journal can be written as it leaves", async () => {
  const { now, bodies, notify } = performing();
  await notify();
  now.isWritable = false;
  await notify();
  expect(bodies).toMatchObject([{ recorded: true }, { recorded: false }]);
});

it("no notification leaves once another replica is the owner", async () => {
  const { now, bodies, notify } = performing();
  now.isAbandoned = true;
  await notify();
  expect(bodies).toEqual([]);
});

it("no notification leaves for a channel that a reload has removed", async () => {
  const { now, bodies, pushed, notify } = performing();
  await notify();
  now.channels = [];
  await notify();
  expect(bodies).toHaveLength(1);
  const gone = "cancelled: the channel is not configured any more";
  expect(pushed).toMatchObject([
    { type: "notified", delivery: { outcome: "delivered" } },
    { type: "notified", delivery: { outcome: "failed", detail: gone } },
  ]);
});

it.each([
  ["a second", {}, 1_000],
  [
    "less if a lease is handed over",
    { lease: { epoch: 1, held: () => true, leftMs: () => 60_000 } },
    200,
  ],
])("a stop waits for receivers for %s", async (_, given, graceMs) => {
  const { now, notify, notifying } = performing(given);
  now.isAnswering = false;
  await notify();
  let isOver = false;
  void notifying.stop().then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(graceMs - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

it("an action is checked right before it leaves, and aborted at the end", () => {
  const aggregator = aggregatorSetup("http://aggregator.invalid");
  const known = {
    leftMs: aggregator.client.timeouts.requestMs + 1,
    awayMs: undefined as number | undefined,
  };
  const { effects, asked, acts, stopping } = performing({
    lease: { epoch: 1, held: () => true, leftMs: () => known.leftMs },
    gaps: { peek: () => known.awayMs, look: () => undefined, noteRunning: () => undefined },
  });
  for (const act of acts) effects.perform(act);
  expect(asked).toHaveLength(1);
  const look = () => asked[0]?.outdated?.();
  expect(look()).toBeUndefined();
  known.awayMs = 20_000;
  expect(look()).toBe("the process could not run for 20s");
  known.awayMs = undefined;
  // Its answer would come when another may act.
  known.leftMs -= 1;
  expect(look()).toContain("lease");
  expect(asked[0]?.signal.aborted).toBe(false);
  stopping.abort();
  expect(asked[0]?.signal.aborted).toBe(true);
});

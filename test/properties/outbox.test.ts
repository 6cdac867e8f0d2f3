import fc from "fast-check";
import { expect, it } from "vitest";
import type { Batch, DeliveryOutcome } from "../../src/domain/notification.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { channel, levelChannel } from "../core/tell/channels.ts";
import { exchange, rule } from "../core/fixtures.ts";
import { scriptedWorld, START, type CrashBoundary, type World } from "../core/world.ts";

/**
 * Any order of firing, resolving, outages, refusals, crashes, restarts and silences: once all is well
 * again, the last notification of each alert to each channel is what is so, and they came in order.
 */
const NAMES = ["A", "B", "C"] as const;
const CHANNELS = [
  channel("hook"),
  channel("one", { most: 1 }),
  channel("pager", { grouping: "rule", topics: ["alerts"] }),
  levelChannel("am", { most: 2 }),
];

type Happening =
  | { readonly type: "turn"; readonly id: (typeof NAMES)[number]; readonly bad: boolean }
  | { readonly type: "channel"; readonly name: string; readonly outcome: DeliveryOutcome }
  | { readonly type: "pass"; readonly for: string }
  | { readonly type: "crash"; readonly at: CrashBoundary | "now"; readonly for: string }
  | { readonly type: "silence"; readonly id: (typeof NAMES)[number]; readonly minutes: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("turn" as const),
      id: fc.constantFrom(...NAMES),
      bad: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("channel" as const),
      name: fc.constantFrom(...CHANNELS.map(({ name }) => name)),
      outcome: fc.constantFrom<DeliveryOutcome[]>("delivered", "failed", "denied"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("pass" as const),
      for: fc.constantFrom("10ms", "100ms", "2s", "70s", "10m"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("crash" as const),
      at: fc.constantFrom<Array<CrashBoundary | "now">>(
        "before_commit",
        "before_effects",
        "after_effects",
        "now",
      ),
      for: fc.constantFrom("0s", "1m", "1h"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("silence" as const),
      id: fc.constantFrom(...NAMES),
      minutes: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

function run(happenings: readonly Happening[]): World {
  const world = scriptedWorld({ rules: [rule()], channels: CHANNELS });
  const bad = new Set<string>();
  const outcomes = new Map<string, DeliveryOutcome>();
  world.receives = ({ channel: name }) => outcomes.get(name) ?? "delivered";
  const read = (): void => {
    world.sees(
      "exchanges",
      NAMES.map((id) => exchange(id, bad.has(id) ? "disabled" : "enabled")),
    );
  };
  for (const one of happenings) {
    switch (one.type) {
      case "turn":
        if (one.bad) bad.add(one.id);
        else bad.delete(one.id);
        read();
        break;
      case "channel":
        outcomes.set(one.name, one.outcome);
        break;
      case "pass":
        world.passes(one.for);
        break;
      case "crash":
        if (one.at !== "now") {
          world.crashNext = one.at;
          read();
        }
        world.restarts(one.for);
        break;
      case "silence": {
        const until = world.now + one.minutes * MINUTE;
        world.commands({ name: "silence", scope: { id: one.id }, until });
      }
    }
  }
  outcomes.clear();
  read();
  // Longer than any silence, and than the longest wait for a receiver.
  for (let minute = 0; minute < 12; minute += 1) {
    world.passes("1m");
    read();
  }
  return world;
}

it("tells every channel the last word on every alert, in order, whatever happened", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 25 }), (happenings) => {
      const world = run(happenings);
      for (const { name } of CHANNELS) {
        const own = world.delivered.filter((batch) => batch.channel === name);
        checkOrder(own);
        for (const id of NAMES) checkLast(world, own, id);
      }
      for (const state of world.state.channels.values()) expect(state.waiting.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

/** What is told once more may come again, but nothing new comes after something newer. */
function checkOrder(batches: readonly Batch[]): void {
  for (const { items } of batches) {
    const numbers = items.flatMap(({ number }) => number ?? []);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  }
  for (const id of NAMES) {
    const runs = batches.flatMap(({ items }) =>
      items.flatMap(({ notification }) =>
        notification.type === "alert" && notification.entity.id === id
          ? [notification.startedAt]
          : [],
      ),
    );
    expect(runs).toEqual(runs.toSorted((one, other) => one - other));
  }
}

function checkLast(world: World, own: readonly Batch[], id: string): void {
  const told = own.flatMap(({ items }) =>
    items.flatMap(({ notification }) =>
      notification.type === "alert" && notification.entity.id === id ? [notification] : [],
    ),
  );
  const alert = world.alert("ExchangeDisabled", "exchange", id);
  const last = told.at(-1);
  if (alert?.state === "firing") {
    expect(last).toMatchObject({ state: "firing", startedAt: alert.startedAt });
  } else if (last !== undefined) expect(last.state).toBe("resolved");
  expect(world.now).toBeGreaterThan(START);
}

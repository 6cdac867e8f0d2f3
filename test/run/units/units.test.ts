import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Logger } from "../../../src/io/process/log.ts";
import type { Presence } from "../../../src/io/postgres/presence.ts";
import { startUnits } from "../../../src/run/units/units.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LEASE = 3_000;
const LEFT_FOR = 20 * LEASE;

/** Replicas that share out units, and a database that knows who has which at once. */
function world() {
  const leaves = new Map<string, readonly string[]>();
  const owners = new Map<string, string>();
  const hung = new Set<string>();
  const log: string[] = [];
  const start = (owner: string) => {
    const presence: Presence = {
      beat: async (own = []) => {
        leaves.set(owner, own);
        const left = new Map<string, string[]>();
        for (const [name, all] of leaves)
          for (const unit of all) left.set(unit, [...(left.get(unit) ?? []), name]);
        const live = [...leaves.keys()].toSorted();
        return await Promise.resolve({ live, owners: new Map(owners), left });
      },
      end: async () => await Promise.resolve(void leaves.delete(owner)),
    };
    const warn = (fields: object, text: string): void =>
      void log.push(`${owner}: ${text} ${JSON.stringify(fields)}`);
    return startUnits({
      owner,
      shards: 2,
      leaseMs: LEASE,
      clocks: { wall: () => Date.now(), steady: () => Date.now() },
      presence,
      start: (unit) => {
        owners.set(unit, owner);
        return {
          hung: () => (hung.has(`${owner} ${unit}`) ? "it hangs" : undefined),
          stop: async () => {
            if (owners.get(unit) === owner) owners.delete(unit);
            await Promise.resolve();
          },
        };
      },
      onTurn: async () => await Promise.resolve(),
      log: { warn, debug: () => undefined } as unknown as Logger,
    });
  };
  return { start, owners, hung, log };
}

const seconds = async (count: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(count * 1_000);
};

it("a unit that hung is left to the others for twenty leases, and then moves only if there is need", async () => {
  const { start, owners, hung, log } = world();
  const a = start("a");
  const b = start("b");
  await seconds(3);
  expect(Object.fromEntries(owners)).toEqual({ "senders/1": "a", "senders/2": "b" });
  hung.add("a senders/1");
  await seconds(3);
  hung.clear();
  // What the other can take without hanging is shared out as before.
  expect(Object.fromEntries(owners)).toEqual({ "senders/1": "b", "senders/2": "a" });
  expect(log).toEqual([
    'a: it failed here, so it is left to the other replicas {"unit":"senders/1","detail":"it hangs","for":"1m"}',
  ]);
  await vi.advanceTimersByTimeAsync(LEFT_FOR);
  expect(owners.get("senders/1")).toBe("b");
  await b.stop();
  await seconds(3);
  expect(owners.get("senders/1")).toBe("a");
  await a.stop();
});

it("a unit that hung is kept by a replica that is alone, and goes to one that joins", async () => {
  const { start, owners, hung, log } = world();
  const a = start("a");
  await seconds(3);
  hung.add("a senders/1");
  await seconds(3);
  hung.clear();
  expect([owners.get("senders/1"), log]).toEqual(["a", []]);
  const b = start("b");
  await seconds(3);
  expect(Object.fromEntries(owners)).toEqual({ "senders/1": "b", "senders/2": "a" });
  expect(log).toHaveLength(1);
  await Promise.all([a.stop(), b.stop()]);
});

it("a unit that hung at all replicas is taken again by one of them", async () => {
  const { start, owners, hung } = world();
  const [a, b] = [start("a"), start("b")];
  await seconds(3);
  hung.add("a senders/1");
  await seconds(3);
  hung.add("b senders/1");
  await seconds(3);
  hung.clear();
  await seconds(3);
  expect([...owners.keys()].toSorted()).toEqual(["senders/1", "senders/2"]);
  await Promise.all([a.stop(), b.stop()]);
});

it("units that no replica owns are taken one at a time, and are named until one is seen to own them", async () => {
  const { start, owners } = world();
  const a = start("a");
  await seconds(0);
  expect([[...owners.keys()], a.unowned()]).toEqual([["senders/1"], ["senders/1", "senders/2"]]);
  await seconds(0.5);
  expect([[...owners.keys()], a.unowned()]).toEqual([["senders/1", "senders/2"], ["senders/2"]]);
  await seconds(0.5);
  expect(a.unowned()).toEqual([]);
  await a.stop();
});

it("a stop lets the look under way end, reports itself, gives back what runs, and takes nothing", async () => {
  const steps: string[] = [];
  const [looked, reported, given] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const units = startUnits({
    owner: "a",
    shards: 2,
    leaseMs: LEASE,
    presence: {
      beat: async () => {
        steps.push("look");
        if (steps.length > 2) await looked?.promise;
        return { live: ["a"], owners: new Map(), left: new Map() };
      },
      end: async () => {
        steps.push("report");
        await reported?.promise;
      },
    },
    start: (unit) => {
      steps.push(`take ${unit}`);
      const stop = async (): Promise<void> => {
        steps.push(`give ${unit}`);
        await given?.promise;
      };
      return { hung: () => undefined, stop };
    },
    onTurn: async () => await Promise.resolve(),
    log: { debug: () => undefined } as unknown as Logger,
  });
  await seconds(0.5);
  const stopped = units.stop().then(() => steps.push("stopped"));
  const expected = ["look", "take senders/1", "look"];
  const parts = [
    [looked, "report"],
    [reported, "give senders/1"],
    [given, "stopped"],
  ] as const;
  for (const [part, next] of parts) {
    await seconds(2);
    expect(steps).toEqual(expected);
    part?.resolve();
    expected.push(next);
  }
  await stopped;
  expect(steps).toEqual(expected);
  expect(units.running()).toEqual([]);
});

it("each half second the units are looked at, one look at a time, and one that hangs is given up", async () => {
  const owners = new Map<string, string>();
  const turns: string[][] = [];
  const looks: Array<() => Promise<void>> = [];
  const problems: unknown[] = [];
  let looked = 0;
  const units = startUnits({
    owner: "a",
    shards: 1,
    leaseMs: LEASE,
    presence: {
      beat: async () => {
        looked += 1;
        await looks.shift()?.();
        return { live: ["a"], owners, left: new Map() };
      },
      end: async () => await Promise.resolve(),
    },
    start: (unit) => {
      owners.set(unit, "a");
      return { unit, hung: () => undefined, stop: async () => await Promise.resolve() };
    },
    onTurn: async (running) => {
      turns.push(running.map(({ unit }) => unit));
      await Promise.resolve();
    },
    log: { debug: (fields: unknown) => void problems.push(fields) } as unknown as Logger,
  });
  await seconds(1);
  expect([looked, turns]).toEqual([3, [["senders/1"], ["senders/1"], ["senders/1"]]]);
  looks.push(
    async () => await Promise.reject(new Error("the database is away")),
    async () => await new Promise(() => undefined),
  );
  await seconds(1);
  expect([looked, turns.length]).toEqual([5, 3]);
  expect(problems).toEqual([{ detail: "the database is away" }]);
  await seconds(29);
  expect(looked).toBe(5);
  await seconds(1.5);
  expect(looked).toBeGreaterThan(5);
  expect(turns.length).toBeGreaterThan(3);
  await units.stop();
});

it("a unit that takes long to end is ended once, and can be taken again", async () => {
  const owners = new Map<string, string>();
  let live = ["b"];
  const given = Promise.withResolvers<void>();
  const steps: string[] = [];
  const units = startUnits({
    owner: "b",
    shards: 1,
    leaseMs: LEASE,
    presence: {
      beat: async () => await Promise.resolve({ live, owners, left: new Map() }),
      end: async () => await Promise.resolve(),
    },
    start: (unit) => {
      steps.push("take");
      owners.set(unit, "b");
      const stop = async (): Promise<void> => {
        steps.push("give");
        await given.promise;
        owners.delete(unit);
      };
      return { hung: () => undefined, stop };
    },
    onTurn: async () => await Promise.resolve(),
    log: { debug: () => undefined } as unknown as Logger,
  });
  await seconds(1);
  live = ["a"];
  await seconds(3);
  expect(steps).toEqual(["take", "give"]);
  live = ["b"];
  given.resolve();
  await seconds(1);
  expect(steps).toEqual(["take", "give", "take"]);
  await units.stop();
  expect(steps).toEqual(["take", "give", "take", "give"]);
});

/** Tests src/run/units/balance.ts: whatever joins and leaves, every unit ends with one owner, and none moves without need. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { sendersUnit } from "../../src/domain/lease.ts";
import type { LeftUnits } from "../../src/io/postgres/presence.ts";
import { assign } from "../../src/run/units/balance.ts";

const NAMES = ["a", "b", "c", "d", "e"];
const unitsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => sendersUnit(n + 1));

const happening = fc.oneof(
  fc.record({ do: fc.constantFrom("joins", "leaves", "crashes"), who: fc.constantFrom(...NAMES) }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant("turns"), who: fc.constantFrom(...NAMES) }) },
  fc.constant({ do: "leases run out", who: "" }),
);

/** Replicas that each look at the rows in their own time, as `startUnits` does. */
function createWorld(units: readonly string[], left: LeftUnits = new Map()) {
  const live = new Set<string>();
  const owners = new Map<string, string>();
  let moves = 0;
  return {
    live,
    owners,
    moves: () => moves,
    join: (who: string) => void live.add(who),
    leave: (who: string): void => {
      live.delete(who);
      for (const [unit, owner] of owners) if (owner === who) owners.delete(unit);
    },
    crash: (who: string) => void live.delete(who),
    runOut: (): void => {
      for (const [unit, owner] of owners) if (!live.has(owner)) owners.delete(unit);
    },
    turn: (who: string): void => {
      if (!live.has(who)) return;
      const assigned = assign(units, owners, [...live].toSorted(), left);
      for (const unit of units) {
        const isOurs = assigned.get(unit) === who;
        if (owners.get(unit) === who && !isOurs) {
          owners.delete(unit);
          moves += 1;
        } else if (isOurs && !owners.has(unit)) owners.set(unit, who);
      }
    },
  };
}

function settle(world: ReturnType<typeof createWorld>): void {
  world.runOut();
  for (let round = 0; round < 4; round += 1) for (const who of world.live) world.turn(who);
}

function counts({ owners, live }: ReturnType<typeof createWorld>): number[] {
  return [...live].map((who) => [...owners.values()].filter((owner) => owner === who).length);
}

it("any sequence of joins, leaves and crashes ends with each unit owned once, evenly, and at rest", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 13 }),
      fc.array(happening, { maxLength: 60 }),
      (count, all) => {
        const units = unitsOf(count);
        const world = createWorld(units);
        for (const { do: what, who } of all) {
          if (what === "joins") world.join(who);
          else if (what === "leaves") world.leave(who);
          else if (what === "crashes") world.crash(who);
          else if (what === "turns") world.turn(who);
          else world.runOut();
        }
        world.join("a");
        settle(world);
        expect([...world.owners.keys()].toSorted()).toEqual(units.toSorted());
        const held = counts(world);
        expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
        const [before, moves] = [new Map(world.owners), world.moves()];
        settle(world);
        expect(world.owners).toEqual(before);
        expect(world.moves()).toBe(moves);
      },
    ),
  );
});

it("no unit moves without need: one that joins gets no more than its part, and a death moves what it had alone", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 13 }),
      fc.subarray(NAMES, { minLength: 2 }),
      (count, names) => {
        const [last = "", ...first] = names;
        const world = createWorld(unitsOf(count));
        for (const who of first) world.join(who);
        settle(world);
        const before = new Map(world.owners);
        world.join(last);
        settle(world);
        const moved = [...world.owners].filter(([unit, owner]) => before.get(unit) !== owner);
        expect(moved.every(([, owner]) => owner === last)).toBe(true);
        expect(moved.length).toBeLessThanOrEqual(Math.ceil(count / names.length));
        const shared = new Map(world.owners);
        world.crash(last);
        settle(world);
        for (const [unit, owner] of shared)
          if (owner !== last) expect(world.owners.get(unit)).toBe(owner);
      },
    ),
  );
});

it("no replica gets a unit that it leaves, unless all leave it: each is owned, and at rest", () => {
  const leaving = fc.array(fc.subarray(NAMES), { minLength: 13, maxLength: 13 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 13 }),
      fc.subarray(NAMES, { minLength: 1 }),
      leaving,
      fc.array(fc.constantFrom(...NAMES), { maxLength: 20 }),
      (count, names, leaves, turns) => {
        const units = unitsOf(count);
        const left = new Map(units.map((unit, index) => [unit, leaves[index] ?? []] as const));
        const world = createWorld(units, new Map([...left].filter(([, by]) => by.length > 0)));
        for (const who of names) world.join(who);
        for (const who of turns) world.turn(who);
        settle(world);
        expect([...world.owners.keys()].toSorted()).toEqual(units.toSorted());
        for (const [unit, owner] of world.owners) {
          const by = left.get(unit) ?? [];
          if (by.includes(owner)) expect(names.filter((one) => !by.includes(one))).toEqual([]);
        }
        const [before, moves] = [new Map(world.owners), world.moves()];
        settle(world);
        expect(world.owners).toEqual(before);
        expect(world.moves()).toBe(moves);
      },
    ),
  );
});

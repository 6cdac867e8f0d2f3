import { expect, it } from "vitest";
import { DatabaseAway } from "../../../src/io/postgres/database.ts";
import { checkClock } from "../../../src/run/replica/clock-check.ts";
import { HOUR, SECOND } from "../../../src/domain/time.ts";

const START = Date.UTC(2026, 0, 5);

/** A database whose clock is right, and a replica whose clock is not; each way of a question takes `wayMs`. */
function begin() {
  const world = { at: START, error: 0, wayMs: 0, isAway: false };
  const logged: string[] = [];
  const log = (_: object, text: string): void => void logged.push(text);
  const query = async () => {
    if (world.isAway) throw new DatabaseAway("it is gone");
    world.at += world.wayMs;
    const at = String(world.at);
    world.at += world.wayMs;
    return await Promise.resolve([{ at }]);
  };
  const check = checkClock({ query }, { warn: log, info: log }, () => world.at + world.error);
  return { world, logged, check };
}

it.each([
  [HOUR, "1h ahead of"],
  [-90 * SECOND, "1m30s behind"],
])("a clock that is wrong by %d ms is a notice, and logged once", async (error, text) => {
  const { world, logged, check } = begin();
  await check.look();
  expect(check.notices()).toEqual([]);
  world.error = error;
  await check.look();
  await check.look();
  expect(check.notices()).toEqual([expect.stringContaining(`is ${text} the database's`)]);
  world.isAway = true;
  await check.look();
  expect(logged).toEqual(check.notices());
  Object.assign(world, { isAway: false, error: 0 });
  await check.look();
  expect(check.notices()).toEqual([]);
  expect(logged).toHaveLength(2);
});

it("an answer that takes long says nothing about the clock", async () => {
  const { world, check } = begin();
  Object.assign(world, { wayMs: 8 * SECOND, error: 7 * SECOND });
  await check.look();
  world.error = -7 * SECOND;
  await check.look();
  expect(check.notices()).toEqual([]);
});

it.each([7 * SECOND, -7 * SECOND])(
  "a clock that is wrong by %d ms is not said to agree again by an answer that takes long",
  async (error) => {
    const { world, logged, check } = begin();
    world.error = error;
    await check.look();
    const before = check.notices();
    expect(before).toHaveLength(1);
    world.wayMs = 4 * SECOND;
    await check.look();
    expect(check.notices()).toEqual(before);
    expect(logged).toEqual(before);
    Object.assign(world, { wayMs: SECOND, error: 0 });
    await check.look();
    expect(check.notices()).toEqual([]);
  },
);

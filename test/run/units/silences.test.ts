import { expect, it } from "vitest";
import type { Silence } from "../../../src/domain/hold.ts";
import type { Event } from "../../../src/domain/step.ts";
import { HOUR } from "../../../src/domain/time.ts";
import type { Service } from "../../../src/run/service/service.ts";
import { followSilences } from "../../../src/run/units/silences.ts";
import { policyOf, rule } from "../../core/fixtures.ts";
import { loopTest, START } from "../loop-world.ts";

/** A unit of senders, and what `home` has of silences. */
function following() {
  const test = loopTest(policyOf([rule()]));
  test.loop.push({ type: "started" });
  const home: Silence[] = [];
  let asked = 0;
  const query = async () => {
    asked += 1;
    return await Promise.resolve(home.map((silence) => ({ value: JSON.stringify(silence) })));
  };
  const pushed: Event[] = [];
  const push = (event: Event): void => {
    pushed.push(event);
    test.loop.push(event);
  };
  const service = {
    loop: { ...test.loop, push },
    clock: { now: () => test.now },
  } as unknown as Service;
  return {
    home,
    asked: () => asked,
    /** What it was asked for since the last call. */
    commands: () => pushed.splice(0),
    silenced: () => [...test.loop.state().tables.silence.values()],
    look: async (services = [service]) => await followSilences({ query }, services),
  };
}

function silence(id: string, change: Partial<Silence> = {}): Silence {
  return {
    id,
    scope: { kind: "sender", id },
    reason: "a move",
    owner: "alice",
    createdAt: START,
    until: START + HOUR,
    ...change,
  } as Silence;
}

it("a unit has the silences of home, each copied once, by who gave it, and none that is over", async () => {
  const { home, look, silenced, commands } = following();
  home.push(silence("one"), silence("over", { until: START }));
  await look();
  const { scope, reason, owner, until } = silence("one");
  expect(silenced()).toMatchObject([{ id: "one", scope, reason, owner, until }]);
  expect(commands()).toHaveLength(1);
  await look();
  expect(commands()).toEqual([]);
  // Another one under the same id.
  home.splice(0, 1, silence("one", { scope: { kind: "sender", id: "two" } }));
  await look();
  expect(silenced()).toMatchObject([{ id: "one", scope: { kind: "sender", id: "two" } }]);
});

it("a silence that home has ended is ended in a unit", async () => {
  const { home, look, silenced, commands } = following();
  home.push(silence("one"), silence("two"));
  await look();
  commands();
  home.shift();
  await look();
  expect(silenced().map(({ id }) => id)).toEqual(["two"]);
  expect(commands()).toMatchObject([{ by: "home", reason: "it was ended" }]);
});

it("the database is not asked if there is no unit here", async () => {
  const { look, asked } = following();
  await look([]);
  expect(asked()).toBe(0);
});

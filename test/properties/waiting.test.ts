/** Tests src/core/act/waiting.ts: who asks the guards only if their answers may have changed misses nothing. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Condition } from "../../src/domain/rule.ts";
import { exchange, factIs, repair, rule } from "../core/fixtures.ts";
import { scriptedWorld } from "../core/world.ts";
import { Chaos } from "./core-chaos.ts";
import { happening, type Happening } from "./core-happenings.ts";

const asked = process.env["PROPERTY_RUNS"];
const runs = asked === undefined ? { numRuns: 60, seed: 42 } : { numRuns: Number(asked) };

/** What came of it, in a world that asks as the core does, or about every alert at every step. */
function play(what: readonly Happening[], always: boolean) {
  const chaos = new Chaos();
  const { world } = chaos;
  let spared = 0;
  world.onStep = () => {
    if (always) world.state.waiting.isStale = true;
    else if (!world.state.waiting.isStale) spared += 1;
  };
  world.starts();
  for (const each of what) chaos.happen(each);
  const { findings, sent, probes, batches } = world;
  return { decided: { findings, sent, probes, batches }, spared };
}

it("decides the same as if the guards were asked about every alert at every step", () => {
  let spared = 0;
  fc.assert(
    fc.property(fc.array(happening, { minLength: 20, maxLength: 120, size: "max" }), (what) => {
      const found = play(what, false);
      expect(found.decided).toEqual(play(what, true).decided);
      spared += found.spared;
    }),
    runs,
  );
  // Or it says nothing.
  expect(spared).toBeGreaterThan(1_000);
});

/** Ten alerts that fire and wait for another mode, just read; `judged`: how often they were since. */
function tenWaiting() {
  let judged = 0;
  const when = factIs("status", "disabled");
  const counted: Condition = {
    ...when,
    judge: (scope) => {
      judged += 1;
      return when.judge(scope);
    },
  };
  const act = repair({ mode: "shadow" });
  const world = scriptedWorld({ rules: [rule({ when: counted, act })] });
  const names = Array.from({ length: 10 }, (_, index) => `E${index}`);
  const poll = () =>
    world.sees(
      "exchanges",
      names.map((name) => exchange(name, "disabled")),
    );
  poll();
  world.passes("10m");
  poll();
  world.passes("2s");
  expect(world.suppressions().at(-1)).toContain("shadow");
  judged = 0;
  return { world, poll, judged: () => judged };
}

it("judges none of ten alerts that wait at ticks at which nothing has changed", () => {
  const { world, judged } = tenWaiting();
  world.passes("20s");
  expect(judged()).toBe(0);
  world.commands({ name: "kill", source: "operator" });
  expect(judged()).toBeGreaterThanOrEqual(10);
});

it("judges none of them as long as what justifies them is read again before it is too old", () => {
  const { world, poll, judged } = tenWaiting();
  for (let polls = 0; polls < 20; polls += 1) {
    world.passes("20s");
    poll();
  }
  expect(judged()).toBe(0);
  const before = world.suppressions().length;
  world.passes("40s");
  expect(world.suppressions().slice(before)).toEqual(Array(10).fill("stale"));
});

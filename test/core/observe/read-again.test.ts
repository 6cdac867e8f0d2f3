import { describe, expect, it } from "vitest";
import {
  isFreshnessUnjudged,
  isReadAgain,
  keysRead,
  noteReadAgain,
} from "../../../src/core/observe/read-again.ts";
import type { Observation } from "../../../src/domain/observation.ts";
import { AGGREGATOR, condition, exchange, factIs, policyOf, rule } from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld } from "../world.ts";

const LISTED = [exchange("A", "disabled"), exchange("B", "enabled")];

/** A world that has read the listing twice, and a third poll of the very same listing. */
function readTwice() {
  const world = scriptedWorld({ rules: [rule({})] });
  const poll = (): Observation => {
    const event = observed("exchanges", [partOf("all", world.now, LISTED)]);
    if (event.type !== "observed") throw new Error("an observation");
    return event.observation;
  };
  for (let count = 0; count < 2; count += 1) {
    world.tell({ type: "observed", observation: poll() }).passes("10s");
  }
  const third = poll();
  return { world, third, keys: keysRead(world.policy, third) };
}

describe("a poll that reads what was read before", () => {
  it("leaves the state as its step does", () => {
    const [brief, stepped] = [readTwice(), readTwice()];
    expect(isReadAgain(brief.world.state, brief.third, brief.keys)).toBe(true);
    noteReadAgain(brief.world.state, brief.third, brief.keys, brief.world.now);
    stepped.world.tell({ type: "observed", observation: stepped.third });
    expect(brief.world.state.tables).toEqual(stepped.world.state.tables);
    expect(brief.world.state.surfaces).toEqual(stepped.world.state.surfaces);
    expect(brief.world.state.at).toBe(stepped.world.state.at);
  });

  it("is none if it lists otherwise, failed, was asked earlier, is a piece or a probe", () => {
    const { world, third, keys } = readTwice();
    const { now, state } = world;
    const others: ReadonlyArray<Partial<Observation>> = [
      { parts: [partOf("all", now, [...LISTED])] },
      { parts: [partOf("all", now, "failed")] },
      { parts: [partOf("all", now - 60_000, LISTED)] },
      { ongoing: true },
      { earlier: { parts: 1, failed: 0, cut: 0, askedAt: now } },
      { origin: "probe" },
    ];
    expect(others.filter((other) => isReadAgain(state, { ...third, ...other }, keys))).toEqual([]);
  });

  it("is none while an action waits for a reading, before it or after it", () => {
    const { world, third, keys } = readTwice();
    const { confirming, unsettled, waiting } = world.state;
    confirming.set("one", { requestedAt: world.now, surface: `${AGGREGATOR}/exchanges/all` });
    expect(isReadAgain(world.state, third, keys)).toBe(false);
    confirming.clear();
    unsettled.set(`${AGGREGATOR}/exchange/A`, "r1");
    expect(isReadAgain(world.state, third, keys)).toBe(false);
    unsettled.clear();
    waiting.surfaces.add(`${AGGREGATOR}/exchanges/all`);
    expect(isReadAgain(world.state, third, keys)).toBe(false);
    waiting.surfaces.clear();
    expect(isReadAgain(world.state, third, keys)).toBe(true);
  });
});

describe("how fresh a poller is", () => {
  const when = { ...condition("late", () => false), reads: ["last_success"] };

  it("is judged by a rule that reads when it last succeeded", () => {
    const down = rule({ alert: "Down", kind: "poller", when: factIs("up", false) });
    expect(isFreshnessUnjudged(policyOf([rule({}), down]))).toBe(true);
    expect(isFreshnessUnjudged(policyOf([rule({ kind: "poller", when })]))).toBe(false);
  });

  it("is judged by a rule of pollers that reads the time, and of no other kind", () => {
    const late = rule({ kind: "poller", when: condition("late", () => false, true) });
    expect(isFreshnessUnjudged(policyOf([late]))).toBe(false);
    expect(isFreshnessUnjudged(policyOf([{ ...late, kind: "exchange" }]))).toBe(true);
  });

  it("is remembered by a window on pollers or aggregators", () => {
    const windows = [{ name: "w", fact: "up", function: "count", lengthMs: 1_000 }] as const;
    for (const kind of ["poller", "aggregator"])
      expect(isFreshnessUnjudged(policyOf([rule({ kind, windows })]))).toBe(false);
  });
});

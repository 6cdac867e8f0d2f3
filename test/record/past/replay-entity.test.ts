import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kinds } from "../../../src/pollers/kinds.ts";
import { replayEntity } from "../../../src/record/past/replay-entity.ts";
import { happening } from "../../backtest/eventful.ts";
import { policyOf } from "../../core/fixtures.ts";
import { START } from "../../core/world.ts";
import { lived, type KnownEntity } from "./lived.ts";

/** `PROPERTY_RUNS=5000` looks further, from another seed each time; else every run is the same. */
const asked = process.env["PROPERTY_RUNS"];
const RUNS = asked === undefined ? { numRuns: 100, seed: 42 } : { numRuns: Number(asked) };

const { limits } = policyOf([]);

/** What is said of an instant that is known otherwise, as far as both say it. */
function stateOf(known: KnownEntity | undefined) {
  if (known === undefined) return { state: "absent", status: undefined };
  const { status } = known.facts;
  return {
    state: known.unknownSince === undefined ? "seen" : "unknown",
    status: status === undefined ? undefined : String(status),
  };
}

describe("what was known of an entity over a span of time", () => {
  it("is at each instant what was known then, whatever was read, failed, restarted or left the watch lists", () => {
    const property = fc.property(fc.array(happening, { minLength: 1, maxLength: 25 }), (all) => {
      const { known, packed } = lived(all);
      const gaps = packed.flatMap(({ at, whole }, index) =>
        whole === 1 && index > 0 ? [{ from: Number(packed[index - 1]?.until), until: at }] : [],
      );
      const instants = [...known.keys()];
      const until = (instants.at(-1) ?? START) + 1;
      const keys = new Set([...known.values()].flatMap((one) => one.map(({ key }) => key)));
      for (const key of keys) {
        const past = replayEntity(packed, { key, from: START, until, kinds, limits });
        for (const [at, entities] of known) {
          const then = entities.find((one) => one.key === key);
          const { state, status } = past?.states.findLast((one) => one.at <= at) ?? {};
          const isGap = gaps.some(({ from, until: end }) => from <= at && at < end);
          const expected = isGap ? { state: "not_recorded", status: undefined } : stateOf(then);
          expect({ state, status }, `${key} at ${at - START}`).toEqual(expected);
          if (state !== "seen") continue;
          for (const { name, buckets } of past?.facts ?? []) {
            const value = then?.facts[name];
            if (value === undefined) continue;
            const own = buckets.findLast(({ from }) => from <= at);
            expect(own, `${key} ${name}`).toBeDefined();
            expect(own?.min).toBeLessThanOrEqual(Number(value));
            expect(own?.max).toBeGreaterThanOrEqual(Number(value));
          }
        }
      }
    });
    fc.assert(property, RUNS);
  });

  it("says when nothing was recorded, and begins where the record does", () => {
    const { packed } = lived([
      { what: "sees", disabled: ["A"], times: 2 },
      { what: "restarts" },
      { what: "sees", disabled: [], times: 2 },
    ]);
    const opened = packed.filter(({ whole }) => whole === 1).map(({ at }) => at);
    const [first = 0, second = 0] = opened;
    const span = { key: "bsc/exchange/A", from: 0, until: second + 60_000, kinds, limits };
    const past = replayEntity(packed, span);
    expect(past?.from).toBe(first);
    const gap = past?.states.findIndex(({ state }) => state === "not_recorded") ?? -1;
    expect(past?.states[gap]?.at).toBeLessThan(second);
    expect(past?.states[gap + 1]?.at).toBe(second);
    const from = Number(past?.states[gap]?.at);
    const within = replayEntity(packed, { ...span, until: second - 1 });
    expect(within?.states.at(-1)).toMatchObject({ state: "not_recorded", at: from });
    const before = replayEntity(packed, { ...span, until: from });
    expect(before?.states.at(-1)).toMatchObject({ state: "seen" });
  });

  it("keeps the extremes of a number that changes more often than a chart has points", () => {
    const { packed } = lived([10, 5, 15, 10].flatMap((base) => [{ what: "pools" as const, base }]));
    const until = Number(packed.at(-1)?.until);
    const span = { key: "bsc/pool/P", from: until - 3_600_000, until: until + 7_200_000 };
    const past = replayEntity(packed, { ...span, kinds, limits });
    const base = past?.facts.find(({ name }) => name === "base")?.buckets ?? [];
    expect(Math.min(...base.map(({ min }) => min))).toBe(5);
    expect(Math.max(...base.map(({ max }) => max))).toBe(15);
    expect(base.at(-1)?.last).toBe(10);
    expect(base.length).toBeLessThanOrEqual(120);
  });

  it("has nothing of what follows from more than was read", () => {
    const { packed } = lived([{ what: "sees", disabled: [], times: 2 }]);
    const [derived] = [...kinds].find(([, kind]) => kind.derived === true) ?? [""];
    const span = { key: `bsc/${derived}/A`, from: START, until: START + 60_000 };
    expect(replayEntity(packed, { ...span, kinds, limits })).toBeUndefined();
  });
});

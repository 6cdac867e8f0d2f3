/** Tests src/core/observe/unchanged-listing.ts: of a long listing only what is another object is applied. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyState } from "../../../src/core/state.ts";
import { step } from "../../../src/core/step.ts";
import { LONG_LIST } from "../../../src/domain/lists/changed-items.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { createSourceWriter } from "../../../src/record/source-writer.ts";
import { AGGREGATOR, exchange, factIs, policyOf, pool, rule } from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld, START } from "../world.ts";

const COUNT = LONG_LIST + 10;
/** An entity as it is at first, and as another one. Exchanges that are absent are kept, and pools are gone. */
type Make = (id: string, isOther: boolean) => SeenEntity;
const makers: Readonly<Record<string, Make>> = {
  exchanges: (id, isOther) => exchange(id, isOther ? "disabled" : "enabled"),
  pools: (id, isOther) => pool(id, isOther ? 2 : 1),
};
/** The same objects in every run, so that listings share them. */
const allOf = (make: Make, isOther: boolean): SeenEntity[] =>
  Array.from({ length: COUNT }, (_, index) => make(`E${index}`, isOther));
const at = (list: readonly SeenEntity[], index: number): SeenEntity => list[index] as SeenEntity;

const index = fc.nat({ max: COUNT - 1 });
type Edit = (list: readonly SeenEntity[]) => readonly SeenEntity[];
const editsOf = (make: Make): fc.Arbitrary<Edit> => {
  const [first, others] = [allOf(make, false), allOf(make, true)];
  const putAt = (all: readonly SeenEntity[]): fc.Arbitrary<Edit> =>
    index.map(
      (one): Edit =>
        (list) =>
          list.with(one % list.length, at(all, one)),
    );
  return fc.oneof(
    putAt(others),
    putAt(first),
    fc.tuple(index, fc.nat({ max: 3 })).map(
      ([one, count]): Edit =>
        (list) =>
          list.toSpliced(one, count),
    ),
    // Listed twice, once as something else.
    index.map((one): Edit => (list) => [...list, at(others, one)]),
    index.map((one): Edit => (list) => [at(others, one), ...list]),
    index.map((one): Edit => (list) => [...list, make(`N${one}`, true)]),
    fc.constant<Edit>((list) => list.toReversed()),
    fc.constant<Edit>(() => first),
    fc.constant<Edit>((list) => list.slice(0, 20)),
  );
};
const pollsOf = (make: Make) =>
  fc.array(
    fc.record({
      edits: fc.array(editsOf(make), { maxLength: 3 }),
      cut: fc.nat({ max: 9 }).map((one) => one === 0),
      passes: fc.constantFrom(1, 10, 40),
    }),
    { minLength: 2, maxLength: 15 },
  );

/** One that does not spare itself anything forgets after each step what was applied. */
function createWatchdog(poller: string, spares: boolean) {
  const policy = policyOf([rule({ when: factIs("status", "disabled") })]);
  const state = emptyState();
  const writer = createSourceWriter(1_000);
  step(policy, state, { type: "started" }, START);
  return (now: number, listed: readonly SeenEntity[], complete: boolean) => {
    const event = observed(poller, [partOf("all", now, listed, complete)]);
    if (event.type !== "observed") throw new Error("not an observation");
    const { changes, findings } = step(policy, state, event, now);
    const recorded = spares ? event.observation : structuredClone(event.observation);
    const record = toEnd(writer.write(recorded, now, undefined));
    if (!spares) state.applied.clear();
    const ticked = step(policy, state, { type: "tick" }, now + 1);
    return { changes, findings, record, ticked, tables: state.tables };
  };
}

it.each(Object.entries(makers))(
  "comes to the same as if all of it was applied: %s",
  (poller, make) => {
    const first = allOf(make, false);
    fc.assert(
      fc.property(pollsOf(make), (polls) => {
        const [one, other] = [createWatchdog(poller, true), createWatchdog(poller, false)];
        let now = START;
        let list: readonly SeenEntity[] = first;
        for (const { edits, cut, passes } of polls) {
          now += passes * SECOND;
          for (const change of edits) list = list.length === 0 ? list : change(list);
          // Another list of the same entities.
          const found = one(now, [...list], !cut);
          expect(found).toEqual(other(now, list, !cut));
        }
      }),
      { numRuns: 100, seed: 42 },
    );
  },
);

it("is compared with the next one also if something has gone", () => {
  const pools = allOf((id, isOther) => pool(id, isOther ? 2 : 1), false);
  const seen = scriptedWorld({ rules: [] }).sees("pools", pools);
  seen.passes("10s").sees("pools", pools.slice(1));
  expect(seen.state.tables.entity.has(`${AGGREGATOR}/pool/E0`)).toBe(false);
  const applied = [...seen.state.applied.values()];
  expect(applied.map(({ entities }) => entities.length)).toEqual([COUNT - 1]);
});

it("keeps nothing of a surface that is not read any more", () => {
  const seen = scriptedWorld({ rules: [] }).sees("exchanges", [exchange("A", "enabled")]);
  expect(seen.state.applied.size).toBe(1);
  seen.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [AGGREGATOR] });
  expect([seen.state.surfaces.size, seen.state.applied.size]).toEqual([0, 0]);
});

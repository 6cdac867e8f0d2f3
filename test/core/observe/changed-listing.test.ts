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
import { AGGREGATOR, exchange, factIs, policyOf, rule } from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld, START } from "../world.ts";

const COUNT = LONG_LIST + 10;
const all = (status: "enabled" | "disabled"): SeenEntity[] =>
  Array.from({ length: COUNT }, (_, index) => exchange(`E${index}`, status));
/** The same objects in every run, so that listings share them. */
const enabled = all("enabled");
const disabled = all("disabled");
const at = (list: readonly SeenEntity[], index: number): SeenEntity => list[index] as SeenEntity;

const index = fc.nat({ max: COUNT - 1 });
type Edit = (list: readonly SeenEntity[]) => readonly SeenEntity[];
const edit: fc.Arbitrary<Edit> = fc.oneof(
  index.map(
    (one): Edit =>
      (list) =>
        list.with(one % list.length, at(disabled, one)),
  ),
  index.map(
    (one): Edit =>
      (list) =>
        list.with(one % list.length, at(enabled, one)),
  ),
  index.map(
    (one): Edit =>
      (list) =>
        list.toSpliced(one, 1),
  ),
  // Listed twice, once as something else.
  index.map((one): Edit => (list) => [...list, at(disabled, one)]),
  index.map((one): Edit => (list) => [at(disabled, one), ...list]),
  index.map((one): Edit => (list) => [...list, exchange(`N${one}`, "disabled")]),
  fc.constant<Edit>((list) => list.toReversed()),
  fc.constant<Edit>(() => enabled),
  fc.constant<Edit>((list) => list.slice(0, 20)),
);
const poll = fc.record({
  edits: fc.array(edit, { maxLength: 3 }),
  cut: fc.nat({ max: 9 }).map((one) => one === 0),
  passes: fc.constantFrom(1, 10, 40),
});

/** One that does not spare itself anything forgets after each step what was applied. */
function createWatchdog(spares: boolean) {
  const policy = policyOf([rule({ when: factIs("status", "disabled") })]);
  const state = emptyState();
  const writer = createSourceWriter(1_000);
  step(policy, state, { type: "started" }, START);
  return (now: number, listed: readonly SeenEntity[], complete: boolean) => {
    const event = observed("exchanges", [partOf("all", now, listed, complete)]);
    if (event.type !== "observed") throw new Error("not an observation");
    const { changes, findings } = step(policy, state, event, now);
    const recorded = spares ? event.observation : structuredClone(event.observation);
    const record = toEnd(writer.write(recorded, now, undefined));
    if (!spares) state.applied.clear();
    const ticked = step(policy, state, { type: "tick" }, now + 1);
    return { changes, findings, record, ticked, tables: state.tables };
  };
}

it("comes to the same as if all of it was applied", () => {
  fc.assert(
    fc.property(fc.array(poll, { minLength: 2, maxLength: 15 }), (polls) => {
      const [one, other] = [createWatchdog(true), createWatchdog(false)];
      let now = START;
      let list: readonly SeenEntity[] = enabled;
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
});

it("keeps nothing of a surface that is not read any more", () => {
  const seen = scriptedWorld({ rules: [] }).sees("exchanges", [exchange("A", "enabled")]);
  expect(seen.state.applied.size).toBe(1);
  seen.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [AGGREGATOR] });
  expect([seen.state.surfaces.size, seen.state.applied.size]).toEqual([0, 0]);
});

/** Tests src/core/observe/enrich.ts: what follows from all entities of a kind. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { newDraft, type Draft } from "../../../src/core/draft.ts";
import { isWhole } from "../../../src/core/observe/doubt.ts";
import { enriched } from "../../../src/core/observe/enrich.ts";
import { observe } from "../../../src/core/observe/observe.ts";
import { emptyState } from "../../../src/core/state.ts";
import type { Facts, SeenEntity } from "../../../src/domain/entity.ts";
import type { Observation } from "../../../src/domain/observation.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import { AGGREGATOR, policyOf } from "../fixtures.ts";
import { partOf, type Said } from "../readings.ts";
import { scriptedWorld, START } from "../world.ts";

const swap = (id: string, facts: Facts): SeenEntity => ({
  kind: "swap",
  id,
  facts: { active: true, redeem_asset: "BNB", redeem_amount: 1, ...facts },
});
const sender = (id: string): SeenEntity => ({ kind: "sender", id, facts: { address: id } });
const brokerAsset = (asset: string): SeenEntity => ({
  kind: "broker_asset",
  id: asset,
  facts: { asset, total: 5 },
});

/** What is surely known of all of the kind, without what was found before; undefined if something of it is not sure. */
function sureOf({ state }: Draft, aggregator: string, kind: string): readonly Facts[] | undefined {
  const own = [...state.tables.entity.values()].filter(
    (one) => one.kind === kind && one.aggregator === aggregator,
  );
  const isSure = own.every(({ unknownSince, surface }) => {
    const read = state.surfaces.get(surface);
    return unknownSince === undefined && (read === undefined || isWhole(read, kind));
  });
  return isSure ? own.map(({ facts }) => facts) : undefined;
}

/** How many active swaps ask for BNB; undefined if that is not known. */
function expectedOf(draft: Draft, aggregator: string): number | undefined {
  if ((sureOf(draft, aggregator, "sender") ?? []).length === 0) return undefined;
  return sureOf(draft, aggregator, "swap")?.filter(
    ({ active, redeem_asset: asset }) => active === true && asset === "BNB",
  ).length;
}

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const seenSwap = fc
  .tuple(
    id,
    fc.constantFrom<Facts>({}, { active: false }, { redeem_asset: "ETH" }, { redeem_amount: 4 }),
  )
  .map(([name, facts]) => swap(name, facts));
const polls = fc.array(
  fc.record({
    aggregator: fc.constantFrom(AGGREGATOR, "eth"),
    surface: fc.constantFrom("s1", "s2"),
    complete: fc.nat({ max: 4 }).map((one) => one > 0),
    said: fc.oneof(
      { weight: 6, arbitrary: fc.uniqueArray(seenSwap, { selector: (one) => one.id }) },
      fc.constant<Said>("failed"),
    ),
  }),
  { maxLength: 12, size: "max" },
);

it("follows from what is known now, though it changes within one step", () => {
  const reached = new Set<unknown>();
  const property = fc.property(polls, (all) => {
    const draft = newDraft(policyOf([]), emptyState(), START);
    for (const [index, { aggregator, surface, complete, said }] of all.entries()) {
      const listed = said === "failed" ? said : [sender(surface), ...said];
      const parts = [partOf(surface, START + index, listed, complete)];
      const of = { aggregator, poller: "swaps", origin: "poll", durationMs: 5 } as const;
      toEnd(observe(draft, { ...of, parts } satisfies Observation));
      for (const one of [AGGREGATOR, "eth"]) {
        const { in_flight_swaps: found } = enriched(draft, one, "broker_asset", { asset: "BNB" });
        expect(found).toBe(expectedOf(draft, one));
        reached.add(found);
      }
    }
  });
  fc.assert(property, { numRuns: 300, seed: 42 });
  expect([undefined, 0, 1, 2, 3].every((one) => reached.has(one))).toBe(true);
});

it("knows no sum of what several listings have together beyond the limit", () => {
  const seen = scriptedWorld({ rules: [], alsoPolled: ["swaps", "brokers"] });
  const limits = { entities: 3, entitiesPerEntry: 2, vanished: 2 };
  seen.policy = { ...seen.policy, limits };
  const poll = (second: string, ofOne: string[], ofOther: string[]) =>
    seen
      .at(second)
      .polls("swaps", {
        s1: [sender("s1"), ...ofOne.map((one) => swap(one, {}))],
        s2: [sender("s2"), ...ofOther.map((one) => swap(one, {}))],
      })
      .sees("brokers", [brokerAsset("BNB")])
      .entity("broker_asset", "BNB")?.facts["in_flight"];
  expect(poll("10s", ["a", "b"], ["c"])).toBe(3);
  expect(poll("20s", ["a", "b"], ["c", "d"])).toBeUndefined();
  expect(poll("30s", ["a", "b"], ["c"])).toBe(3);
});

it("knows no sum before every watched sender was read", () => {
  const seen = scriptedWorld({ rules: [], alsoPolled: ["swaps", "brokers"] });
  const aggregators = seen.policy.aggregators.map((one) => ({
    ...one,
    pollers: one.pollers.map((poller) =>
      poller.name === "swaps" ? { ...poller, surfaces: new Set(["s1", "s2"]) } : poller,
    ),
  }));
  seen.policy = { ...seen.policy, aggregators };
  const own = [sender("s1"), swap("a", {})];
  const sum = () => {
    const held = seen.sees("brokers", [brokerAsset("BNB")]).entity("broker_asset", "BNB");
    return held?.facts["in_flight"];
  };
  seen.at("10s").polls("swaps", { s1: own, s2: "failed" });
  expect(sum()).toBeUndefined();
  seen.at("20s").polls("swaps", { s1: own, s2: [sender("s2"), swap("b", {})] });
  expect(sum()).toBe(2);
  seen.at("30s").polls("swaps", { s1: own, s2: "failed" });
  expect(sum()).toBeUndefined();
});

/** The same object, of which each look at one of its facts is noted. */
function counted<Item extends object>(item: Item, note: () => void): Item {
  return new Proxy(item, {
    get: (target, name, receiver) => {
      note();
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

it("looks at each swap for all assets together, and not for each of them", () => {
  const COUNT = 300;
  const names = Array.from({ length: COUNT }, (_, index) => `N${index}`);
  const seen = scriptedWorld({ rules: [], alsoPolled: ["swaps", "brokers"] });
  seen.at("10s").polls("swaps", {
    s1: [sender("s1"), ...names.map((name) => swap(name, { redeem_asset: name }))],
  });
  let looks = 0;
  const note = () => (looks += 1);
  const { entity } = seen.state.tables;
  for (const [key, one] of entity)
    if (one.kind === "swap")
      entity.set(key, counted({ ...one, facts: counted(one.facts, note) }, note));
  seen.at("20s").sees("brokers", names.map(brokerAsset));
  expect(seen.entity("broker_asset", "N7")?.facts).toMatchObject({
    in_flight: 1,
    in_flight_swaps: 1,
  });
  expect(looks).toBeGreaterThan(COUNT);
  expect(looks).toBeLessThan(20 * COUNT);
});

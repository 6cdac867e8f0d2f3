import { toEnd } from "../../../src/domain/slices.ts";
import { describe, expect, it } from "vitest";
import { coverageOf } from "../../../src/core/explain/coverage.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { renderPage } from "../../../src/io/page/page.ts";
import { sourceOf } from "../../io/api/server-fixture.ts";
import { factIs, order, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const rules = [
  rule({
    alert: "OrderStuck",
    kind: "liquidation",
    when: { ...factIs("open", true), reads: ["open"] },
  }),
  rule({
    alert: "PoolDeparts",
    kind: "pool",
    when: { ...factIs("estimate_departure", true), reads: ["estimate_departure"] },
  }),
  rule({ alert: "Elsewhere", aggregators: ["other"] }),
];

function unclear(id: string): SeenEntity {
  return { kind: "liquidation", id, facts: { order_id: id, name: id, status: "odd" } };
}

/** A world in which two orders say nothing sure, one is missing, and a pool waits for an estimation. */
function world(): World {
  const watched = scriptedWorld({ rules }).at("10s");
  const missing = { kind: "liquidation", id: "d", facts: { order_id: "d", missing: true } };
  watched.polls("liquidations", {
    a: [unclear("a")],
    b: [unclear("b")],
    c: [order("c", "STUCK")],
    d: [missing],
  });
  watched.sees("pools", [{ kind: "pool", id: "F/P", facts: { name: "F/P", base: 1 } }]);
  return watched;
}

const [AGGREGATOR = ""] = scriptedWorld({ rules }).policy.aggregators.map(({ name }) => name);

describe("how far each rule can judge", () => {
  it("counts what was read, what it cannot decide on, and what waits for something else", () => {
    const { policy, state } = world();
    expect(toEnd(coverageOf(policy, state, AGGREGATOR))).toStrictEqual([
      {
        rule: "OrderStuck",
        kind: "liquidation",
        read: 3,
        undecided: 2,
        lacks: [{ facts: "open", entities: 2 }],
        waiting: 0,
        waitsFor: [],
      },
      {
        rule: "PoolDeparts",
        kind: "pool",
        read: 1,
        undecided: 0,
        lacks: [],
        waiting: 1,
        waitsFor: [{ facts: "estimate_departure", entities: 1 }],
      },
    ]);
  });

  it("is of what is surely known: a surface that fails has nothing to decide on", () => {
    const watched = world();
    watched.at("20s").polls("liquidations", { a: "failed", b: "failed", c: "failed", d: "failed" });
    expect(toEnd(coverageOf(watched.policy, watched.state, AGGREGATOR))[0]).toMatchObject({
      read: 0,
    });
  });

  it("is on the page if something cannot be judged, and only there", async () => {
    const shown = await renderPage(sourceOf(world()));
    expect(shown).toMatch(/Rules that cannot judge all that is read/);
    expect(shown).toMatch(/OrderStuck[^]*1 of 3[^]*open of 2/);
    const well = scriptedWorld({ rules }).at("10s");
    well.polls("liquidations", { c: [order("c", "STUCK")] });
    expect(await renderPage(sourceOf(well))).not.toContain("cannot judge all");
  });
});

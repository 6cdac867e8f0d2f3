import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { factIs, order, planning, rule } from "../fixtures.ts";
import { observedInPieces, partOf } from "../readings.ts";
import { scriptedWorld } from "../world.ts";

const isOpen = { ...factIs("open", true), reads: ["open"] };
const stuck = rule({ alert: "OrderStuck", kind: "liquidation", when: isOpen });

/** An order with a status word that says nothing sure. */
function unclear(id: string): SeenEntity {
  return { kind: "liquidation", id, facts: { order_id: id, name: id, status: "stuck" } };
}

function world(when = isOpen) {
  return scriptedWorld({ rules: [{ ...stuck, when }] }).at("10s");
}

describe("the coverage of a rule", () => {
  it("is noted at the end of each poll, with the facts that it lacks", () => {
    const watched = world();
    watched.polls("liquidations", {
      a: [unclear("a")],
      b: [unclear("b")],
      c: [order("c", "STUCK")],
    });
    expect(watched.entity("poller", "liquidations")?.facts).toMatchObject({
      undecided_ratio: 2 / 3,
      undecided: "OrderStuck: 2 of 3 (open is not known)",
    });
    watched
      .at("20s")
      .polls("liquidations", { a: [order("a", "STUCK")], b: [order("b", "CANCELED")] });
    expect(watched.entity("poller", "liquidations")?.facts).toMatchObject({
      undecided_ratio: 0,
      undecided: "",
    });
  });

  it("is of what was read: what is not read, gone or not known to the aggregator does not count", () => {
    const watched = world();
    const missing = { kind: "liquidation", id: "d", facts: { order_id: "d", missing: true } };
    watched.polls("liquidations", { a: [unclear("a")], b: [order("b", "STUCK")], d: [missing] });
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(1 / 3);
    watched.at("20s").polls("liquidations", { a: "failed", b: [order("b", "STUCK")] });
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(0);
    watched.at("30s").polls("liquidations", { a: [unclear("a")] });
    watched.at("40s").polls("liquidations", { a: [] });
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(0);
  });

  it("stays as it was while nothing is read", () => {
    const watched = world();
    watched.polls("liquidations", { a: [unclear("a")] });
    watched.at("20s").polls("liquidations", { a: "failed" });
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(1);
  });

  it("is that of all pieces of a long poll, though the last piece read nothing", () => {
    const watched = world();
    watched.policy = planning(watched.policy, ["a", "b", "c"]);
    const pieces = [
      [partOf("a", watched.now, [unclear("a")]), partOf("b", watched.now, [unclear("b")])],
      [partOf("c", watched.now, "failed")],
    ];
    for (const event of observedInPieces("liquidations", pieces)) watched.tell(event);
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(1);
  });

  it("counts what is well so far, if a fact is not known that may matter later", () => {
    const watched = world({ ...isOpen, judge: () => ({ truth: "ok" }) });
    watched.polls("liquidations", { a: [unclear("a")] });
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(1);
  });

  it("is whole if the condition asks whether the fact is known", () => {
    const watched = world({ ...isOpen, needs: [] });
    watched.polls("liquidations", { a: [unclear("a")] });
    expect(watched.entity("poller", "liquidations")?.facts["undecided_ratio"]).toBe(0);
  });

  it("is that of the rules as they are now", () => {
    const watched = world();
    watched.polls("liquidations", { a: [unclear("a")] });
    watched.policy = { ...watched.policy, rules: new Map(), rulesByKind: new Map() };
    watched.tell({ type: "policy_changed", rulesBefore: new Map([["OrderStuck", ""]]), moved: [] });
    watched.at("20s").polls("liquidations", { a: [unclear("a")] });
    expect(watched.entity("poller", "liquidations")?.facts["undecided"]).toBe("");
  });
});

/** Tests src/core/observe/observe.ts: an entity that another surface of its poller may list. */
import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { factIs, planning, rule } from "../fixtures.ts";
import { observedInPieces, partOf } from "../readings.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const waits = rule({ alert: "OrderWaits", kind: "order", when: factIs("open", true) });

function waiting(id: string): SeenEntity {
  return { kind: "order", id, facts: { order_id: id, status: "NEW", open: true, missing: false } };
}

/** Two orders of the listing by status fire, of which one is watched by its id from then on. */
function watchesOne(): World {
  const world = scriptedWorld({ rules: [waits], alsoPolled: ["orders"] });
  const { policy } = world;
  world.policy = planning(policy, ["spot"]);
  world.polls("orders", { spot: [waiting("spot/1"), waiting("spot/2"), waiting("spot/3")] });
  world.policy = planning(policy, ["spot", "spot/1"]);
  return world.passes("15s");
}

const LISTED = [waiting("spot/2"), waiting("spot/3")];

describe("an order of a listing that is watched by its id from now on", () => {
  it("is unknown, not gone, while its own request fails, and its alert stands", () => {
    const world = watchesOne().polls("orders", { spot: LISTED, "spot/1": "failed" });
    expect(world.alerts()).toContain("OrderWaits spot/1 firing (unknown)");
    world.passes("15s").polls("orders", { spot: LISTED, "spot/1": [waiting("spot/1")] });
    expect(world.alerts()).toContain("OrderWaits spot/1 firing");
    expect(world.alert("OrderWaits", "order", "spot/1")?.firedAt).toBe(START);
  });

  it("is unknown, not gone, until its own request is answered in a long poll", () => {
    const world = watchesOne();
    const pieces = [
      [partOf("spot", world.now, LISTED)],
      [partOf("spot/1", world.now, [waiting("spot/1")])],
    ];
    for (const event of observedInPieces("orders", pieces)) world.tell(event);
    expect(world.alert("OrderWaits", "order", "spot/1")?.firedAt).toBe(START);
  });

  it("is gone if its own request was answered without it", () => {
    const world = watchesOne().polls("orders", { spot: LISTED, "spot/1": [] });
    expect(world.alerts()).toContain("OrderWaits spot/1 resolved");
  });
});

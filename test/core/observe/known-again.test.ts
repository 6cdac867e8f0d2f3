/** Tests src/core/observe/entity-life.ts and src/domain/entity.ts: what stays of an entity that was unknown. */
import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Entity } from "../../../src/domain/entity.ts";
import { AGGREGATOR, exchange, pair } from "../fixtures.ts";
import { scriptedWorld } from "../world.ts";

setFlagsFromString("--allow-natives-syntax");
const isSmall = runInThisContext("(value) => %HasFastProperties(value)") as (
  value: unknown,
) => boolean;

const listed = [exchange("BINANCE", "enabled")];

describe("an entity that is known again", () => {
  it("takes no more memory than before it was unknown", () => {
    const world = scriptedWorld({ rules: [] }).sees("exchanges", listed);
    world.at("10s").fails("exchanges");
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBeDefined();
    world.at("20s").sees("exchanges", listed);
    const entity = world.entity("exchange", "BINANCE");
    expect(entity).not.toHaveProperty("unknownSince");
    expect(isSmall(entity)).toBe(true);
  });

  it("takes no more memory after a restart, and shares what the answer says of it", () => {
    const kraken = { ...pair("KRAKEN", "A-B"), parent: { kind: "exchange", id: "KRAKEN" } };
    const world = scriptedWorld({ rules: [] }).sees("exchanges", [kraken]);
    const before = structuredClone(world.entity("pair", "KRAKEN/A-B"));
    world.restarts("10s").passes("10s").sees("exchanges", [kraken]);
    const entity = world.entity("pair", "KRAKEN/A-B");
    expect(isSmall(entity)).toBe(true);
    expect(entity?.parent).toBe(kraken.parent);
    expect(entity).toStrictEqual(before);
  });

  it("keeps the parent that it had if the answer names another", () => {
    const said = (id: string) => ({ ...pair("KRAKEN", "A-B"), parent: { kind: "exchange", id } });
    const world = scriptedWorld({ rules: [] }).sees("exchanges", [said("KRAKEN")]);
    world
      .at("10s")
      .fails("exchanges")
      .at("20s")
      .sees("exchanges", [said("BINANCE")]);
    const { aggregator, parent } = world.entity("pair", "KRAKEN/A-B") as Entity;
    expect([aggregator, parent?.id]).toEqual([AGGREGATOR, "KRAKEN"]);
  });
});

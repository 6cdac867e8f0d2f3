import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restore } from "../../../src/core/start.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { AGGREGATOR, exchange, pair } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const EXCHANGES = `${AGGREGATOR}/exchanges/all`;
const BINANCE = exchange("BINANCE", "enabled");
const KRAKEN = exchange("KRAKEN", "enabled");

function polling(): World {
  return scriptedWorld({ rules: [] }).sees("exchanges", [BINANCE, KRAKEN]);
}

/** The rows that each event changes from now on, as `event table key`. */
function writes(world: World): string[] {
  const written: string[] = [];
  world.onStep = ({ type }, { changes }) => {
    for (const { table, key } of changes) written.push(`${type} ${table} ${key}`);
  };
  return written;
}

function aboutExchanges(written: readonly string[]): string[] {
  return written.filter((one) => one.includes("exchange"));
}

describe("a start", () => {
  it("writes one row a surface, whatever is listed there", () => {
    const world = polling();
    const written = writes(world);
    world.restarts("1m");
    expect(aboutExchanges(written)).toStrictEqual([
      `started unread ${EXCHANGES}`,
      `started entity ${AGGREGATOR}/poller/exchanges`,
    ]);
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBe(START);
  });

  it("writes the rows of entities that are read from no surface", () => {
    const world = polling();
    world.restarts("1m");
    expect([...world.state.tables.unread.keys()]).toStrictEqual([EXCHANGES]);
  });

  it("leaves an entity that was unknown before unknown since then", () => {
    const world = polling().at("10s").fails("exchanges").restarts("1m");
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 10 * SECOND);
    expect(world.state.tables.unread.size).toBe(0);
  });

  it("after another before which nothing was read leaves all unknown since the first", () => {
    const world = polling().restarts("1m");
    const written = writes(world);
    world.passes("1m").restarts("1m");
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBe(START);
    expect(written.filter((one) => one.includes("unread"))).toStrictEqual([]);
  });
});

describe("the first reading after a start", () => {
  it("makes known what it shows, for the next process too", () => {
    const world = polling().restarts("1m").at("2m").sees("exchanges", [BINANCE, KRAKEN]);
    expect(world.entity("exchange", "BINANCE")).not.toHaveProperty("unknownSince");
    expect(world.state.tables.unread.size).toBe(0);
    world.restarts("1m");
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 2 * MINUTE);
  });

  it("leaves what it does not show unknown since before the start, if it was cut", () => {
    const world = polling().restarts("1m").at("2m");
    world.sees("exchanges", [BINANCE], { complete: false });
    expect(world.entity("exchange", "KRAKEN")?.unknownSince).toBe(START);
    world.restarts("1m");
    expect(world.entity("exchange", "KRAKEN")?.unknownSince).toBe(START);
    expect(world.entity("exchange", "BINANCE")?.unknownSince).toBe(START + 2 * MINUTE);
  });

  it("leaves all unknown since before the start, if it failed", () => {
    const world = polling().restarts("1m").at("2m").fails("exchanges").restarts("1m");
    expect(world.entity("exchange", "KRAKEN")?.unknownSince).toBe(START);
  });
});

describe("the row of an unread surface", () => {
  it("is gone with the last entity, if that has moved to another surface", () => {
    const world = scriptedWorld({ rules: [] }).sees("exchanges", [BINANCE]).restarts("1m");
    world.sees("exchanges", [BINANCE], { surface: "other" });
    expect([...world.state.tables.unread.keys()]).toStrictEqual([]);
    world.restarts("1m");
    expect(world.entity("exchange", "BINANCE")?.surface).toBe(`${AGGREGATOR}/exchanges/other`);
  });

  it("is gone at the next start, if the limits left out all that is listed there", () => {
    const world = polling().restarts("1m");
    const all = world.journal.reopen.bind(world.journal);
    world.journal.reopen = () => all().filter(({ table }) => table !== "entity");
    world.restarts("1m");
    expect(world.state.tables.unread.size).toBe(0);
  });

  it("is gone with the last entity, if its poller is not configured any more", () => {
    const world = polling();
    world.policy = { ...world.policy, aggregators: [] };
    world.restarts("1m");
    expect(world.state.tables.unread.size).toBe(0);
  });
});

const seen: readonly SeenEntity[] = [BINANCE, KRAKEN, pair("KRAKEN", "A-B"), pair("KRAKEN", "C-D")];
const listing = fc.subarray([...seen]);
const surface = fc.constantFrom("one", "two");
const moment = fc.oneof(
  fc.record({ type: fc.constant("sees" as const), listing, surface, complete: fc.boolean() }),
  fc.record({ type: fc.constant("fails" as const), surface }),
  fc.record({ type: fc.constant("restarts" as const) }),
  fc.record({ type: fc.constant("passes" as const) }),
);

describe("what a process knows", () => {
  it("is what the next one reads in the journal", () => {
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 25 }), (moments) => {
        const world = scriptedWorld({ rules: [] });
        for (const one of moments) {
          if (one.type === "sees") world.sees("exchanges", one.listing, one);
          else if (one.type === "fails") world.fails("exchanges", one);
          else if (one.type === "restarts") world.restarts("10s");
          else world.passes("10s");
          const next = restore(world.journal.reopen());
          expect(next.tables.entity).toStrictEqual(world.state.tables.entity);
        }
      }),
    );
  });
});

/** Tests src/backtest/backtest.ts. */
import { expect, it } from "vitest";
import { runBacktest } from "../../src/backtest/backtest.ts";
import { isDifferent } from "../../src/backtest/difference.ts";
import { HOME, sendersUnit } from "../../src/domain/lease.ts";
import { DEFAULT_LIMITS } from "../../src/domain/limits.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import type { RecordSource } from "../../src/io/journal/record-source.ts";
import { ACTING, exchange, rule } from "../core/fixtures.ts";
import { START, type World } from "../core/world.ts";
import { recorded } from "./eventful.ts";

/** What was recorded of a world, as the record of some units. */
function recordOf(happens: (world: World) => void, units = [HOME]): RecordSource {
  const { world, pages } = recorded([]);
  happens(world);
  const read = pages();
  return {
    units,
    firstAt: START,
    lastAt: world.now,
    *pages() {
      yield* read;
    },
  };
}

it("counts a gap in the records of several units once", () => {
  const gapsOf = (units: string[]) => {
    const source = recordOf((world) => world.passes("1m").restarts("7m").passes("1m"), units);
    return runBacktest(source, { rules: [rule()], acting: ACTING, limits: DEFAULT_LIMITS }).gaps;
  };
  const one = gapsOf([HOME]);
  expect(one).toHaveLength(1);
  expect(gapsOf([HOME, sendersUnit(1), sendersUnit(2)])).toEqual(one);
});

it("finds no difference in what differed only before the time that is asked for", () => {
  const source = recordOf((world) => {
    for (let poll = 0; poll < 36; poll += 1)
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  });
  const sets = {
    rules: [rule()],
    against: [rule({ forMs: 30 * SECOND })],
    acting: ACTING,
    limits: DEFAULT_LIMITS,
  };
  const { against: all } = runBacktest(source, sets);
  expect(all?.difference.moved).toHaveLength(1);
  const { outcome, against } = runBacktest(source, { ...sets, since: START + 5 * MINUTE });
  expect(outcome.alerts).toHaveLength(1);
  expect(against && isDifferent(against.difference)).toBe(false);
});

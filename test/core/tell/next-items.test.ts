/** Tests src/core/tell/next-items.ts: what is not sent any more of what waits for a receiver that is down. */
import { describe, expect, it } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import { exchange, factIs, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";
import { channel } from "./channels.ts";

const other = exchange("OKX", "disabled");
const disabled = exchange("BINANCE", "disabled");
const ALERT = "alert ExchangeDisabled|bsc/exchange/BINANCE";
const OTHER = "alert ExchangeDisabled|bsc/exchange/OKX";

/** The alert of one exchange has been sent without an answer, so that of another waits. */
function waits(rules = [rule()]): World {
  const down = scriptedWorld({ rules, channels: [channel("hook")] });
  down.receives = () => "failed";
  return down.sees("exchanges", [other]).passes("90s").sees("exchanges", [other, disabled]);
}

function answersAgain(down: World): World {
  down.receives = () => "delivered";
  return down.passes("2m");
}

const silence = (id: string) =>
  ({ name: "silence", scope: { id }, until: START + 10 * MINUTE }) as const;

describe("an alert that waits for a receiver that is down", () => {
  it("is not sent if it was silenced meanwhile, and is when the silence ends", () => {
    const down = answersAgain(waits().commands(silence("BINANCE")));
    expect(down.told()).toEqual([`hook ${OTHER} firing`]);
    expect(down.found("muted")).toMatchObject([{ subject: ALERT, reason: "silenced" }]);
    down.passes("10m");
    expect(down.told()).toEqual([`hook ${OTHER} firing`, `hook ${ALERT} firing`]);
  });

  it("is not sent at all if it ends while it is silenced", () => {
    const down = answersAgain(waits().commands(silence("BINANCE")));
    down.sees("exchanges", [other, exchange("BINANCE", "enabled")]).passes("20m");
    expect(down.told()).toEqual([`hook ${OTHER} firing`]);
  });

  it("is not sent if another alert inhibits it meanwhile, and is when that has ended", () => {
    const rules = [
      rule({ inhibitedBy: ["Everything"] }),
      rule({ alert: "Everything", when: factIs("status", "missing") }),
    ];
    const gone = {
      ...exchange("KRAKEN", "disabled"),
      facts: { name: "KRAKEN", status: "missing" },
    };
    const down = answersAgain(waits(rules).sees("exchanges", [other, disabled, gone]));
    const inhibiting = "hook alert Everything|bsc/exchange/KRAKEN";
    expect(down.told()).toEqual([`hook ${OTHER} firing`, `${inhibiting} firing`]);
    down.sees("exchanges", [other, disabled, exchange("KRAKEN", "enabled")]).passes("2s");
    expect(down.told().slice(2)).toEqual([`${inhibiting} resolved`, `hook ${ALERT} firing`]);
  });

  it("is sent despite a silence if it may have arrived before, as its end will be", () => {
    const down = answersAgain(waits().commands(silence("OKX")));
    expect(down.told()).toEqual([`hook ${OTHER} firing`, `hook ${ALERT} firing`]);
  });
});

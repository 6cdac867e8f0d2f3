import { expect, it } from "vitest";
import { shortened } from "../../../src/console/text/words.ts";

it("shortens a text to what fits, also if letters of it are shown by their codes", () => {
  const hostile = "ExchangeDisabled|bsc/exchange/BIN\u0410NCE";
  const short = shortened(hostile, 20);
  expect(short).toMatch(/^Exchange.*…/);
  expect(short.length).toBeLessThanOrEqual(20);
  expect(shortened("BIN\u0410NCE", 20)).toBe("BIN\\u{410}NCE");
  expect(shortened("BINANCE", 20)).toBe("BINANCE");
});

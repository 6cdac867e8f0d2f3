import { expect, it } from "vitest";
import { counted, grouped, nameOf, shortened } from "../../../src/console/text/words.ts";

it("shortens a text to what fits, also if letters of it are shown by their codes", () => {
  const hostile = "ExchangeDisabled|bsc/exchange/BIN\u0410NCE";
  const short = shortened(hostile, 20);
  expect(short).toMatch(/^Exchange.*…/);
  expect(short.length).toBeLessThanOrEqual(20);
  expect(shortened("BIN\u0410NCE", 20)).toBe("BIN\\u{410}NCE");
  expect(shortened("BINANCE", 20)).toBe("BINANCE");
  expect(shortened("BINANCE", 7)).toBe("BINANCE");
});

it("counts in the plural all but one, with digits in groups", () => {
  expect([0, 1, 2].map((count) => counted(count, "alert"))).toEqual([
    "0 alerts",
    "1 alert",
    "2 alerts",
  ]);
  expect(counted(2, "entity", "entities")).toBe("2 entities");
  expect([999, 1_000, 1_234_567].map(grouped)).toEqual([
    "999",
    "1\u202F000",
    "1\u202F234\u202F567",
  ]);
});

it("calls an entity by its name, then by its alias, then by its id", () => {
  expect(nameOf("id", { name: "name", alias: "alias" })).toBe("name");
  expect(nameOf("id", { alias: "alias" })).toBe("alias");
  expect(nameOf("id", {})).toBe("id");
  expect(nameOf("id", undefined)).toBe("id");
});

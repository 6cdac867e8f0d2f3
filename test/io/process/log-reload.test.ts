import { expect, it } from "vitest";
import { someSettings } from "../../../src/io/process/log-reload.ts";

it("settings that differ are told without the query of a URL, both sides, and not all of very many", () => {
  const url = "https://alerts.example/api?token=secret";
  const list = "0xab, ".repeat(50);
  const told = someSettings([
    { key: "notify.alertmanagers[0].url", before: url, after: "(none)" },
    { key: "watch.pools", before: list, after: `${list}0xcd` },
    ...Array.from({ length: 25 }, (_, index) => ({
      key: `k${index}`,
      before: "0 0 ? * *",
      after: "1",
    })),
  ]);
  expect(told[0]).toBe("notify.alertmanagers[0].url: https://alerts.example/api?… -> (none)");
  expect(told[1]).toMatch(/^watch\.pools: 0xab, .*… -> 0xab, .*…$/);
  expect(told[2]).toBe("k0: 0 0 ? * * -> 1");
  expect([told.length, told.at(-1)]).toEqual([21, "and 7 more"]);
});

import { describe, expect, it } from "vitest";
import { coveredBy, type Scope } from "../../../src/console/operate/covered.ts";

const count = (kind: string, total: number) => ({
  kind,
  total,
  ok: total,
  bad: 0,
  unknown: 0,
  statuses: {},
});

const OVERVIEW = {
  aggregators: [
    { name: "bsc", watched: [], kinds: [count("exchange", 3), count("pair", 20)] },
    { name: "eth", watched: [], kinds: [count("exchange", 4)] },
  ],
};

const covered = (scope: Scope, judged?: string) => coveredBy(OVERVIEW, scope, judged);

describe("how many entities a scope covers", () => {
  it("is counted from the overview", () => {
    expect(covered({})).toBe(27);
    expect(covered({ aggregator: "bsc" })).toBe(23);
    expect(covered({ kind: "exchange" })).toBe(7);
    expect(covered({ rule: "PairDisabled" }, "pair")).toBe(20);
    expect(covered({ aggregator: "bsc", rule: "ExchangeDisabled" }, "exchange")).toBe(3);
  });

  it("is unknown if the overview counts none of its kind, as it leaves out what is about watching", () => {
    expect(covered({ kind: "poller" })).toBeUndefined();
    expect(covered({ rule: "PollerDown" }, "poller")).toBeUndefined();
    expect(covered({ kind: "aggregator", rule: "AggregatorDown" }, "aggregator")).toBeUndefined();
    expect(covered({ aggregator: "eth", kind: "pair" })).toBeUndefined();
  });

  it("is none if its rule is gone, or judges another kind", () => {
    expect(covered({ rule: "Gone" })).toBe(0);
    expect(covered({ kind: "pair", rule: "ExchangeDisabled" }, "exchange")).toBe(0);
    expect(covered({ kind: "poller", rule: "PairDisabled" }, "pair")).toBe(0);
  });
});

import { toEnd } from "../../../src/domain/slices.ts";
import { describe, expect, it } from "vitest";
import type { Facts } from "../../../src/domain/entity.ts";
import { counter, entityGauge, gauge } from "../../../src/io/metrics/builders.ts";
import { metrics, SERIES_DROPPED } from "../../../src/io/metrics/definitions/index.ts";
import {
  AGGREGATOR,
  EXCHANGE,
  isRawId,
  oneOf,
  ORDER_STATUS,
  SENDER,
} from "../../../src/io/metrics/labels.ts";
import type { MetricsSource, ScrapedMetric } from "../../../src/io/metrics/definition.ts";
import { createScrapeReader } from "../../../src/io/metrics/scrape-reader.ts";
import { ADDRESS, busy, HASH, PLAIN, UUID, type Naming } from "./busy.ts";
import { parseExposition, type Family } from "./exposition.ts";

async function familiesOf(naming?: Naming): Promise<ReadonlyMap<string, Family>> {
  return parseExposition(await busy(naming).text());
}

describe("the labels of every metric", () => {
  it("are those that it declares, and no others", async () => {
    const families = await familiesOf();
    for (const { name, labels } of [...metrics, SERIES_DROPPED]) {
      const samples = families.get(name)?.samples ?? [];
      expect(samples, `${name} has no series in the busy world`).not.toEqual([]);
      for (const sample of samples) {
        const own = Object.keys(sample.labels).filter((label) => label !== "le");
        expect(own, name).toEqual(labels.map((label) => label.name));
      }
    }
  });

  it.each([ADDRESS, ADDRESS.toUpperCase().replace("X", "x"), HASH, HASH.slice(2), UUID])(
    "never hold %s, whatever the aggregator calls so",
    async (raw) => {
      const names = Object.keys(PLAIN).map((key) => [key, raw]);
      const families = await familiesOf({ ...PLAIN, ...Object.fromEntries(names) });
      for (const { name, samples } of families.values()) {
        const values = samples.flatMap(({ labels }) => Object.values(labels));
        expect(values.filter(isRawId), name).toEqual([]);
      }
      const dropped = families.get("aggwatch_series_dropped")?.samples ?? [];
      const left = dropped.find(({ labels }) => labels["metric"] === "aggwatch_market_price");
      expect(left?.value, "what is left out is counted").toBe(1);
      const senders = families.get("aggwatch_swaps_active")?.samples;
      expect(senders).toMatchObject([{ labels: { sender: "unnamed" }, value: 2 }]);
    },
  );

  it.each([
    ["0x12345678", true],
    ["0x1234567", false],
    [`to 0x${"a".repeat(16)}-USDT`, true],
    [`to 0x${"a".repeat(15)}-USDT`, false],
    [`-${"A".repeat(32)}-`, true],
    [`-${"a".repeat(31)}-`, false],
    [`z${"a".repeat(32)}`, false],
    [`of ${UUID}`, true],
  ])("may hold %s, unless it has a raw id: %s", (value, isRaw) => {
    expect(isRawId(value)).toBe(isRaw);
  });

  it("call a sender by its alias, and all without one the same", () => {
    const own = { aggregator: "bsc", id: "x" };
    const named = (kind: string, facts?: Facts) =>
      SENDER.of({ ...own, kind, ...(facts === undefined ? {} : { facts }) });
    expect(named("sender", { alias: "desk", sender_alias: "other" })).toBe("desk");
    expect(named("swap", { alias: "other", sender_alias: "desk" })).toBe("desk");
    expect(named("swap", { sender_alias: ADDRESS })).toBe("unnamed");
    expect(named("swap", { sender_alias: 5 })).toBe("unnamed");
    expect(named("swap")).toBe("unnamed");
  });

  it("give the status of an order only if the settings know the word", () => {
    const status = (facts: Facts) =>
      ORDER_STATUS.of({ aggregator: "bsc", kind: "order", id: "x", facts });
    expect(status({ status: "NEW", final: false })).toBe("NEW");
    expect(status({ status: "WEIRD" })).toBe("unknown");
    expect(status({ final: true })).toBe("unknown");
  });

  it("may hold what only resembles an id", () => {
    for (const name of ["BINANCE", "ORN-USDT", "0xdesk", "deadbeef", "1.0.0-rc.1", "v24.11.0", ""])
      expect(isRawId(name), name).toBe(false);
    expect(isRawId(`pool ${ADDRESS}-USDT`)).toBe(true);
  });
});

describe("a metric with other labels than it declares", () => {
  const head = { name: "aggwatch_a", help: "A.", labels: [AGGREGATOR] } as const;

  it("does not compile", () => {
    // @ts-expect-error: a label has no value
    gauge({ ...head, read: () => [[{}, 1]] });
    const outcome = oneOf("outcome", ["sent", "failed"]);
    // @ts-expect-error: the value is not in the list
    gauge({ ...head, labels: [outcome], read: () => [[{ outcome: "lost" }, 1]] });
    // @ts-expect-error: the name of an exchange comes from the label, never from a text
    gauge({ ...head, labels: [EXCHANGE], read: () => [[{ exchange: ADDRESS }, 1]] });
    // @ts-expect-error: the label cannot be read from an entity
    entityGauge({ ...head, labels: [outcome], kinds: ["exchange"], value: () => 1 });
    // @ts-expect-error: no such event
    counter({ ...head, from: "rain", labelsOf: () => ({ aggregator: "bsc" }) });
  });

  it.each([
    ["an undeclared one", { aggregator: "bsc", address: ADDRESS }, '"address" is not declared'],
    ["none", {}, '"aggregator" has no value'],
  ])("is not read: %s", (_, labels, problem) => {
    const metric: ScrapedMetric = {
      ...gauge({ ...head, read: () => [] }),
      read: () => [[labels, 1]],
    };
    const reader = createScrapeReader();
    expect(() => toEnd(reader.read(metric, {} as MetricsSource))).toThrow(problem);
  });
});

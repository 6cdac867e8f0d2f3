import fc from "fast-check";
import { expect, it } from "vitest";
import type { Policy } from "../../../src/domain/step.ts";
import {
  createCountedMetrics,
  type CountedMetrics,
} from "../../../src/io/metrics/counted-metrics.ts";
import type { MetricEvent } from "../../../src/io/metrics/definition.ts";
import { FORMATS, type Format } from "../../../src/io/metrics/text-format.ts";
import { textOf } from "./scrape.ts";
import { policyOf, repair, rule } from "../../core/fixtures.ts";

/** What moves counters: events, and other aggregators in a policy. */
type Moving = { readonly event: MetricEvent } | { readonly aggregators: readonly string[] };

const polled = fc.record({
  type: fc.constant("polled" as const),
  aggregator: fc.constantFrom("bsc", "eth"),
  poller: fc.constantFrom("exchanges", "pools"),
  origin: fc.constantFrom("poll", "probe"),
  outcome: fc.constantFrom("complete", "failed"),
  durationMs: fc.nat({ max: 40_000 }),
  detail: fc.constant(""),
});
const commit = fc.record({
  type: fc.constant("commit" as const),
  tookMs: fc.nat({ max: 100 }),
  isOk: fc.boolean(),
});
const moving: fc.Arbitrary<Moving> = fc.oneof(
  fc.record({ event: fc.oneof(polled, commit) }),
  fc.record({ aggregators: fc.subarray(["bsc", "eth"]) }),
);

function policyFor(aggregators: readonly string[]): Policy {
  const policy = policyOf([rule({ act: repair() })]);
  const [own] = policy.aggregators;
  return {
    ...policy,
    aggregators: aggregators.flatMap((name) => (own === undefined ? [] : [{ ...own, name }])),
  };
}

function move(counted: CountedMetrics, what: Moving): void {
  if ("event" in what) counted.count([what.event]);
  else counted.expect(policyFor(what.aggregators));
}

const written = async (counted: CountedMetrics, format: Format): Promise<string> =>
  (await Array.fromAsync(counted.texts(format))).map(textOf).join("");

it("is written as if for the first time, whatever was written before", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moving, { minLength: 1, maxLength: 12 }), async (movings) => {
      const kept = createCountedMetrics();
      for (const [index, what] of movings.entries()) {
        move(kept, what);
        const again = createCountedMetrics();
        for (const before of movings.slice(0, index + 1)) move(again, before);
        for (const format of FORMATS)
          expect(await written(kept, format)).toBe(await written(again, format));
      }
    }),
    { numRuns: 30, seed: 42 },
  );
});

it("is kept, if it is long, until an event moves it", async () => {
  const counted = createCountedMetrics();
  const poll = (aggregator: string): MetricEvent => ({
    type: "polled",
    aggregator,
    poller: "pools",
    origin: "poll",
    outcome: "complete",
    durationMs: 5,
    detail: "",
  });
  counted.count(Array.from({ length: 200 }, (_, index) => poll(`aggregator-${index}`)));
  const long = async (): Promise<unknown[]> => {
    const pieces = await Array.fromAsync(counted.texts("prometheus"));
    return pieces.filter((piece) => typeof piece !== "string");
  };
  const before = await long();
  const again = await long();
  expect(before.length).toBeGreaterThan(0);
  expect(again.every((piece, index) => piece === before[index])).toBe(true);
  counted.count([poll("aggregator-0")]);
  const after = await long();
  expect(after.some((piece, index) => piece !== before[index])).toBe(true);
});

it("is the same text until an event moves it", async () => {
  const counted = createCountedMetrics();
  counted.count([{ type: "bug" }]);
  const before = await written(counted, "prometheus");
  expect(before).toContain("aggwatch_bugs_total 1\n");
  expect(await written(counted, "prometheus")).toBe(before);
  counted.count([{ type: "bug" }]);
  expect(await written(counted, "prometheus")).toContain("aggwatch_bugs_total 2\n");
});

it("counts nothing of an aggregator that a reload has removed, whatever was still under way", async () => {
  const counted = createCountedMetrics();
  counted.expect(policyFor(["bsc", "eth"]));
  const poll: MetricEvent = {
    type: "polled",
    aggregator: "eth",
    poller: "pools",
    origin: "poll",
    outcome: "complete",
    durationMs: 5,
    detail: "",
  };
  counted.expect(policyFor(["bsc"]));
  counted.count([poll]);
  expect(await written(counted, "prometheus")).not.toContain("eth");
  counted.expect(policyFor(["bsc", "eth"]));
  counted.count([poll]);
  expect(await written(counted, "prometheus")).toMatch(/polls_total\{aggregator="eth".*\} 1\n/);
});

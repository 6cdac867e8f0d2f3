/** Tests src/io/metrics/metrics.ts: how a page is made. */
import { expect, it } from "vitest";
import type { MetricsSource } from "../../../src/io/metrics/definition.ts";
import { createMetrics } from "../../../src/io/metrics/metrics.ts";
import { policyOf } from "../../core/fixtures.ts";
import { sourceOf, textOf } from "./scrape.ts";

it("is read from one source, which is asked for once", async () => {
  let asked = 0;
  const policy = policyOf([]);
  const source = (): MetricsSource => ({ ...sourceOf(policy), version: String((asked += 1)) });
  const metrics = createMetrics({ policy, source, onError: () => undefined });
  const text = textOf(await metrics.render());
  expect(text).toContain('aggwatch_build_info{version="1",node_version=""} 1\n');
  expect(asked).toBe(1);
});

it("has what events moved, though its source cannot be read", async () => {
  const errors: string[] = [];
  const source = (): MetricsSource => {
    throw new Error("no source");
  };
  const onError = (metric: string): void => void errors.push(metric);
  const metrics = createMetrics({ policy: policyOf([]), source, onError });
  expect(textOf(await metrics.render())).toContain("aggwatch_bugs_total 0\n");
  expect(errors).toContain("aggwatch_build_info");
});

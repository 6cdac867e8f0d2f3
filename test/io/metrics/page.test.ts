import { expect, it } from "vitest";
import { emptyState } from "../../../src/core/state.ts";
import type { MetricsSource } from "../../../src/io/metrics/definition.ts";
import { createMetrics } from "../../../src/io/metrics/metrics.ts";
import { policyOf } from "../../core/fixtures.ts";
import { textOf } from "./scrape.ts";

it("is read from one source, which is asked for once", async () => {
  let asked = 0;
  const policy = policyOf([]);
  const source = (): MetricsSource => ({
    version: String((asked += 1)),
    nodeVersion: "",
    policy,
    state: emptyState(),
    journalWritable: true,
    reload: { successful: true, successAt: 0, hash: 1 },
    watched: () => [],
    slots: () => [],
    clients: () => [],
  });
  const metrics = createMetrics({ policy, source, onError: () => undefined });
  const text = textOf(await metrics.render());
  expect(text).toContain('aggwatch_build_info{version="1",node_version=""} 1\n');
  expect(asked).toBe(1);
});

import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { clientFamilies } from "../../../src/io/metrics/client-families.ts";
import { processMetrics } from "../../../src/io/metrics/process-metrics.ts";

const read = async (): Promise<string> =>
  (await Array.fromAsync(clientFamilies(processMetrics(), "prometheus"))).join("");

it("tell the lag of the event loop since the scrape before", async () => {
  await read();
  await setImmediate();
  const [, lag] = /^nodejs_eventloop_lag_seconds (\S+)$/m.exec(await read()) ?? [];
  expect(Number(lag)).toBeGreaterThan(0);
});

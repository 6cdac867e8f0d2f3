import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type TestContext } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";

/** What is pinged. */
async function startSwitch(
  context: TestContext,
): Promise<{ url: string; next: () => Promise<void>; count: () => number }> {
  let count = 0;
  const waiting: Array<() => void> = [];
  const server = createServer((_, response) => {
    count += 1;
    response.end();
    for (const resolve of waiting.splice(0)) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/ping/secret-of-the-switch`,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    count: () => count,
  };
}

test("the heartbeat is sent while polls read, withheld while they fail, and goes on", async (context) => {
  const aggregator = await startAggregator(context);
  const pinged = await startSwitch(context);
  const config = [
    "notify: { heartbeat: { url_env: HC_URL, every: 1s } }",
    "aggregators:",
    "  - name: sim",
    `    base_url: ${aggregator.url}`,
    "    stale_after: 2s",
    "    schedules:",
    '      exchanges: "* * * * * *"',
    ...["pools", "swaps", "swap_history", "liquidations", "orders"].map(
      (name) => `      ${name}: off`,
    ),
    "",
  ].join("\n");
  const home = makeHome(context, config, "groups: []\n");
  const first = pinged.next();
  const daemon = await startDaemon(context, home, { HC_URL: pinged.url });
  await first;
  await pinged.next();

  aggregator.control({
    do: "set_fault",
    endpoint: "all",
    fault: { kind: "status", status: 500 },
  });
  const withheld = await daemon.line((line) => line["msg"] === "heartbeat withheld");
  expect(withheld["reasons"]).toEqual(["poll_overdue"]);
  expect(await daemon.metric('aggwatch_heartbeat_withheld{reason="poll_overdue"}')).toBe(1);
  const health = await fetch(`${daemon.url}/healthz`);
  expect(health.status, "a restart would not mend the aggregator").toBe(200);
  expect(await health.text()).toContain("sim/exchanges has read nothing for");
  const count = pinged.count();
  await aggregator.next("GET", "/exchange/list");
  await aggregator.next("GET", "/exchange/list");
  expect(pinged.count()).toBe(count);

  const again = pinged.next();
  aggregator.control({ do: "clear_faults" });
  await again;
  await daemon.line((line) => line["msg"] === "heartbeat goes on");
  expect(JSON.stringify(daemon.lines)).not.toContain("secret-of-the-switch");
  expect(await daemon.end("SIGTERM")).toBe(0);
});

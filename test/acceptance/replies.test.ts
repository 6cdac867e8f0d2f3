import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

test("what the aggregator really sent can be looked at while the daemon runs, and after it", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const settings = "record: { replies: { keep: failures } }\n";
  const home = makeHome(context, config + settings, QUICK_RULES);
  const daemon = await startDaemon(context, home, ACT_KEY);
  const replies = async (...args: string[]) =>
    await runCli(["replies", "--data", home.data, ...args]);

  aggregator.control({ do: "set_fault", endpoint: "exchanges", fault: { kind: "html" } });
  await daemon.line((line) => line["msg"] === "alert" && line["change"] === "firing");
  aggregator.control({ do: "clear_faults" });
  await daemon.line((line) => line["msg"] === "alert" && line["change"] === "resolved");
  const listed = await replies();
  expect(listed.out).toMatch(/^1 .* sim +exchanges .* 200 .* malformed: /m);
  expect((await replies("1")).out).toMatch(/^<!doctype html>/i);

  expect(await daemon.end("SIGTERM")).toBe(0);
  expect((await replies()).out).toBe(listed.out);
});

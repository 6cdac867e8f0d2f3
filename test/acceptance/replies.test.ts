import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon, type LogLine } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

test("kept replies can be read while the daemon runs, and after it", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const settings = "record: { replies: { keep: failures } }\n";
  const home = makeHome(context, config + settings, QUICK_RULES);
  const daemon = await startDaemon(context, home, ACT_KEY);
  // On a busy machine a poll of another endpoint may time out, and alert too.
  const ofExchanges = (change: string) => (line: LogLine) =>
    line["alertname"] === "PollFailing" &&
    String(line["entity"]).includes("exchanges") &&
    line["change"] === change;
  const replies = async (...args: string[]) =>
    (await runCli(context, ["replies", "--data", home.data, ...args])).out;

  aggregator.control({ do: "set_fault", endpoint: "exchanges", fault: { kind: "html" } });
  await daemon.line(ofExchanges("firing"));
  aggregator.control({ do: "clear_faults" });
  await daemon.line(ofExchanges("resolved"));
  // Replies are written within a second, and a poll comes each second.
  await aggregator.next("GET", "/exchange/list");
  await aggregator.next("GET", "/exchange/list");
  const listed = await replies("--endpoint", "exchanges");
  const [, id = ""] = /^(\d+) .* sim +exchanges .* 200 .* malformed: /m.exec(listed) ?? [];
  expect(id, listed).not.toBe("");
  expect(await replies(id)).toMatch(/^<!doctype html>/i);

  expect(await daemon.end("SIGTERM")).toBe(0);
  expect((await replies("--endpoint", "exchanges")).split("\n")).toEqual(
    expect.arrayContaining(listed.split("\n")),
  );
});

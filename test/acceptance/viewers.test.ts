import { expect, test } from "vitest";
import type { AlertsJson, EntitiesJson, PollersJson } from "../../src/io/api/answers.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { look } from "./look.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";

test("a viewer of a real daemon sees what changes, goes on after a break, and finds it in the lists", async (context) => {
  const aggregator = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "shadow" }), QUICK_RULES);
  const daemon = await startDaemon(context, home, ACT_KEY);
  const { events, leave } = await look(context, daemon.url);
  await events.first(({ event }) => event === "reset");
  await events.first(({ event, data }) => event === "polls" && data.includes("exchanges"));
  const beforeAlert = events.all.findLast(({ id }) => id !== "");
  leave();
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await daemon.line(alertLine("ExchangeDisabled", "firing"));
  const again = await look(context, daemon.url, beforeAlert?.id);
  const fired = await again.events.first(
    ({ event, data }) => event === "alerts" && data.includes("firing"),
  );
  expect(fired.data).toContain("ExchangeDisabled");
  expect(again.events.all.map(({ event }) => event)).not.toContain("reset");
  const bad = "/api/v1/entities?kind=exchange&condition=bad";
  const { entities } = (await (await fetch(daemon.url + bad)).json()) as EntitiesJson;
  expect(entities.map(({ id, status }) => [id, status])).toEqual([["BINANCE", "disabled"]]);
  const list = await fetch(`${daemon.url}/api/v1/alerts?state=firing`);
  const { counts } = (await list.json()) as AlertsJson;
  expect(counts).toMatchObject([{ alertname: "ExchangeDisabled", firing: 1 }]);
  const polls = await fetch(`${daemon.url}/api/v1/pollers`);
  const { pollers } = (await polls.json()) as PollersJson;
  const own = pollers.find(({ entity }) => entity.id === "exchanges");
  expect(own?.recent.length).toBeGreaterThan(1);
  expect(new Set(own?.recent.map(({ outcome }) => outcome))).toEqual(new Set(["complete"]));
});

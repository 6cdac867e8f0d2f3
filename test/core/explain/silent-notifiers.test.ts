/** Tests src/core/explain: silent notifiers. */
import { expect, it } from "vitest";
import { silentSince } from "../../../src/core/explain/status-notify.ts";
import { channel } from "../tell/channels.ts";
import { exchange, rule } from "../fixtures.ts";
import { scriptedWorld, START } from "../world.ts";

it("notifiers are silent since the last of them leaves something waiting", () => {
  const world = scriptedWorld({ rules: [rule()], channels: [channel("hook"), channel("other")] });
  const silent = () => silentSince(world.state, ["hook", "other"]);
  const answering = new Set(["hook", "other"]);
  world.receives = ({ channel: name }) => (answering.has(name) ? "delivered" : "failed");
  world.sees("exchanges", [exchange("BINANCE", "disabled")]).passes("1m");
  expect(silent()).toBeUndefined();
  answering.delete("hook");
  world.passes("2m").passes("1m");
  expect(silent()).toBeUndefined();
  answering.clear();
  world.sees("exchanges", [exchange("BINANCE", "enabled"), exchange("OKX", "disabled")]);
  world.passes("10m");
  expect(silent()).toBeGreaterThan(START + 4 * 60_000 - 1);
  expect(silentSince(world.state, [])).toBeUndefined();
  answering.add("other");
  world.passes("5m");
  expect(silent()).toBeUndefined();
});

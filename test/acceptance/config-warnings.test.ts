import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type LogLine } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

/** No resolver knows a name that ends so (RFC 6761), so nothing leaves this machine. */
const channel = (name: string) =>
  `notify: { alertmanagers: [{ url: "http://${name}.invalid", auth: { type: bearer, value_env: ACT_KEY } }] }\n`;

const isWarning = (line: LogLine) => String(line["msg"]).includes("in the clear");

test("a daemon warns at the start and at a reload of secrets that it sends in the clear", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const home = makeHome(context, config + channel("first"), QUICK_RULES);
  const daemon = await startDaemon(context, home, ACT_KEY);
  const line = config.split("\n").length;
  const warning = {
    level: "warn",
    place: `${home.config}:${line}:34`,
    msg: '"notify.alertmanagers[0].url" is an http URL, so secrets are sent to it in the clear',
    hint: expect.stringContaining("give an https URL") as string,
  };
  expect(daemon.lines.filter(isWarning)).toMatchObject([warning]);
  writeFileSync(home.config, config + channel("second"));
  await daemon.line(({ msg }) => msg === "reloaded");
  expect(daemon.lines.filter(isWarning)).toMatchObject([warning, warning]);
  const ignore = "# aggwatch-ignore lint/secret-in-clear: no resolver knows it\n";
  writeFileSync(home.config, config + ignore + channel("third"));
  await daemon.line(() => daemon.lines.filter(({ msg }) => msg === "reloaded").length === 2);
  expect(daemon.lines.filter(isWarning)).toMatchObject([warning, warning]);
});

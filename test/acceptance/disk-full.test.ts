import { expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon, type LogLine } from "./daemon.ts";
import { hasPrlimit, limitFiles, WITHOUT_PRLIMIT } from "./limit-files.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const TOGGLE = "/api/v1/exchange/toggle/BINANCE";

const text = async (daemon: Daemon, path: string): Promise<string> => {
  const response = await fetch(`${daemon.url}${path}`);
  return `${response.status} ${await response.text()}`;
};

const suppressed = (reason: string) => (line: LogLine) =>
  line["msg"] === "suppressed" && line["reason"] === reason;

test.skipIf(!hasPrlimit)(
  `a full disk stops acting, not alerting, says why, and is recovered from without a restart${WITHOUT_PRLIMIT}`,
  async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    expect(await text(daemon, "/healthz")).toBe("200 ok\n");

    limitFiles(daemon, "0");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    await daemon.line(suppressed("killed"));
    expect(await daemon.metric("aggwatch_journal_writable")).toBe(0);
    expect(await daemon.metric('aggwatch_killed{source="journal"}')).toBe(1);
    const why = /the journal cannot be written, and no action is sent: .*(full|I\/O)/;
    expect(await text(daemon, "/readyz")).toMatch(/^503 /);
    expect(await text(daemon, "/readyz")).toMatch(why);
    expect(await text(daemon, "/healthz")).toMatch(/^200 ok\n/);
    expect(await text(daemon, "/healthz")).toMatch(why);
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    expect(aggregator.count("POST", TOGGLE)).toBe(0);

    const repaired = aggregator.next("POST", TOGGLE);
    limitFiles(daemon, "unlimited");
    await repaired;
    await daemon.line(remediationLine("verified"));
    expect(await daemon.metric("aggwatch_journal_writable")).toBe(1);
    expect(await text(daemon, "/readyz")).toBe("200 ok\n");
    expect(aggregator.count("POST", TOGGLE)).toBe(1);

    // What was decided meanwhile is in the journal: the next process knows the alert and its repair.
    await daemon.end("SIGKILL");
    const next = await startDaemon(context, home, ACT_KEY);
    const { remediations } = await next.status();
    expect(remediations).toMatchObject([{ state: "verified" }]);
  },
);

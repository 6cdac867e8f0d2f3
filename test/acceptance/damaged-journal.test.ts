import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test, type TestContext } from "vitest";
import { JOURNAL_FILE } from "../../src/io/journal/journal.ts";
import { DAMAGES, fillJournal, overwrite } from "../io/journal/damages.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import {
  makeHome,
  runArguments,
  runCli,
  startCli,
  startDaemon,
  type Daemon,
  type Home,
} from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const TOGGLE = "/api/v1/exchange/toggle/BINANCE";
const withHook = (name: string): Readonly<Record<string, string>> => {
  const hook = pathToFileURL(join(import.meta.dirname, name)).href;
  return { ...ACT_KEY, NODE_OPTIONS: `--import ${hook}` };
};
const ENDLESS_CHECK = withHook("endless-check-hook.mjs");
const REFUSED_PRIORITY = withHook("refused-priority-hook.mjs");

type House = { readonly aggregator: Aggregator; readonly home: Home; readonly file: string };

/** A home whose journal has findings on some hundred pages, and an aggregator with a disabled exchange. */
async function prepare(context: TestContext): Promise<House> {
  const aggregator = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
  fillJournal(home.data, Date.now() - 60_000);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  return { aggregator, home, file: join(home.data, JOURNAL_FILE) };
}

const text = async (daemon: Daemon, path: string): Promise<string> => {
  const response = await fetch(`${daemon.url}${path}`);
  return `${response.status} ${await response.text()}`;
};

const says = (message: string) => (line: Readonly<Record<string, unknown>>) =>
  line["msg"] === message;

describe("a journal that is damaged where no start reads it", () => {
  test.for(DAMAGES.slice(0, 3))(
    "is found out before the first action: %s",
    async ([, damage], context) => {
      const { aggregator, home, file } = await prepare(context);
      damage(file);
      const daemon = await startDaemon(context, home, ACT_KEY);
      // By the check, or by a commit that comes upon the page before it.
      await daemon.line(({ msg, source }) => msg === "kill switch" && source === "journal");
      await daemon.line(alertLine("ExchangeDisabled", "firing"));
      await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "killed");
      const ready = await text(daemon, "/readyz");
      expect(ready).toMatch(
        /^503 the journal cannot be written, and no action is sent: .* is damaged \(/,
      );
      expect(ready).toContain(`aggwatch journal repair --data ${home.data}`);
      expect(await text(daemon, "/healthz")).toMatch(/^200 ok\n.*is damaged/);
      expect(await daemon.metric("aggwatch_journal_writable")).toBe(0);
      expect(await daemon.metric('aggwatch_killed{source="journal"}')).toBe(1);
      await aggregator.next("GET", "/exchange/disabled");
      await aggregator.next("GET", "/exchange/disabled");
      expect(aggregator.count("POST", TOGGLE)).toBe(0);
      expect(await daemon.end("SIGTERM")).toBe(0);
      const checked = await runCli(context, ["journal", "check", "--data", home.data]);
      expect(checked).toMatchObject({ code: 1 });
    },
  );

  test("acts if nothing is damaged, once that is known", async (context) => {
    const { aggregator, home } = await prepare(context);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line(remediationLine("verified"));
    const at = (fits: (line: Readonly<Record<string, unknown>>) => boolean): number =>
      daemon.lines.findIndex(fits);
    const sound = at(says("the journal is sound"));
    expect(sound).toBeGreaterThan(
      at(says("the journal is being checked; no action is sent until it is known to be sound")),
    );
    expect(at(remediationLine("requested"))).toBeGreaterThan(sound);
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
    expect(await text(daemon, "/readyz")).toBe("200 ok\n");
  });
});

describe("a check of the journal that does not end", () => {
  test("keeps actions back and nothing else, and SIGTERM ends it", async (context) => {
    const { aggregator, home, file } = await prepare(context);
    const daemon = await startDaemon(context, home, ENDLESS_CHECK);
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    const held = await daemon.line(
      ({ msg, reason }) => msg === "suppressed" && reason === "starting",
    );
    expect(held["detail"]).toBe("the journal is not checked for damage since the start");
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    expect(aggregator.count("POST", TOGGLE)).toBe(0);
    expect(await text(daemon, "/readyz")).toBe("200 ok\n");
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("lets no second process in, and one that comes after a SIGKILL knows what was committed", async (context) => {
    const { aggregator, home } = await prepare(context);
    const daemon = await startDaemon(context, home, ENDLESS_CHECK);
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    const second = await runCli(context, runArguments(home), ACT_KEY);
    expect(second).toMatchObject({
      code: 1,
      err: expect.stringMatching(/in use by another aggwatch/),
    });
    const [alert] = (await daemon.status()).alerts;
    await daemon.end("SIGKILL");
    const next = await startDaemon(context, home, ACT_KEY);
    await next.line(remediationLine("verified"));
    expect((await next.status()).alerts).toMatchObject([{ fired_at: alert?.fired_at }]);
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });
});

describe("a write-ahead log that is damaged", () => {
  test("before its last commits refuses the start, and a repair stops acting", async (context) => {
    const { aggregator, home, file } = await prepare(context);
    aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
    const daemon = await startDaemon(context, home, ACT_KEY);
    for (let polls = 0; polls < 3; polls += 1) await aggregator.next("GET", "/exchange/disabled");
    await daemon.end("SIGKILL");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    overwrite(`${file}-wal`, 32 + 24 + 100, Buffer.alloc(8, 0xa5));
    const refused = await startCli(context, runArguments(home), ACT_KEY).ended;
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/frame 1 of journal\.sqlite-wal is damaged, and commits follow/);
    expect(refused.err).toContain(`aggwatch journal repair --data ${home.data}`);
    expect(aggregator.count("POST", TOGGLE)).toBe(0);
    expect(await runCli(context, ["journal", "check", "--data", home.data])).toMatchObject({
      code: 1,
    });
    const repaired = await runCli(context, ["journal", "repair", "--data", home.data]);
    expect(repaired.out + repaired.err).toMatch(/frame 1 of journal\.sqlite-wal/);
  });

  test("in its last transaction is what a crash leaves: it starts", async (context) => {
    const { aggregator, home, file } = await prepare(context);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    await daemon.end("SIGKILL");
    const log = readFileSync(`${file}-wal`);
    writeFileSync(`${file}-wal`, log.subarray(0, log.length - 100));
    const next = await startDaemon(context, home, ACT_KEY);
    await next.line(remediationLine("verified"));
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
  });
});

test("A journal is checked, and repairs are made, if threads may not change their priority", async (context) => {
  const { aggregator, home } = await prepare(context);
  const daemon = await startDaemon(context, home, REFUSED_PRIORITY);
  await daemon.line(remediationLine("verified"));
  expect(aggregator.count("POST", TOGGLE)).toBe(1);
  expect(daemon.lines.some(says("the journal is sound"))).toBe(true);
});

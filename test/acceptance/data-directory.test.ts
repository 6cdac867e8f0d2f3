import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import {
  makeHome,
  runArguments,
  runCli,
  startDaemon,
  type Daemon,
  type Home,
  type LogLine,
} from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const TOGGLE = "/api/v1/exchange/toggle/BINANCE";
const OPEN_TO_OTHERS = /^the data directory (?:was|stays) open to other users$/;

const isAboutAccess = (line: LogLine): boolean => OPEN_TO_OTHERS.test(String(line["msg"]));
const journalOf = (home: Home, suffix = ""): string => join(home.data, `journal.sqlite${suffix}`);

/** The permissions of a data directory and of all that is in it. */
function modesIn(directory: string): Record<string, string> {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(["", ...names].map((name) => [name, modeOf(join(directory, name))]));
}

const text = async (daemon: Daemon, path: string): Promise<string> => {
  const response = await fetch(`${daemon.url}${path}`);
  return `${response.status} ${await response.text()}`;
};

const KEEPS_REPLIES = "record: { replies: { keep: changes } }\n";

describe.concurrent("the data directory of a real daemon", () => {
  test("is its owner's alone, with every file in it", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" }) + KEEPS_REPLIES;
    const home = makeHome(context, config, QUICK_RULES);
    rmSync(home.data, { recursive: true });
    const daemon = await startDaemon(context, home, ACT_KEY);
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    const modes = modesIn(home.data);
    expect(modes).toMatchObject({
      "": "700",
      "journal.sqlite": "600",
      "journal.sqlite-wal": "600",
      "replies.sqlite": "600",
      "replies.sqlite-wal": "600",
    });
    expect(Object.entries(modes).filter(([name, mode]) => name !== "" && mode !== "600")).toEqual(
      [],
    );
    expect(daemon.lines.filter(isAboutAccess)).toEqual([]);
  });

  test("that others have access to is closed to them, and that is logged once", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(
      context,
      quickConfig({ url: aggregator.url, mode: "shadow" }),
      QUICK_RULES,
    );
    await (await startDaemon(context, home, ACT_KEY)).end("SIGKILL");
    const backups = join(home.data, "backups");
    mkdirSync(backups);
    writeFileSync(join(backups, "journal-1.sqlite"), "");
    for (const name of Object.keys(modesIn(home.data)))
      chmodSync(join(home.data, name), ["", "backups"].includes(name) ? 0o755 : 0o644);

    const second = await startDaemon(context, home, ACT_KEY);
    expect(modesIn(home.data)).toEqual({
      "": "700",
      backups: "700",
      "backups/journal-1.sqlite": "600",
      "journal.sqlite": "600",
      "journal.sqlite-wal": "600",
    });
    expect(second.lines.filter(isAboutAccess)).toMatchObject([
      {
        msg: "the data directory was open to other users",
        mended: expect.arrayContaining([
          { path: home.data, mode: "0755" },
          { path: journalOf(home), mode: "0644" },
        ]),
      },
    ]);
    await second.end("SIGTERM");
    const third = await startDaemon(context, home, ACT_KEY);
    expect(third.lines.filter(isAboutAccess)).toEqual([]);
  });

  test("that is a link to itself ends the start, with the reason in one line", async (context) => {
    const config = quickConfig({ url: "http://127.0.0.1:1", mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    rmSync(home.data, { recursive: true });
    symlinkSync(home.data, home.data);
    const { code, err } = await runCli(context, runArguments(home), ACT_KEY);
    expect(code).toBe(1);
    expect(err).toMatch(/^aggwatch cannot start: .*\bdata\b.*\n$/);
  });
});

/** What can happen to a journal under a daemon, and what that is called. */
const WITHOUT_ITS_LOG =
  /put the file back that was there\. If you cannot, save what it held by `aggwatch journal backup` before a restart, which loses it, and move journal\.sqlite-wal away before you start it again/
    .source;
const FATES: ReadonlyArray<readonly [what: string, happen: (home: Home) => void, why: RegExp]> = [
  [
    "deleted",
    (home) => rmSync(journalOf(home)),
    new RegExp(`journal\\.sqlite is gone while it is in use .*; ${WITHOUT_ITS_LOG}`),
  ],
  [
    "deleted with its log and its directory",
    (home) => rmSync(home.data, { recursive: true }),
    /journal\.sqlite is gone while it is in use .*; put the file back that was there\. If you cannot, save what it held by `aggwatch journal backup` before a restart, which loses it/,
  ],
  [
    "replaced by a copy",
    (home) => {
      copyFileSync(journalOf(home), journalOf(home, ".copy"));
      renameSync(journalOf(home, ".copy"), journalOf(home));
    },
    new RegExp(
      `another file took the place of .*journal\\.sqlite while it was in use; ${WITHOUT_ITS_LOG}`,
    ),
  ],
  [
    "left without its log",
    (home) => rmSync(journalOf(home, "-wal")),
    /journal\.sqlite-wal is gone while it is in use .*; put the file back that was there\. If you cannot, save what it held by `aggwatch journal backup` before a restart, which loses it/,
  ],
];

describe.concurrent("a journal that a daemon has open", () => {
  test.for(FATES)(
    "and that is %s: no action, alerts go on, /readyz says why",
    async (fate, context) => {
      const [, happen, why] = fate;
      const aggregator = await startAggregator(context);
      const home = makeHome(
        context,
        quickConfig({ url: aggregator.url, mode: "act" }),
        QUICK_RULES,
      );
      const daemon = await startDaemon(context, home, ACT_KEY);
      await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
      happen(home);
      // Found by the next tick, though nothing is to be written.
      await daemon.line(({ msg, source }) => msg === "kill switch" && source === "journal");
      const ready = await text(daemon, "/readyz");
      expect(ready).toMatch(/^503 the journal cannot be written, and no action is sent: /);
      expect(ready).toMatch(why);
      expect(await text(daemon, "/healthz")).toMatch(why);
      expect(await daemon.metric("aggwatch_journal_writable")).toBe(0);

      aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
      await daemon.line(alertLine("ExchangeDisabled", "firing"));
      await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "killed");
      await aggregator.next("GET", "/exchange/disabled");
      await aggregator.next("GET", "/exchange/disabled");
      expect(aggregator.count("POST", TOGGLE)).toBe(0);
    },
  );

  test("and that is put back: it acts again, and nothing is lost", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    // A check that does not find the file begins again a minute later.
    await daemon.line((line) => line["msg"] === "the journal is sound");
    renameSync(journalOf(home), journalOf(home, ".away"));
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "killed");
    renameSync(journalOf(home, ".away"), journalOf(home));
    await daemon.line(remediationLine("verified"));
    expect(await text(daemon, "/readyz")).toBe("200 ok\n");
    await daemon.end("SIGKILL");
    const next = await startDaemon(context, home, ACT_KEY);
    expect((await next.status()).remediations).toMatchObject([{ state: "verified" }]);
  });

  test("and that another daemon begins again: only the other one acts, and the end of the first harms it not", async (context) => {
    const aggregator = await startAggregator(context);
    const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), QUICK_RULES);
    const first = await startDaemon(context, home, ACT_KEY);
    await first.line((line) => line["entity"] === "sim/exchange/BINANCE");
    rmSync(home.data, { recursive: true });
    await first.line(({ msg, source }) => msg === "kill switch" && source === "journal");
    const second = await startDaemon(context, home, ACT_KEY);
    await second.line((line) => line["entity"] === "sim/exchange/BINANCE");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await second.line(remediationLine("verified"));
    // On a busy machine, the first may not have seen it in time. The cooldown leaves it disabled from now on.
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await first.line((line) => line["msg"] === "suppressed" && line["reason"] === "killed");
    await first.end("SIGTERM");
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
    await aggregator.next("GET", "/exchange/disabled");
    await aggregator.next("GET", "/exchange/disabled");
    expect(await text(second, "/readyz")).toBe("200 ok\n");
  });
});

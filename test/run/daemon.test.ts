import { expect, it, onTestFinished } from "vitest";
import type { Result } from "../../src/domain/result.ts";
import type { Event } from "../../src/domain/step.ts";
import type { Page } from "../../src/io/journal/record-pages.ts";
import { createLog } from "../../src/io/process/log.ts";
import { createDaemon, type DaemonDependencies } from "../../src/run/daemon.ts";
import { MOST_WAITING } from "../../src/record/pages.ts";
import { exchange } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { textOf } from "../io/metrics/scrape.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { START } from "./loop-world.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "./watchdog-setup.ts";

const LISTING = observed("exchanges", [partOf("all", START, [exchange("BINANCE", "enabled")])]);

const killed = (reason: string): Event => ({
  type: "command",
  by: "ann",
  reason,
  command: { name: "kill", source: "operator" },
});

/** One that polls nothing by itself, with a journal in memory that keeps the pages of the record. */
function daemonTest(change: Partial<DaemonDependencies> = {}) {
  const directory = temporaryDirectory();
  onTestFinished(directory.remove);
  const logged: string[] = [];
  const log = createLog({ level: "warn", format: "json" }, { isTerminal: false }, (line) => {
    logged.push((JSON.parse(line) as { msg: string }).msg);
  });
  const pollers = EVERY_POLLER.filter(({ name }) => name === "exchanges");
  const aggregator = aggregatorSetup("http://aggregator.invalid", { pollers });
  const test = {
    now: START,
    problem: undefined as string | undefined,
    pages: [] as Page[],
    logged,
  };
  const commit = ({ pages = [] }: { readonly pages?: readonly Page[] }): Result<void, string> => {
    if (test.problem !== undefined) return { ok: false, problem: test.problem };
    test.pages.push(...pages);
    return { ok: true, value: undefined };
  };
  const daemon = createDaemon(watchdogSetup(directory.path, [aggregator], { log }), undefined, {
    clock: { now: () => test.now },
    random: () => 0.5,
    createSender: () => ({ send: () => new Promise(() => undefined), close: () => undefined }),
    fileExists: () => false,
    journal: { rows: () => [], commit },
    ...change,
  });
  onTestFinished(async () => await daemon.close());
  const push = (event: Event): void => {
    test.now += 1_000;
    daemon.loop.push(event);
  };
  const sample = async (name: string): Promise<string | undefined> =>
    textOf(await daemon.metrics.render())
      .split("\n")
      .find((line) => line.startsWith(`${name} `));
  return Object.assign(test, { daemon, push, sample });
}

it("the count of bugs goes on where that of the owner's life before ended", async () => {
  const replica = () => ({
    isOwner: true,
    isDatabaseUp: true,
    lease: undefined,
    takeOvers: 2,
    bugs: 2,
  });
  expect(await daemonTest({ replica }).sample("aggwatch_bugs_total")).toBe("aggwatch_bugs_total 2");
});

it("a gap in the record is counted and logged once, and the record begins again after it", async () => {
  const test = daemonTest();
  const gaps = async (): Promise<string | undefined> =>
    await test.sample("aggwatch_record_gaps_total");
  test.push({ type: "started" });
  test.problem = "no space";
  expect(await gaps()).toBe("aggwatch_record_gaps_total 0");
  test.push(killed("x".repeat(MOST_WAITING)));
  for (const reason of ["one", "two"]) test.push(killed(reason));
  test.problem = undefined;
  const before = test.pages.length;
  for (const reason of ["three", "four"]) test.push(killed(reason));
  expect(await gaps()).toBe("aggwatch_record_gaps_total 1");
  expect(test.logged.filter((line) => line.startsWith("the record has a gap"))).toHaveLength(1);
  const bodies = test.pages.slice(before).map(({ body }) => body.slice(0, 40));
  expect(bodies).toEqual([expect.stringContaining('"why":"gap"'), expect.any(String)]);
});

it("what was read just now is written for a view of the past, and a journal that fails is not waited for", async () => {
  const test = daemonTest();
  test.push({ type: "started" });
  for (let reads = 0; reads < 2; reads += 1) test.push(LISTING);
  const before = test.pages.length;
  await test.daemon.writeRecord();
  expect(test.pages.slice(before)).toHaveLength(1);
  test.push(LISTING);
  test.problem = "no space";
  test.push(killed("a drill"));
  await test.daemon.writeRecord();
  expect(test.pages).toHaveLength(before + 1);
});

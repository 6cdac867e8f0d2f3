import { toEnd } from "../../src/domain/slices.ts";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestContext } from "vitest";
import { SECOND } from "../../src/domain/time.ts";
import { copyJournal } from "../../src/io/journal/tools.ts";
import { MIGRATIONS } from "../../src/io/journal/schema.ts";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { startAggregator } from "../acceptance/aggregator.ts";
import { makeHome, startDaemon } from "../acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "../acceptance/quick.ts";
import { replayed } from "./replayed.ts";

/**
 * Makes `test/replays/schema-N/`: the journal that a real daemon of today's schema N recorded of a
 * simulated aggregator to which much happened, its rules, and what its replay comes to. Those of
 * earlier schemas are not made again: later versions must replay all of them to the same findings.
 *
 *     node test/replays/make-replay.ts
 */
const ends: Array<() => unknown> = [];
const context: Pick<TestContext, "onTestFinished"> = {
  onTestFinished: (end) => void ends.push(end as () => unknown),
};
const aggregator = await startAggregator(context);
const watch = "    watch: { files: [orders.yaml] }";
const config = quickConfig({ url: aggregator.url, mode: "act", watch });
const home = makeHome(context, config, QUICK_RULES);
const watches = (...orders: readonly string[]): void => {
  const list = [{ targets: orders, labels: { kind: "liquidation" } }];
  writeFileSync(join(dirname(home.config), "orders.yaml"), JSON.stringify(list));
};
watches(...DEFAULT_LIQUIDATIONS);
const daemon = await startDaemon(context, home, ACT_KEY);
await delay(4 * SECOND);
aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
await delay(6 * SECOND);
// One of them leaves the watch list: it ends, and so does its alert.
watches(DEFAULT_LIQUIDATIONS[0]);
aggregator.control({ do: "drain_pool", factory: "OrionV2", pair: "ORN-USDT", ratio: 0.8 });
await delay(2 * SECOND);
aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
await delay(4 * SECOND);
aggregator.control({ do: "set_fault", endpoint: "all", fault: { kind: "down" } });
await delay(5 * SECOND);
aggregator.control({ do: "clear_faults" });
await delay(3 * SECOND);
await daemon.end("SIGKILL");
await delay(3 * SECOND);
const second = await startDaemon(context, home, ACT_KEY);
await delay(6 * SECOND);
await second.end("SIGTERM");

const target = join(import.meta.dirname, `schema-${MIGRATIONS.length}`);
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const copied = toEnd(copyJournal(home.data, join(target, "journal.sqlite")));
if (!copied.ok) throw new Error(copied.problem);
writeFileSync(join(target, "rules.yaml"), QUICK_RULES.trimStart());
const lines = replayed(target).told.map(({ at, text }) => `${at} ${text}`);
writeFileSync(join(target, "expected.txt"), `${lines.join("\n")}\n`);
for (const end of ends.toReversed()) await end();

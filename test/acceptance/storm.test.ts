import { expect, test } from "vitest";
import { parseScenario } from "../../src/simulator/control/scenario.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon, type LogLine } from "./daemon.ts";
import { ACT_KEY, quickConfig } from "./quick.ts";
import type { Finishing } from "./events.ts";

/** The default limit lets five of ten be repaired. */
const NAMES = Array.from({ length: 10 }, (_, index) => `EX${index}`);
const MOST = 5;

const RULES = `
groups:
  - name: quick
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        act: { action: enable_exchange, cooldown: 1s, verify_within: 5s, budget: { max: 100, per: 1h } }
`;

async function ten(context: Finishing) {
  const world = `{ exchanges: [${NAMES.map((name) => `{ name: ${name} }`).join(", ")}], background: false }`;
  const scenario = parseScenario(`{ name: ten exchanges, world: ${world} }`, "ten.yaml");
  if (!scenario.ok) throw new Error(scenario.problem.join("\n"));
  const aggregator = await startAggregator(context, { scenario: scenario.value });
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "act" }), RULES);
  const start = async (): Promise<Daemon> => await startDaemon(context, home, ACT_KEY);
  return { aggregator, start };
}

const isEntity = (name: string) => (line: LogLine) => line["entity"] === `sim/exchange/${name}`;

function enabledBy({ simulator }: Aggregator): string[] {
  return simulator
    .requestLog()
    .filter(({ method }) => method === "POST")
    .map(({ path }) => path.split("/").at(-1) ?? "");
}

const isStorm = (name: string) => (line: LogLine) =>
  line["msg"] === "suppressed" && line["reason"] === "storm" && isEntity(name)(line);

/** Of the two lists that are read, the one may be from before it was enabled, and the other not: it is missing then. */
const isEnabled = (name: string) => (line: LogLine) =>
  line["msg"] === "status changed" &&
  /^(?:disabled|missing) -> enabled$/.test(String(line["detail"])) &&
  isEntity(name)(line);

test("Of ten exchanges that are disabled one right after the other no more are enabled than a storm allows", async (context) => {
  const { aggregator, start } = await ten(context);
  const daemon = await start();
  await daemon.line(isEntity("EX9"));
  for (const exchange of NAMES) {
    const read = aggregator.next("GET", "/exchange/disabled");
    aggregator.control({ do: "disable_exchange", exchange });
    await read;
  }
  await daemon.line(isStorm("EX9"));
  // Two more whole polls, so that whatever it would send has had its time.
  await aggregator.next("GET", "/exchange/disabled");
  await aggregator.next("GET", "/exchange/disabled");
  expect(enabledBy(aggregator).length).toBeLessThanOrEqual(MOST);
  expect(new Set(enabledBy(aggregator)).size).toBe(enabledBy(aggregator).length);
});

test("In a rolling maintenance the first few are enabled, and then none, over a SIGKILL too", async (context) => {
  const { aggregator, start } = await ten(context);
  let daemon = await start();
  await daemon.line(isEntity("EX9"));
  for (const [index, exchange] of NAMES.entries()) {
    const repaired = aggregator.next("POST", `/exchange/toggle/${exchange}`);
    aggregator.control({ do: "disable_exchange", exchange });
    if (index < MOST) await repaired;
    else {
      repaired.catch(() => {});
      await daemon.line(isStorm(exchange));
      aggregator.control({ do: "enable_exchange", exchange });
    }
    await daemon.line(isEnabled(exchange));
    if (index !== MOST) continue;
    await daemon.end("SIGKILL");
    daemon = await start();
  }
  expect(enabledBy(aggregator)).toEqual(NAMES.slice(0, MOST));
  const [storm] = (await daemon.status()).storms;
  expect(storm?.detail).toMatch(/^\d+ of 10 are bad or became bad within 10m/);
});

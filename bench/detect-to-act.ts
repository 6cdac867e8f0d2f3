import { setTimeout as pause } from "node:timers/promises";
import {
  findPrograms,
  startAlerting,
  type Alerting,
  type Programs,
} from "./detect-to-act/alerting.ts";
import { startDisabling, type Disabling, type Repair } from "./detect-to-act/disabling.ts";
import { distributionOf } from "./detect-to-act/distribution.ts";
import { startWatchdog } from "./detect-to-act/watchdog.ts";
import { milliseconds, type Row } from "./table.ts";

/** The poll interval of both, and what Prometheus is set to. The phase is drawn from it. */
const INTERVAL_MS = 1_000;

/** They take turns, so that each has long been repaired when its turn comes again. */
const EXCHANGES = ["BINANCE", "KUCOIN", "OKX"] as const;

/**
 * From the disabling of an exchange to the arrival of the request that enables it again: aggwatch in
 * mode `act`, beside Prometheus, a rule, Alertmanager and a webhook receiver that sends the request.
 * Prometheus scrapes an aggwatch in shadow mode that polls at the same instants. In each trial the
 * exchange is disabled at the same random instant for both, each at a simulator of its own.
 *
 * Without the two programs in PATH nothing is measured: it says so, and gives no rows.
 */
export async function benchDetectToAct(trials: number): Promise<Row[]> {
  const programs = findPrograms();
  if (programs === undefined) return [];
  const ends: (() => Promise<void>)[] = [];
  try {
    const ways = await startWays(programs, ends);
    const repairs: Pair[] = [];
    // The first trial warms both up, and does not count.
    for (let trial = 0; trial <= trials; trial += 1) {
      const pair = await runTrial(ways, EXCHANGES[trial % EXCHANGES.length] ?? EXCHANGES[0]);
      if (trial > 0) repairs.push(pair);
    }
    return rowsOf(repairs);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

type Pair = { readonly ours: Repair; readonly baseline: Repair };

type Ways = {
  readonly ours: Disabling;
  readonly baseline: Disabling;
  readonly alerting: Alerting;
};

/** Adds to `ends` what has to be ended, also where something cannot be started. */
async function startWays(programs: Programs, ends: (() => Promise<void>)[]): Promise<Ways> {
  const ending = <Started>(started: Started, end: (started: Started) => Promise<void>): Started => {
    ends.push(() => end(started));
    return started;
  };
  const ours = ending(await startDisabling(), ({ close }) => close());
  const baseline = ending(await startDisabling(), ({ close }) => close());
  ending(await startWatchdog(ours.url, "act"), ({ stop }) => stop());
  const scraped = ending(await startWatchdog(baseline.url, "shadow"), ({ stop }) => stop());
  const alerting = ending(await startAlerting(programs, scraped.url, baseline.url), ({ stop }) =>
    stop(),
  );
  return { ours, baseline, alerting };
}

async function runTrial({ ours, baseline, alerting }: Ways, exchange: string): Promise<Pair> {
  await alerting.shift();
  await pause(Math.random() * INTERVAL_MS);
  const [our, their] = await Promise.all([ours.repairOf(exchange), baseline.repairOf(exchange)]);
  // The poll that sees the repair, and the scrape of it, end both alerts.
  await pause(3 * INTERVAL_MS);
  return { ours: our, baseline: their };
}

function rowsOf(pairs: readonly Pair[]): Row[] {
  const measured = (
    name: string,
    of: (repair: Repair) => number,
    which: readonly (keyof ReturnType<typeof distributionOf>)[],
    note: string,
  ): Row[] => {
    const ours = distributionOf(pairs.map((pair) => of(pair.ours)));
    const baseline = distributionOf(pairs.map((pair) => of(pair.baseline)));
    return which.map((figure) => ({
      name: `detect-to-act: ${name}, ${figure}`,
      size: pairs.length,
      ours: milliseconds(ours[figure]),
      baseline: milliseconds(baseline[figure]),
      ratio: ours[figure] / baseline[figure],
      note,
    }));
  };
  const all = ["min", "median", "p95", "max"] as const;
  return [
    ...measured("whole", ({ repairedMs }) => repairedMs, all, "disabled to request arrived"),
    ...measured("to the poll", ({ seenMs }) => seenMs, all, "of it: polls every second"),
    ...measured(
      "from the poll",
      ({ seenMs, repairedMs }) => repairedMs - seenMs,
      all,
      "of it: the rest",
    ),
  ];
}

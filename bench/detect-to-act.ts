import { setTimeout as pause } from "node:timers/promises";
import {
  findPrograms,
  startAlerting,
  type Alerting,
  type Pace,
  type Programs,
} from "./detect-to-act/alerting.ts";
import { startDisabling, type Disabling, type Repair } from "./detect-to-act/disabling.ts";
import { startExporter } from "./detect-to-act/exporter.ts";
import { distributionOf } from "./detect-to-act/distribution.ts";
import { startWatchdog } from "./detect-to-act/watchdog.ts";
import { milliseconds, type Row } from "./table.ts";

/** The poll interval of both, and what Prometheus is set to. The phase is drawn from it. */
const INTERVAL_MS = 1_000;

/** Another way to have it done: what Prometheus scrapes, and at which pace. */
export type Peer = {
  readonly name: string;
  readonly scrapes:
    | "an aggwatch that polls every second"
    | "an exporter that reads when it is scraped";
  readonly pace: Pace;
  /** How long its alert may stay after the repair. */
  readonly endsWithinMs: number;
};

/** The comparison as it can be set with whole seconds, and the fastest that there is. */
export const FAST_PEERS: readonly Peer[] = [
  {
    name: "each second",
    scrapes: "an aggwatch that polls every second",
    pace: { scrape: "1s", evaluation: "1s", groupWait: "0s" },
    endsWithinMs: 3 * INTERVAL_MS,
  },
  {
    name: "fastest",
    scrapes: "an exporter that reads when it is scraped",
    pace: { scrape: "1s", evaluation: "20ms", groupWait: "0s" },
    endsWithinMs: 3 * INTERVAL_MS,
  },
];

/** As people run it; a trial takes minutes. */
export const USUAL_PEERS: readonly Peer[] = [
  {
    name: "as usual",
    scrapes: "an exporter that reads when it is scraped",
    pace: { scrape: "15s", evaluation: "15s", groupWait: "30s" },
    endsWithinMs: 50 * INTERVAL_MS,
  },
];

/** They take turns, so that each has long been repaired when its turn comes again. */
const EXCHANGES = ["BINANCE", "KUCOIN", "OKX"] as const;

/**
 * From the disabling of an exchange to the arrival of the request that enables it again: aggwatch in
 * mode `act`, beside Prometheus, a rule, Alertmanager and a webhook receiver that sends the request.
 * In each trial the exchange is disabled at the same random instant for all, each at a simulator of its own.
 *
 * Without the two programs in PATH nothing is measured: it says so, and gives no rows.
 */
export async function benchDetectToAct(
  trials: number,
  peers: readonly Peer[] = FAST_PEERS,
): Promise<Row[]> {
  const programs = findPrograms();
  if (programs === undefined) return [];
  const ends: (() => Promise<void>)[] = [];
  try {
    const ways = await startWays(programs, peers, ends);
    const repairs: Trial[] = [];
    // The first trial warms both up, and does not count.
    for (let trial = 0; trial <= trials; trial += 1) {
      const repaired = await runTrial(ways, EXCHANGES[trial % EXCHANGES.length] ?? EXCHANGES[0]);
      if (trial > 0) repairs.push(repaired);
    }
    return peers.flatMap(({ name }, index) =>
      rowsOf(
        name,
        repairs.map(({ ours, theirs }) => ({ ours, baseline: theirs[index] ?? ours })),
      ),
    );
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

type Pair = { readonly ours: Repair; readonly baseline: Repair };

type Trial = { readonly ours: Repair; readonly theirs: readonly Repair[] };

type Ways = {
  readonly ours: Disabling;
  readonly theirs: readonly Way[];
};

type Way = { readonly peer: Peer; readonly disabling: Disabling; readonly alerting: Alerting };

/** Adds to `ends` what has to be ended, also where something cannot be started. */
async function startWays(
  programs: Programs,
  peers: readonly Peer[],
  ends: (() => Promise<void>)[],
): Promise<Ways> {
  const ending = <Started>(started: Started, end: (started: Started) => Promise<void>): Started => {
    ends.push(() => end(started));
    return started;
  };
  const ours = ending(await startDisabling(), ({ close }) => close());
  ending(await startWatchdog(ours.url, "act"), ({ stop }) => stop());
  const theirs: Way[] = [];
  for (const peer of peers) {
    const disabling = ending(await startDisabling(), ({ close }) => close());
    const { url } = disabling;
    const scraped = peer.scrapes.startsWith("an aggwatch")
      ? ending(await startWatchdog(url, "shadow"), ({ stop }) => stop())
      : ending(await startExporter(url), ({ close }) => close());
    const started = await startAlerting(programs, scraped.url, url, peer.pace);
    theirs.push({ peer, disabling, alerting: ending(started, ({ stop }) => stop()) });
  }
  return { ours, theirs };
}

async function runTrial({ ours, theirs }: Ways, exchange: string): Promise<Trial> {
  await Promise.all(theirs.map(({ alerting }) => alerting.shift()));
  await pause(Math.random() * INTERVAL_MS);
  const [our, ...others] = await Promise.all(
    [ours, ...theirs.map(({ disabling }) => disabling)].map((one) => one.repairOf(exchange)),
  );
  if (our === undefined) throw new Error("nothing was repaired");
  // The poll that sees the repair, and the scrape of it, end all alerts.
  await pause(Math.max(...theirs.map(({ peer }) => peer.endsWithinMs)));
  return { ours: our, theirs: others };
}

function rowsOf(peer: string, pairs: readonly Pair[]): Row[] {
  const measured = (
    name: string,
    of: (repair: Repair) => number,
    which: readonly (keyof ReturnType<typeof distributionOf>)[],
    note: string,
  ): Row[] => {
    const ours = distributionOf(pairs.map((pair) => of(pair.ours)));
    const baseline = distributionOf(pairs.map((pair) => of(pair.baseline)));
    return which.map((figure) => ({
      name: `detect-to-act, beside ${peer}: ${name}, ${figure}`,
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

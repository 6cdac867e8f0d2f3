import { benchApi } from "./api.ts";
import { benchEvents } from "./events.ts";
import { benchConsole } from "./console.ts";
import { benchChanged } from "./changed.ts";
import { benchDetectToAct, USUAL_PEERS } from "./detect-to-act.ts";
import { benchHostile } from "./hostile.ts";
import { benchJournal } from "./journal.ts";
import { benchJumps, JUMPS } from "./jumps.ts";
import { benchLoopCommits } from "./loop-commits.ts";
import type { Millis } from "../src/domain/time.ts";
import type { Rounds } from "./measure.ts";
import { benchPoll } from "./poll.ts";
import { benchRedact } from "./redact.ts";
import { benchScale, type Scale } from "./scale.ts";
import { benchScrape } from "./scrape.ts";
import { benchCommits, type CommitSizes } from "./commits.ts";
import { benchShards, type Shards } from "./shards.ts";
import { benchSimulate } from "./simulate.ts";
import { benchStart } from "./start.ts";
import { benchStep } from "./step.ts";
import { benchBacktest, benchRecord } from "./record.ts";
import { benchSweep } from "./sweep.ts";
import { benchUnchanged } from "./unchanged.ts";
import { benchVanish } from "./vanish.ts";
import type { Row } from "./table.ts";

/** How much is measured; the tests of the scenarios give tiny sizes. */
export type Sizes = {
  readonly entities: readonly number[];
  readonly changedRows: readonly number[];
  readonly commits: number;
  readonly senders: number;
  /** Entities of a fleet whose days are recorded, and how many days. */
  readonly fleet: number;
  readonly days: number;
  /** As many as a large deployment watches. */
  readonly swept: number;
  /** How long the loop is watched with each number of viewers. */
  readonly watchedMs: number;
  /** So many alerts are more than fit on a screen. */
  readonly disabledPairs: number;
  /** Names of a listing that vanish at once. */
  readonly vanished: number;
  /** How far the wall clock jumps. */
  readonly jumps: readonly Millis[];
  /** How often an exchange is disabled, and repaired. */
  readonly trials: number;
  /** The same for a peer of which one takes minutes. */
  readonly slowTrials: number;
  /** How often each program is started. */
  readonly starts: number;
  readonly seeds: number;
  /** A large deployment, the same without its history, and one that is read in a minute. */
  readonly scale: Scale;
  readonly activeScale: Scale;
  readonly smallScale: Scale;
  /** Senders over several processes. */
  readonly shards: Shards;
  readonly waiting: CommitSizes;
  readonly rounds: Rounds;
};

const LARGE: Scale = {
  senders: 10_000,
  swapsEach: 10,
  pools: 20_000,
  pairs: 10_000,
  sweeps: 5,
  everySeconds: 20,
  heapMb: 1_024,
  history: true,
};

/** The whole run takes some minutes with these, most of which go to the trials. */
export const FULL: Sizes = {
  entities: [1_000, 10_000, 100_000],
  changedRows: [1, 10, 100],
  commits: 100,
  senders: 2_000,
  fleet: 500,
  days: 30,
  swept: 10_000,
  watchedMs: 30_000,
  disabledPairs: 514,
  vanished: 100_000,
  jumps: JUMPS,
  trials: 30,
  slowTrials: 5,
  starts: 20,
  seeds: 8,
  scale: LARGE,
  activeScale: { ...LARGE, heapMb: 256, history: false },
  smallScale: {
    senders: 1_000,
    swapsEach: 10,
    pools: 2_000,
    pairs: 1_000,
    sweeps: 5,
    everySeconds: 5,
    heapMb: 256,
    history: true,
  },
  shards: { senders: [10_000, 100_000], replicas: 4, shards: 8, lease: "15s" },
  waiting: { waiting: [1, 10, 100], events: 5_000 },
  rounds: { warmUps: 1, rounds: 5 },
};

/** As many as four processes were tried with; `npm run bench -- shards-million`, as it lasts. */
export const MILLION: Shards = { ...FULL.shards, senders: [10_000, 1_000_000], lease: "1m" };

export const scenarios: Readonly<Record<string, (sizes: Sizes) => Promise<Row[]>>> = {
  step: ({ entities, rounds }) => benchStep(entities, rounds),
  scrape: ({ entities, rounds }) => benchScrape(entities, rounds),
  api: ({ swept, rounds }) => benchApi(swept, rounds),
  events: ({ swept, rounds }) => benchEvents(swept, rounds),
  console: ({ swept, disabledPairs, rounds, watchedMs }) =>
    benchConsole({ senders: swept, disabledPairs }, rounds, watchedMs),
  journal: async ({ changedRows, commits, rounds }) => [
    ...(await benchJournal(changedRows, commits, rounds)),
    ...(await benchLoopCommits(changedRows, commits, rounds)),
  ],
  commits: ({ waiting }) => benchCommits(waiting),
  poll: ({ senders, rounds }) => benchPoll(senders, rounds),
  unchanged: ({ entities: [pools = 1], senders, rounds }) => benchUnchanged(pools, senders, rounds),
  changed: ({ entities, rounds }) => benchChanged(entities, rounds),
  redact: ({ entities, rounds }) => benchRedact(entities, rounds),
  hostile: ({ entities, rounds }) => benchHostile(entities, rounds),
  record: ({ fleet, commits, rounds }) => benchRecord(fleet, commits, rounds),
  backtest: ({ fleet, days, rounds }) => benchBacktest(fleet, days, rounds),
  sweep: ({ swept, rounds }) => benchSweep(swept, rounds),
  "detect-to-act": ({ trials }) => benchDetectToAct(trials),
  "detect-to-act-usual": ({ slowTrials }) => benchDetectToAct(slowTrials, USUAL_PEERS),
  jumps: ({ jumps }) => benchJumps(jumps),
  vanish: ({ vanished }) => benchVanish(vanished),
  start: ({ starts, rounds }) => benchStart({ ...rounds, rounds: starts }),
  scale: ({ scale }) => benchScale(scale),
  "scale-active": ({ activeScale }) => benchScale(activeScale, "scale-active"),
  "scale-small": ({ smallScale }) => benchScale(smallScale, "scale-small"),
  shards: ({ shards }) => benchShards(shards),
  simulate: ({ seeds, rounds }) => benchSimulate(seeds, rounds),
};

import { createClient, DEFAULT_CLIENT_SETTINGS } from "../src/io/aggregator/client.ts";
import { compileProfile } from "../src/aggregator/profile.ts";
import { emptyState } from "../src/core/state.ts";
import { step } from "../src/core/step.ts";
import { toEnd } from "../src/domain/slices.ts";
import type { Event } from "../src/domain/step.ts";
import { runPoll } from "../src/io/aggregator/poll-runner.ts";
import { systemClock } from "../src/io/process/clock.ts";
import { poolsPoller } from "../src/pollers/pools.ts";
import { NOTHING_WATCHED } from "../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../src/pollers/status-words.ts";
import { createRecorder } from "../src/record/recorder.ts";
import { median, medianRatio, type Rounds } from "./measure.ts";
import { AGGREGATOR } from "./population.ts";
import { milliseconds, type Row } from "./table.ts";
import { shippedPolicy } from "./watched.ts";

/** Of each listing one in so many pools differs. */
const CHANGED_EACH = 100;

/** A clock of processor time ticks every few milliseconds, so that many short polls are a round. */
const POOLS_A_ROUND = 100_000;
const MOST_TURNS = 100;

/**
 * A poll of a long listing from its body on: reading it, the core with the shipped rules, and the record; beside
 * `JSON.parse` of the same bytes. Nothing is sent.
 */
export async function benchChanged(sizes: readonly number[], rounds: Rounds): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const ways: Readonly<Record<string, (turn: number) => string>> = {
      "same bytes": () => listing(size, 0, CHANGED_EACH),
      "1 % differ": (turn) => listing(size, turn, CHANGED_EACH),
      "all differ": (turn) => listing(size, turn, 1),
    };
    for (const [name, bodyOf] of Object.entries(ways))
      rows.push(await measure(`changed: ${name}`, size, bodyOf, rounds));
  }
  return rows;
}

function listing(size: number, turn: number, each: number): string {
  const pool = (_: unknown, index: number) => {
    const a = 1_000.5 + index + (index % each === 0 ? turn : 0);
    return { factory: "OrionV2", pair: `T${index}-USDT`, a, p: 1_470.2, indicativePrice: 1.4695 };
  };
  return JSON.stringify(Array.from({ length: size }, pool));
}

async function measure(
  name: string,
  size: number,
  bodyOf: (turn: number) => string,
  { warmUps, rounds }: Rounds,
): Promise<Row> {
  let body = "";
  const poll = watchdog(() => body);
  const [ours, baseline]: [number[], number[]] = [[], []];
  try {
    // The first one is all new, and the second is taken apart from it.
    body = bodyOf(0);
    await poll.run();
    const turns = Math.min(MOST_TURNS, Math.ceil(POOLS_A_ROUND / size));
    for (let round = -warmUps; round < rounds; round += 1) {
      let [oursMs, baselineMs] = [0, 0];
      for (let turn = 0; turn < turns; turn += 1) {
        body = bodyOf(round * turns + turn);
        oursMs += await cpuMs(poll.run);
        baselineMs += await cpuMs(() => void JSON.parse(body));
      }
      if (round < 0) continue;
      ours.push(oursMs / turns);
      baseline.push(baselineMs / turns);
    }
  } finally {
    poll.close();
  }
  const figures = { ours: milliseconds(median(ours)), baseline: milliseconds(median(baseline)) };
  const note = "processor time; the baseline is JSON.parse";
  return { name, size, ...figures, ratio: medianRatio(ours, baseline), note };
}

async function cpuMs(work: () => void | Promise<void>): Promise<number> {
  const from = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}

function watchdog(bodyOf: () => string) {
  const profile = compileProfile({});
  if (!profile.ok) throw new Error("the default wire profile does not compile");
  const rate = { requestsPerSecond: 100_000, concurrency: 16 };
  const settings = { ...DEFAULT_CLIENT_SETTINGS, baseUrl: "http://127.0.0.1:1", rate };
  const clock = systemClock();
  const client = createClient({
    settings,
    profile: profile.value,
    clock,
    random: () => 0.5,
    createSender: () => ({
      send: () =>
        Promise.resolve({ ok: true, value: { status: 200, headers: {}, body: bodyOf() } }),
      close: () => undefined,
    }),
  });
  const policy = shippedPolicy();
  const state = emptyState();
  const recorder = createRecorder(() => policy.aggregators);
  const take = (event: Event): void => {
    const at = clock.now();
    toEnd(recorder.note(event, at, step(policy, state, event, at)));
    if (recorder.due(at, "all").length > 0) recorder.written();
  };
  take({ type: "started" });
  const request = {
    aggregator: AGGREGATOR,
    poller: poolsPoller,
    client,
    watch: NOTHING_WATCHED,
    statuses: DEFAULT_STATUSES,
    clock,
    signal: new AbortController().signal,
    origin: "poll",
  } as const;
  return {
    close: client.close,
    run: async () => {
      const observation = await runPoll(request);
      if (observation.parts.some(({ reading }) => !reading.ok)) throw new Error("not read");
      take({ type: "observed", observation });
    },
  };
}

import { monitorEventLoopDelay } from "node:perf_hooks";
import { emptyState } from "../src/core/state.ts";
import { step } from "../src/core/step.ts";
import { pollOutcome, type Observation } from "../src/domain/observation.ts";
import type { Policy } from "../src/domain/step.ts";
import { SECOND } from "../src/domain/time.ts";
import { runPoll } from "../src/io/aggregator/poll-runner.ts";
import { swapsPoller } from "../src/pollers/swaps.ts";
import { heapBytes, median, type Rounds } from "./measure.ts";
import { addressesOf, bareLoop, pollRequest, servePolls } from "./poll.ts";
import { AGGREGATOR } from "./population.ts";
import { grouped, milliseconds, type Row } from "./table.ts";
import { shippedPolicy } from "./watched.ts";

/** What a sweep costs: all of it, and the longest times for which nothing else could be done. */
type Cost = {
  readonly elapsedMs: number;
  readonly cpuUs: number;
  /** At its highest, above what was in use before. */
  readonly heapBytes: number;
  readonly delayMs: { readonly p99: number; readonly longest: number };
};

const SAMPLE_EVERY_MS = 20;

/**
 * A sweep of many senders as the daemon makes it: client, retries, decoder, pieces, and each piece
 * through the core with the shipped rules; beside got in a bare loop over the same URLs.
 */
export async function benchSweep(senders: number, { warmUps, rounds }: Rounds): Promise<Row[]> {
  const server = await servePolls();
  const addresses = addressesOf(senders);
  const ours = createSweep(server.baseUrl, addresses);
  const bare = bareLoop(server.baseUrl, addresses);
  const costs: Array<readonly [Cost, Cost]> = [];
  try {
    for (let turn = -warmUps; turn < rounds; turn += 1) {
      const both = [await costOf(ours.run), await costOf(bare.run)] as const;
      if (turn >= 0) costs.push(both);
    }
  } finally {
    ours.close();
    bare.close();
    await server.close();
  }
  const row = (
    name: string,
    valueOf: (cost: Cost) => number,
    show: (value: number) => string,
    note: string,
  ): Row => {
    const [own, base] = [0, 1].map((side) =>
      median(costs.map((both) => valueOf(both[side] as Cost))),
    ) as [number, number];
    const figures = { ours: show(own), baseline: show(base), ratio: own / base };
    return { name: `sweep: ${name}`, size: senders, ...figures, note };
  };
  const perSecond = (ms: number): string => `${grouped((senders * SECOND) / ms)}/s`;
  const each = (us: number): string => `${grouped(us / senders)} µs`;
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  return [
    row("requests", ({ elapsedMs }) => elapsedMs, perSecond, "16 at once; the ratio is of time"),
    row("CPU a request", ({ cpuUs }) => cpuUs, each, "with the core's, without the server's"),
    row("heap", (cost) => cost.heapBytes, megabytes, "at its highest, above what was in use"),
    row("loop delay, p99", (cost) => cost.delayMs.p99, milliseconds, "timers of 1 ms"),
    row("loop delay, longest", (cost) => cost.delayMs.longest, milliseconds, "timers of 1 ms"),
  ];
}

function createSweep(baseUrl: string, addresses: readonly string[]) {
  const { request, close } = pollRequest(baseUrl, addresses);
  const surfaces = new Set(swapsPoller.plan(request.watch).map(({ name }) => name));
  const shipped = shippedPolicy();
  const pollers = [{ name: "swaps", intervalMs: 30 * SECOND, staleAfterMs: 90 * SECOND, surfaces }];
  const policy: Policy = { ...shipped, aggregators: [{ name: AGGREGATOR, pollers }] };
  const state = emptyState();
  const take = (event: Parameters<typeof step>[2]): void => {
    step(policy, state, event, request.clock.now());
  };
  take({ type: "started" });
  return {
    close,
    run: async () => {
      const observe = (observation: Observation): void => take({ type: "observed", observation });
      const last = await runPoll({ ...request, aggregator: AGGREGATOR }, observe);
      observe(last);
      const outcome = pollOutcome(last.parts, last.earlier);
      if (outcome !== "complete") throw new Error(`the sweep is ${outcome}`);
    },
  };
}

async function costOf(run: () => Promise<void>): Promise<Cost> {
  const before = heapBytes();
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().heapUsed);
  }, SAMPLE_EVERY_MS);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const from = performance.now();
  const cpu = process.cpuUsage();
  delay.enable();
  await run();
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const elapsedMs = performance.now() - from;
  clearInterval(sampling);
  return {
    elapsedMs,
    cpuUs: user + system,
    heapBytes: highest - before,
    delayMs: { p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 },
  };
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { join } from "node:path";
import got from "got";
import { compileProfile } from "../src/aggregator/profile.ts";
import { pollOutcome } from "../src/domain/observation.ts";
import { MINUTE, SECOND } from "../src/domain/time.ts";
import { systemClock } from "../src/io/process/clock.ts";
import { runPoll, type PollRequest } from "../src/io/aggregator/poll-runner.ts";
import { createClient, DEFAULT_CLIENT_SETTINGS } from "../src/io/aggregator/client.ts";
import { NOTHING_WATCHED, type WatchList } from "../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../src/pollers/status-words.ts";
import { swapsPoller } from "../src/pollers/swaps.ts";
import { compare, median, medianRatio, type Rounds } from "./measure.ts";
import { grouped, type Row } from "./table.ts";

const CONCURRENCY = 16;

/** A poll of many senders, one request each, beside got in a bare loop over the same URLs. */
export async function benchPoll(senders: number, rounds: Rounds): Promise<Row[]> {
  const server = await servePolls();
  // Each body is decoded: what is spared where none changes is measured by itself, in `unchanged`.
  const baseUrl = `${server.baseUrl}/changing`;
  const addresses = addressesOf(senders);
  const real = realPoll(baseUrl, addresses);
  const bare = bareLoop(baseUrl, addresses);
  try {
    const compared = await compare(rounds, {
      ours: real.run,
      baseline: bare.run,
    });
    const measured = rounds.rounds;
    const [cpus, bareCpus] = [real.cpu.slice(-measured), bare.cpu.slice(-measured)];
    const perSecond = (spentMs: number): string => `${grouped((senders * SECOND) / spentMs)}/s`;
    const each = (spent: number): string => `${grouped(spent / senders)} µs`;
    return [
      {
        name: "poll: requests",
        size: senders,
        ours: perSecond(compared.oursMs),
        baseline: perSecond(compared.baselineMs),
        ratio: compared.ratio,
        note: `concurrency ${CONCURRENCY}; the ratio is of time`,
      },
      {
        name: "poll: CPU a request",
        size: senders,
        ours: each(median(cpus)),
        baseline: each(median(bareCpus)),
        ratio: medianRatio(cpus, bareCpus),
        note: "without the server's, which is another process",
      },
    ];
  } finally {
    real.close();
    bare.close();
    await server.close();
  }
}

/** An aggregator in a process of its own. */
export async function servePolls(pools = 1): Promise<{
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}> {
  const child = fork(join(import.meta.dirname, "poll-server.ts"), [String(pools)], {
    execArgv: [],
  });
  const [port] = (await once(child, "message")) as [number];
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

export function addressesOf(senders: number): readonly string[] {
  return Array.from({ length: senders }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
}

type Contender = {
  readonly run: () => Promise<void>;
  /** The CPU time of each run so far, in microseconds. */
  readonly cpu: readonly number[];
  readonly close: () => void;
};

function realPoll(baseUrl: string, addresses: readonly string[]): Contender {
  return contenderOf(pollRequest(baseUrl, addresses));
}

/** Runs the poll again and again, each time to its end. */
export function contenderOf({
  request,
  close,
}: {
  readonly request: PollRequest;
  readonly close: () => void;
}): Contender {
  return contender(close, async () => {
    const outcome = pollOutcome((await runPoll(request)).parts);
    if (outcome !== "complete") throw new Error(`the poll is ${outcome}`);
  });
}

/** A poll of these senders, without a rate that would hold it up. */
export function pollRequest(
  baseUrl: string,
  addresses: readonly string[],
): { readonly request: PollRequest; readonly close: () => void } {
  const profile = compileProfile({});
  if (!profile.ok) throw new Error("the default wire profile does not compile");
  const rate = { requestsPerSecond: 100_000, concurrency: CONCURRENCY };
  const settings = { ...DEFAULT_CLIENT_SETTINGS, baseUrl, rate };
  const clock = systemClock();
  const random = () => 0.5;
  const client = createClient({ settings, profile: profile.value, clock, random });
  const senders = addresses.map((address) => ({ address, alias: `desk-${address}` }));
  const watch: WatchList = { ...NOTHING_WATCHED, senders };
  const poll = {
    aggregator: "bench",
    poller: swapsPoller,
    client,
    watch,
    statuses: DEFAULT_STATUSES,
    clock,
    signal: new AbortController().signal,
    origin: "poll",
    timeoutMs: MINUTE,
  } as const;
  return { request: { ...poll, atOnce: 2 * CONCURRENCY }, close: client.close };
}

export function bareLoop(baseUrl: string, addresses: readonly string[]): Contender {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const client = got.extend({ agent: { http: agent }, retry: { limit: 0 } });
  const close = (): void => agent.destroy();
  return contender(close, async () => {
    const waiting = [...addresses];
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { body } = await client(
          `${baseUrl}/api/v1/atomic-swap/history/current?sender=${next}`,
        );
        if (!Array.isArray(JSON.parse(body))) throw new Error("not a list");
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  });
}

function contender(close: () => void, run: () => Promise<void>): Contender {
  const cpu: number[] = [];
  return {
    cpu,
    close,
    run: async () => {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      cpu.push(user + system);
    },
  };
}

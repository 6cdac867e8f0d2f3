import type { TestContext } from "vitest";
import { unitOfSender } from "../../src/domain/lease.ts";
import type { SimulatorRequest } from "../../src/simulator/routes/request.ts";
import { SOURCE } from "../made-once.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon, type LogLine } from "./daemon.ts";
import type { Replica } from "./pair.ts";
import { withPeople } from "./people.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

/** Replicas that share the senders of an aggregator out among them. */

export const SHARDS = 4;
export const PER_SECOND = 60;
/** All units together, if none can renew its lease (`CUT_OFF_SHARE`). */
export const CUT_OFF_PER_SECOND = PER_SECOND * 0.1;
export const SENDERS = Array.from(
  { length: 40 },
  (_, n) => `0x${(n + 1).toString(16).padStart(40, "0")}`,
);
export const [SENDER = ""] = SENDERS;

const RULES = `${QUICK_RULES.trimEnd()}
        for: 5s
        inhibited_by: [AggregatorDown]
      - alert: AggregatorDown
        each: aggregator
        when: aggregator.failing_pollers >= 1 && aggregator.consecutive_failures >= 2
        labels: { severity: critical }
      - alert: SwapActive
        each: swap
        when: swap.active
        for: 4s
        labels: { severity: warning }
`;

export type Cluster = {
  readonly aggregator: Aggregator;
  readonly receiver: Receiver;
  /** Who asked, by the value of its own header, and when. */
  readonly asked: ReadonlyArray<{
    readonly at: number;
    readonly by: string;
    readonly sender: string;
  }>;
  /** A hook is loaded into the program before anything else. */
  readonly start: (name: string, shards?: number, hook?: Hook) => Promise<Replica>;
};

export type Hook = {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
};

/** An aggregator and a database, and replicas that tell themselves apart in a header. */
export async function makeCluster(
  context: TestContext,
  database: string,
  watched = `{ senders: [${SENDERS.map((address) => `{ address: "${address}" }`).join(", ")}] }`,
): Promise<Cluster> {
  const receiver = await startReceiver(context);
  const asked: Array<Cluster["asked"][number]> = [];
  const senderOf = ({ query }: SimulatorRequest): string => query["sender"] ?? "";
  const aggregator = await startAggregator(context, {
    before: (request) => {
      const by = request.headers["x-replica"] ?? "";
      asked.push({ at: performance.now(), by, sender: senderOf(request) });
    },
  });
  const watch = `
    rate: { requests_per_second: ${PER_SECOND}, concurrency: 20 }
    watch: ${watched}`;
  const start: Cluster["start"] = async (name, shards, hook) => {
    const quick = quickConfig({ timeout: "2s", url: aggregator.url, mode: "act", watch });
    const config = `${quick.replace(
      "auth: {",
      "auth: { read: { type: header, name: X-Replica, value_env: REPLICA },",
    )}
journal: { shards: ${shards ?? SHARDS}, postgres: { replica: ${name}, lease: 3s } }
notify: { webhooks: [{ name: hook, url_env: HOOK_URL }] }
`;
    const home = makeHome(context, config, RULES);
    withPeople(home, config);
    const env = {
      ...ACT_KEY,
      REPLICA: name,
      HOOK_URL: receiver.url,
      AGGWATCH_DATABASE_URL: database,
      ...(hook && { ...hook.env, NODE_OPTIONS: `--import ${hook.file}` }),
    };
    // A hook changes a library, and the built program brings its own.
    const options = hook === undefined ? {} : { program: SOURCE };
    return { ...(await startDaemon(context, home, env, options)), home };
  };
  return { aggregator, receiver, asked, start };
}

export const owns = (unit: number) => (line: LogLine) =>
  line["msg"] === "watching senders" && line["unit"] === `senders/${unit}`;

/** Waits, request by request, until it is so. */
export async function until({ aggregator }: Cluster, isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await aggregator.next("GET", "");
}

/** Who asked for each sender since then, once each was asked for twice. */
export async function pollersOf(
  cluster: Cluster,
  from: number,
): Promise<ReadonlyMap<string, Set<string>>> {
  const since = (): Cluster["asked"] =>
    cluster.asked.slice(from).filter(({ sender }) => sender !== "");
  await until(cluster, () => {
    const counts = new Map<string, number>();
    for (const { sender } of since()) counts.set(sender, (counts.get(sender) ?? 0) + 1);
    return SENDERS.every((sender) => (counts.get(sender) ?? 0) >= 2);
  });
  const pollers = new Map<string, Set<string>>();
  for (const { sender, by } of since())
    pollers.set(sender, (pollers.get(sender) ?? new Set()).add(by));
  return pollers;
}

/** How many sweeps may pass until each sender has one poller: on a busy host, a lease of 3 s is lost now and then. */
const SWEEPS_TO_SETTLE = 5;

/** The one replica that polls each sender; names joined by "and" are those that still share one after some sweeps. */
export async function solePollers(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  for (let sweep = 1; ; sweep += 1) {
    const pollers = await pollersOf(cluster, cluster.asked.length);
    const settled = [...pollers.values()].every(({ size }) => size === 1);
    if (settled || sweep === SWEEPS_TO_SETTLE)
      return new Map([...pollers].map(([sender, by]) => [sender, [...by].join(" and ")]));
  }
}

/** The most requests beyond the rate in any stretch of the log. */
export function mostBeyond(asked: Cluster["asked"], perSecond = PER_SECOND): number {
  let most = 0;
  let least = Infinity;
  for (const [index, { at }] of asked.entries()) {
    const line = index - (perSecond * at) / 1_000;
    least = Math.min(least, line);
    most = Math.max(most, line - least);
  }
  return most;
}

export const unitOf = (sender: string): number => unitOfSender(sender, SHARDS);

export async function firstSeen({ url }: Daemon): Promise<readonly unknown[]> {
  const reply = await fetch(`${url}/api/v1/entities?kind=swap`);
  type Answer = { readonly entities: ReadonlyArray<Record<string, unknown>> };
  const { entities } = (await reply.json()) as Answer;
  return entities.map((row) => row["first_seen"]);
}

/** Replicas that have shared the units out. */
export async function startCluster(
  context: TestContext,
  database: string,
  names: readonly string[],
  watched?: string,
): Promise<Cluster & { readonly replicas: ReadonlyMap<string, Replica> }> {
  const cluster = await makeCluster(context, database, watched);
  const replicas = new Map<string, Replica>();
  for (const name of names) replicas.set(name, await cluster.start(name));
  await until(cluster, () =>
    [...replicas.values()].every(({ lines }) =>
      [1, 2, 3, 4].some((unit) => lines.some(owns(unit))),
    ),
  );
  return { ...cluster, replicas };
}

export const of = (replicas: ReadonlyMap<string, Daemon>, name: string | undefined): Daemon => {
  const found = replicas.get(name ?? "");
  if (found === undefined) throw new Error(`no replica ${name}`);
  return found;
};

import { describe, expect, it, type TestContext } from "vitest";
import { unitOfSender } from "../../src/domain/lease.ts";
import type { SimulatorRequest } from "../../src/simulator/routes/request.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon, type LogLine } from "./daemon.ts";
import { askAsAlice as ask, withPeople } from "./people.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

const server = usePostgres();

const SHARDS = 4;
const PER_SECOND = 60;
const SENDERS = Array.from({ length: 40 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, "0")}`);
const [SENDER = ""] = SENDERS;

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

type Told = {
  readonly state: string;
  readonly starts_at: string;
  readonly labels: Readonly<Record<string, string>>;
};

type Cluster = {
  readonly aggregator: Aggregator;
  readonly receiver: Receiver;
  /** Who asked, by the value of its own header, and when. */
  readonly asked: ReadonlyArray<{
    readonly at: number;
    readonly by: string;
    readonly sender: string;
  }>;
  readonly start: (name: string, shards?: number) => Promise<Daemon>;
};

/** An aggregator and a database, and replicas that tell themselves apart in a header. */
async function makeCluster(context: TestContext): Promise<Cluster> {
  const receiver = await startReceiver(context);
  const asked: Array<Cluster["asked"][number]> = [];
  const senderOf = ({ query }: SimulatorRequest): string => query["sender"] ?? "";
  const aggregator = await startAggregator(context, {
    before: (request) => {
      const by = request.headers["x-replica"] ?? "";
      asked.push({ at: performance.now(), by, sender: senderOf(request) });
    },
  });
  const database = await server().makeDatabase();
  const watch = `
    rate: { requests_per_second: ${PER_SECOND}, concurrency: 20 }
    watch: { senders: [${SENDERS.map((address) => `{ address: "${address}" }`).join(", ")}] }`;
  const start = async (name: string, shards = SHARDS): Promise<Daemon> => {
    const quick = quickConfig({ url: aggregator.url, mode: "act", watch });
    const config = `${quick.replace(
      "auth: {",
      "auth: { read: { type: header, name: X-Replica, value_env: REPLICA },",
    )}
journal: { shards: ${shards}, postgres: { replica: ${name}, lease: 3s } }
notify: { webhooks: [{ name: hook, url_env: HOOK_URL }] }
`;
    const home = makeHome(context, config, RULES);
    withPeople(home, config);
    const env = {
      ...ACT_KEY,
      REPLICA: name,
      HOOK_URL: receiver.url,
      AGGWATCH_DATABASE_URL: database,
    };
    return await startDaemon(context, home, env);
  };
  return { aggregator, receiver, asked, start };
}

const owns = (unit: number) => (line: LogLine) =>
  line["msg"] === "watching senders" && line["unit"] === `senders/${unit}`;

/** Waits, request by request, until it is so. */
async function until({ aggregator }: Cluster, isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await aggregator.next("GET", "");
}

/** Who asked for each sender since then, once each was asked for twice. */
async function pollersOf(
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

/** The most requests beyond the rate in any stretch of the log. */
function mostBeyond(asked: Cluster["asked"]): number {
  let most = 0;
  let least = Infinity;
  for (const [index, { at }] of asked.entries()) {
    const line = index - (PER_SECOND * at) / 1_000;
    least = Math.min(least, line);
    most = Math.max(most, line - least);
  }
  return most;
}

const unitOf = (sender: string): number => unitOfSender(sender, SHARDS);

async function firstSeen({ url }: Daemon): Promise<readonly unknown[]> {
  const reply = await fetch(`${url}/api/v1/entities?kind=swap`);
  type Answer = { readonly entities: ReadonlyArray<Record<string, unknown>> };
  const { entities } = (await reply.json()) as Answer;
  return entities.map((row) => row["first_seen"]);
}

/** Replicas that have shared the units out. */
async function startCluster(
  context: TestContext,
  names: readonly string[],
): Promise<Cluster & { readonly replicas: ReadonlyMap<string, Daemon> }> {
  const cluster = await makeCluster(context);
  const replicas = new Map<string, Daemon>();
  for (const name of names) replicas.set(name, await cluster.start(name));
  await until(cluster, () =>
    [...replicas.values()].every(({ lines }) =>
      [1, 2, 3, 4].some((unit) => lines.some(owns(unit))),
    ),
  );
  return { ...cluster, replicas };
}

function single(owners: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, string> {
  return new Map([...owners].map(([sender, by]) => [sender, [...by].join(" and ")]));
}

const of = (replicas: ReadonlyMap<string, Daemon>, name: string | undefined): Daemon => {
  const found = replicas.get(name ?? "");
  if (found === undefined) throw new Error(`no replica ${name}`);
  return found;
};

describe("senders spread over units", () => {
  it("are each polled by one replica, and by another within the lease once it is killed", async (context) => {
    const cluster = await startCluster(context, ["a", "b", "c"]);
    const { aggregator, asked, replicas } = cluster;
    const before = single(await pollersOf(cluster, asked.length));
    for (const [sender, by] of before) {
      const sameUnit = SENDERS.find((one) => unitOf(one) === unitOf(sender)) ?? "";
      expect(by).toBe(before.get(sameUnit));
    }
    expect([...new Set(before.values())].toSorted()).toEqual(["a", "b", "c"]);
    const owner = of(replicas, before.get(SENDER));
    const others = [...replicas.values()].filter((one) => one !== owner);
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await owner.line(alertLine("SwapActive", "pending"));
    const [other] = others;
    if (other === undefined) throw new Error("there are three");
    let seen: readonly unknown[] = [];
    await until(cluster, async () => (seen = await firstSeen(other)).length === 1);
    const killedAt = performance.now();
    await owner.end("SIGKILL");
    const unit = owns(unitOf(SENDER));
    const next = await Promise.race(
      others.map(async (one) => {
        await one.line(unit);
        return one;
      }),
    );
    const fired = await next.line(alertLine("SwapActive", "firing"));
    expect(fired["entity"]).toContain("swap");
    // It was pending before, and is not anew: what was waited for counts.
    expect(next.lines.filter(alertLine("SwapActive", "pending"))).toEqual([]);
    expect(await firstSeen(next)).toEqual(seen);
    const after = single(await pollersOf(cluster, asked.length));
    expect(after.size).toBe(SENDERS.length);
    expect([...after.values()]).not.toContain(before.get(SENDER));
    for (const by of after.values()) expect(by).toMatch(/^[abc]$/);
    // Who is alive polls on as before: only what the dead one had has moved.
    for (const [sender, by] of before)
      if (by !== before.get(SENDER)) expect(after.get(sender)).toBe(by);
    expect(killedAt).toBeGreaterThan(0);
    expect(mostBeyond(asked)).toBeLessThan(PER_SECOND);
  }, 90_000);

  it("are left by one that stood still beyond its lease, and the rate holds when it wakes", async (context) => {
    const cluster = await startCluster(context, ["a", "b"]);
    const { asked, replicas } = cluster;
    const [a, b] = [of(replicas, "a"), of(replicas, "b")];
    await pollersOf(cluster, asked.length);
    a.process.kill("SIGSTOP");
    context.onTestFinished(() => void a.process.kill("SIGCONT"));
    await until(cluster, () => [1, 2, 3, 4].every((unit) => b.lines.some(owns(unit))));
    const alone = single(await pollersOf(cluster, asked.length));
    expect([...new Set(alone.values())]).toEqual(["b"]);
    const woken = a.lines.length;
    a.process.kill("SIGCONT");
    await a.line(({ msg, unit }) => msg === "standing by: the lease is lost" && unit !== undefined);
    await until(
      cluster,
      () => [1, 2, 3, 4].filter((unit) => a.lines.slice(woken).some(owns(unit))).length === 2,
    );
    const shared = single(await pollersOf(cluster, asked.length));
    expect([...new Set(shared.values())].toSorted()).toEqual(["a", "b"]);
    expect(mostBeyond(asked)).toBeLessThan(PER_SECOND);
  }, 90_000);

  it("are polled on without the database, but slowly, and at full speed when it is back", async (context) => {
    const cluster = await startCluster(context, ["a", "b"]);
    const { asked } = cluster;
    await pollersOf(cluster, asked.length);
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    const cutOff = asked.length;
    // Three sweeps take longer than the lease lasts, at any speed.
    for (let sweep = 0; sweep < 3; sweep += 1) await pollersOf(cluster, asked.length);
    const ofSenders = (from: number) => asked.slice(from).filter(({ sender }) => sender !== "");
    const slow = ofSenders(cutOff).slice(-20);
    await server().start();
    await until(cluster, () =>
      [...cluster.replicas.values()].every(({ lines }) => lines.length > 0),
    );
    await pollersOf(cluster, asked.length);
    const back = asked.length;
    await pollersOf(cluster, back);
    const fast = ofSenders(back).slice(-20);
    const lasted = (some: Cluster["asked"]): number => (some.at(-1)?.at ?? 0) - (some[0]?.at ?? 0);
    expect(lasted(slow)).toBeGreaterThan(2 * lasted(fast));
  }, 120_000);

  it("move to one that joins and back, and keep what is known of them", async (context) => {
    const cluster = await startCluster(context, ["a"]);
    const { aggregator, asked, replicas } = cluster;
    const a = of(replicas, "a");
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await a.line(alertLine("SwapActive", "firing"));
    const seen = await firstSeen(a);
    const b = await cluster.start("b");
    await until(
      cluster,
      () => [1, 2, 3, 4].filter((unit) => b.lines.some(owns(unit))).length === 2,
    );
    const shared = single(await pollersOf(cluster, asked.length));
    expect([...new Set(shared.values())].toSorted()).toEqual(["a", "b"]);
    expect(await firstSeen(b)).toEqual(seen);
    expect(await b.end("SIGTERM")).toBe(0);
    const back = single(await pollersOf(cluster, asked.length));
    expect([...new Set(back.values())]).toEqual(["a"]);
    expect(await firstSeen(a)).toEqual(seen);
    expect(
      [a, b].flatMap(({ lines }) => lines.filter(alertLine("SwapActive", "pending"))),
    ).toHaveLength(1);
    expect(
      [a, b].flatMap(({ lines }) => lines.filter(alertLine("SwapActive", "resolved"))),
    ).toEqual([]);
  }, 90_000);

  it("are put into units and back when shards are set, and keep what is known of them", async (context) => {
    const cluster = await makeCluster(context);
    const { aggregator, asked, start } = cluster;
    const whole = await start("a", 0);
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await whole.line(alertLine("SwapActive", "firing"));
    const seen = await firstSeen(whole);
    await expect(start("b")).rejects.toThrow(/runs with 0: stop all replicas before it is changed/);
    expect(await whole.end("SIGTERM")).toBe(0);
    const spread = await start("a");
    expect([...single(await pollersOf(cluster, asked.length)).values()]).not.toContain("b");
    expect(await firstSeen(spread)).toEqual(seen);
    expect(await spread.end("SIGTERM")).toBe(0);
    const back = await start("b", 0);
    await pollersOf(cluster, asked.length);
    expect(await firstSeen(back)).toEqual(seen);
    const alerts = [whole, spread, back].flatMap(({ lines }) =>
      lines.filter(({ msg, alertname }) => msg === "alert" && alertname === "SwapActive"),
    );
    const changes = new Set(alerts.map(({ change }) => change));
    expect([...changes].filter((change) => change !== "unknown" && change !== "known")).toEqual([
      "pending",
      "firing",
    ]);
    expect(alerts.filter(({ change }) => change === "firing")).toHaveLength(1);
  }, 120_000);

  it("are watched, silenced and shown by whichever replica is asked", async (context) => {
    const cluster = await startCluster(context, ["a", "b"]);
    const { aggregator, asked, replicas } = cluster;
    const added = `0x${"ab".repeat(20)}`;
    const owner = of(replicas, single(await pollersOf(cluster, asked.length)).get(SENDER));
    const other = [...replicas.values()].find((one) => one !== owner) ?? owner;
    const scope = { kind: "swap", rule: "SwapActive" };
    const silenced = await ask(other, "/api/v1/silences", { scope, for: "1h", reason: "known" });
    expect(silenced).toMatchObject({
      status: 200,
      text: expect.stringContaining('"durable":true'),
    });
    const entry = { aggregator: "sim", kind: "sender", target: added, reason: "asked" };
    for (const one of replicas.values()) {
      const watched = await ask(one, "/api/v1/watch", entry);
      expect(watched).toMatchObject({ status: 200, text: expect.stringContaining("is watched") });
    }
    const from = asked.length;
    await until(
      cluster,
      () => asked.slice(from).filter(({ sender }) => sender === added).length > 2,
    );
    const by = new Set(asked.flatMap((one) => (one.sender === added ? [one.by] : [])));
    expect(by.size).toBe(1);
    for (const one of replicas.values())
      await until(cluster, async () => (await ask(one, "/api/v1/watch")).text.includes(added));
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await owner.line(alertLine("SwapActive", "firing"));
    await owner.line(
      ({ msg, subject }) => msg === "notification muted" && String(subject).includes("SwapActive"),
    );
    for (const one of replicas.values())
      await until(cluster, async () =>
        (await ask(one, "/api/v1/alerts")).text.includes("SwapActive"),
      );
    const pages = await Promise.all([...replicas.values()].map(async (one) => await one.metrics()));
    const active = pages.join("").match(/^aggwatch_swaps_active\{.*unit="senders.* [1-9]/gm);
    expect(active).toHaveLength(1);
    for (const unit of [1, 2, 3, 4]) {
      const owned = pages.map((page) =>
        Number(
          new RegExp(`^aggwatch_replica_owner.unit="senders/${unit}". (.)$`, "m").exec(page)?.[1],
        ),
      );
      expect(owned.toSorted((one, other) => one - other)).toEqual([0, 1]);
    }
  }, 90_000);

  it("that cannot be read are one message with all else, if the aggregator is down", async (context) => {
    const cluster = await startCluster(context, ["a", "b"]);
    const { aggregator, receiver } = cluster;
    await pollersOf(cluster, 0);
    const fault = { kind: "status", status: 500 };
    aggregator.control({ do: "set_fault", endpoint: "all", fault });
    await receiver.request((seen) => seen.body.includes("AggregatorDown"), { atMostMs: 45_000 });
    const isMuted =
      (unit: number) =>
      (line: LogLine): boolean =>
        line["msg"] === "notification muted" && line["unit"] === `senders/${unit}`;
    await Promise.all(
      [1, 2, 3, 4].map(
        async (unit) =>
          await Promise.any(
            [...cluster.replicas.values()].map(
              async ({ line }) => await line(isMuted(unit), { atMostMs: 45_000 }),
            ),
          ),
      ),
    );
    const bodies = receiver.seen.map(({ body }) => body);
    // If a replica is slow, the other may take over and deliver once more what the first has delivered.
    const down = receiver.taken
      .flatMap((body) => (body as { readonly notifications: readonly Told[] }).notifications)
      .filter(({ labels }) => labels["alertname"] === "AggregatorDown");
    expect(new Set(down.map((one) => `${one.state} ${one.starts_at}`)).size).toBe(1);
    expect(bodies.filter((body) => body.includes("PollFailing: poller swap"))).toEqual([]);
  }, 90_000);
});

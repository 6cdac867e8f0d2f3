/** Units of senders keep a record each, and the past is read of all of them. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { unitOfSender } from "../../src/domain/lease.ts";
import type {
  AlertsJson,
  BacktestJson,
  EntitiesJson,
  EntityHistoryJson,
  PollersJson,
} from "../../src/io/api/answers.ts";
import { until } from "../e2e/until.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon, type Daemon, type Home, type LogLine } from "./daemon.ts";
import { ACT_KEY, alertLine, LISTED_RULES, quickConfig } from "./quick.ts";

const server = usePostgres();

const SHARDS = 3;
const RULES = `${LISTED_RULES}
      - alert: SwapActive
        each: swap
        when: swap.active
        for: 1s
        labels: { severity: warning }
`;

/** One sender of each unit. */
const SENDERS = Array.from({ length: SHARDS }, (_, index) => {
  for (let n = 1; ; n += 1) {
    const address = `0x${n.toString(16).padStart(40, "0")}`;
    if (unitOfSender(address, SHARDS) === index + 1) return address;
  }
});

type Replica = Daemon & { readonly home: Home };

async function startReplica(
  context: TestContext,
  name: string,
  { url, database }: { readonly url: string; readonly database: string },
): Promise<Replica> {
  const watch = `    watch: { senders: [${SENDERS.map((address) => `{ address: "${address}" }`).join(", ")}] }`;
  const config = `${quickConfig({ timeout: "2s", url, mode: "shadow", watch })}
server: { tokens_file: tokens.yaml }
journal: { shards: ${SHARDS}, postgres: { replica: ${name}, lease: 3s } }
`;
  const home = makeHome(context, config, RULES);
  const sha256 = createHash("sha256").update("alice-token").digest("hex");
  const tokens = `- { name: alice, token_sha256: "${sha256}", scopes: [read, operate] }\n`;
  writeFileSync(join(dirname(home.config), "tokens.yaml"), tokens);
  const env = { ...ACT_KEY, AGGWATCH_DATABASE_URL: database };
  return { ...(await startDaemon(context, home, env)), home };
}

async function get<Json>({ url }: Daemon, path: string): Promise<Json> {
  const reply = await fetch(`${url}/api/v1/${path}`);
  const text = await reply.text();
  expect(reply.status, `${path}: ${text}`).toBe(200);
  return JSON.parse(text) as Json;
}

/** What is said of an instant about swaps, senders and exchanges, without what goes on with the time. */
async function said(replica: Daemon, at?: string) {
  const query = at === undefined ? "" : `&at=${at}`;
  const of = async (kind: string) => {
    const { entities } = await get<EntitiesJson>(
      replica,
      `entities?limit=1000&kind=${kind}${query}`,
    );
    return entities.map(({ id, condition, first_seen: firstSeen }) => ({
      id,
      condition,
      firstSeen,
    }));
  };
  const { alerts } = await get<AlertsJson>(replica, `alerts?sort=entity${query}`);
  return {
    swaps: await of("swap"),
    senders: await of("sender"),
    exchanges: await of("exchange"),
    alerts: alerts
      .filter(({ state }) => state === "firing")
      .map(({ alertname, entity, fired_at: firedAt }) => ({ alertname, entity, firedAt })),
  };
}

async function callBacktest({ url }: Daemon, method: string, body?: object): Promise<Response> {
  const headers = { authorization: "Bearer alice-token", "content-type": "application/json" };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  return await fetch(`${url}/api/v1/backtest`, { method, headers, ...given });
}

const statusOf = async (replica: Daemon): Promise<BacktestJson> =>
  (await (await callBacktest(replica, "GET")).json()) as BacktestJson;

async function backtest(replica: Daemon, since: string): Promise<BacktestJson> {
  const begun = await callBacktest(replica, "POST", { since });
  expect(begun.status, await begun.clone().text()).toBe(202);
  return await until("the backtest has ended", async () => {
    const status = await statusOf(replica);
    return status.state === "running" ? undefined : status;
  });
}

/** Waits until it is so. */
async function untilSo(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await until(what, async () => ((await isSo()) ? true : undefined));
}

const either = async (
  replicas: readonly Daemon[],
  isIt: (line: LogLine) => boolean,
  count = 1,
): Promise<void> => {
  await Promise.any(
    replicas.map(async ({ line, lines }) => {
      await line(
        () => replicas.reduce((sum, one) => sum + one.lines.filter(isIt).length, 0) >= count,
        { atMostMs: 45_000 },
      );
      return lines;
    }),
  );
};

it("the past and its replay are of home and of all units, also after one moved to another replica", async (context) => {
  const aggregator = await startAggregator(context);
  const world = { url: aggregator.url, database: await server().makeDatabase() };
  const a = await startReplica(context, "a", world);
  const b = await startReplica(context, "b", world);
  const both = [a, b];
  const owns = ({ msg }: LogLine): boolean => msg === "watching senders";
  for (const one of both) await one.line(owns);
  const since = new Date().toISOString();
  for (const sender of SENDERS) aggregator.control({ do: "start_swap", sender, stuck: true });
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await either(both, alertLine("SwapActive", "firing"), SHARDS);
  await either(both, alertLine("ExchangeDisabled", "firing"));
  // Both show what the database holds, a few seconds later.
  await untilSo("all alerts are shown", async () => (await said(b)).alerts.length === SHARDS + 1);
  const then = await said(b);
  const instant = new Date().toISOString();
  expect(then.swaps).toHaveLength(SHARDS);

  const before = b.lines.length;
  await a.end("SIGKILL");
  await b.line((line) => b.lines.indexOf(line) >= before && owns(line), { atMostMs: 45_000 });
  for (const { id } of then.swaps) aggregator.control({ do: "expire_swap", secret_hash: id });
  aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
  await either([b], alertLine("SwapActive", "resolved"), SHARDS);
  await either([b], alertLine("ExchangeDisabled", "resolved"));
  await untilSo("no alert is shown", async () => (await said(b)).alerts.length === 0);

  expect(await said(b, instant)).toEqual(then);
  // How polls went is known of each unit: now by who owns it, which is b for all, and then by the record, except for what
  // waited in the memory of the process that was killed.
  const polledAt = async (query: string): Promise<readonly string[]> => {
    const { pollers } = await get<PollersJson>(b, `pollers${query}`);
    const ids = pollers.map(({ entity }) => entity.id);
    expect(ids).toEqual(expect.arrayContaining([1, 2, 3].map((unit) => `swaps/${unit}`)));
    return pollers.flatMap(({ entity: { id }, recent }) =>
      id.startsWith("swaps/") && recent.length > 0 ? [id] : [],
    );
  };
  await untilSo("all units poll", async () => (await polledAt("")).length === SHARDS);
  expect(await polledAt(`?at=${instant}`)).not.toEqual([]);

  // The history of an entity is that of the unit which saw it.
  for (const { id } of then.swaps) {
    const path = `entities/sim/swap/${id}/history?at=${instant}`;
    const { bands } = await get<EntityHistoryJson>(b, path);
    expect(bands.map(({ condition }) => condition)).toContain("bad");
  }

  const replayed = await backtest(b, since);
  expect(replayed).toMatchObject({ state: "done", problem: null });
  expect(replayed.result).toMatchObject({
    problems: [],
    counts: { alerts_told: SHARDS + 1, alerts_would: SHARDS + 1, alerts_more: 0, alerts_fewer: 0 },
  });

  // What is shown has been read again since, and the answer is still there.
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  await untilSo("one alert is shown", async () => (await said(b)).alerts.length === 1);
  expect(await statusOf(b)).toMatchObject({ state: "done" });

  const file = join(b.home.data, "copy.sqlite");
  const env = { AGGWATCH_DATABASE_URL: world.database };
  const saved = await runCli(context, ["journal", "backup", file, "--config", b.home.config], env);
  expect(saved.err).toBe("");
  const args = [
    "backtest",
    "--data",
    file,
    "--rules",
    b.home.rules,
    "--since",
    since,
    "--until",
    instant,
    "--json",
  ];
  const done = await runCli(context, args);
  expect(done.code, done.err).toBe(0);
  const report = JSON.parse(done.out) as {
    readonly problems: readonly string[];
    readonly outcome: {
      readonly alerts: ReadonlyArray<{
        readonly rule: string;
        readonly entity: { readonly id: string };
      }>;
    };
  };
  expect(report.problems).toEqual([]);
  const names = (all: ReadonlyArray<{ rule: string; id: string }>): readonly string[] =>
    all.map(({ rule, id }) => `${rule} ${id}`).toSorted();
  expect(names(report.outcome.alerts.map(({ rule, entity }) => ({ rule, id: entity.id })))).toEqual(
    names(then.alerts.map(({ alertname, entity }) => ({ rule: alertname, id: entity.id }))),
  );

  // It is known without the database too.
  await server().kill();
  await b.line(({ msg }) => msg === "the database cannot be used");
  expect(await statusOf(b)).toMatchObject({ state: "done" });
  await server().start();
  expect(await b.end("SIGTERM")).toBe(0);
});

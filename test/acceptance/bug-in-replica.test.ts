/** Tests src/run/replica/bug-handler.ts: a bug in the core of an owner, as its operators and its standby see it. */
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, type TestContext } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import { SOURCE } from "../made-once.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";
import { startReceiver } from "./receiver.ts";

const server = usePostgres();

const HOOK = pathToFileURL(join(import.meta.dirname, "bug-hook.mjs")).href;
const KUCOIN = "/exchange/toggle/KUCOIN";

/** Two replicas on one database, the first of which throws if it is asked to. */
async function startWorld(context: TestContext) {
  const aggregator = await startAggregator(context);
  const hook = await startReceiver(context);
  const database = await server().makeDatabase();
  const start = async (name: string, env: Readonly<Record<string, string>>): Promise<Daemon> => {
    const config = `${quickConfig({ timeout: "2s", url: aggregator.url, mode: "act" })}
journal: { postgres: { replica: ${name}, lease: 8s } }
notify: { webhooks: [{ name: hook, url_env: HOOK_URL, tells: [alerts, kill] }] }
`;
    const given = { ...ACT_KEY, HOOK_URL: hook.url, AGGWATCH_DATABASE_URL: database, ...env };
    const home = makeHome(context, config, QUICK_RULES);
    return await startDaemon(context, home, given, { program: SOURCE });
  };
  const a = await start("a", { NODE_OPTIONS: `--import ${HOOK}` });
  await a.line(acting(1));
  return { aggregator, hook, a, b: await start("b", {}) };
}

const acting = (inEpoch: number) => (line: Readonly<Record<string, unknown>>) =>
  line["msg"] === "acting" && line["epoch"] === inEpoch;

test("a bug in the core of an owner stops actions, not alerts, until another owner acts", async (context) => {
  const { aggregator, hook, a, b } = await startWorld(context);
  a.process.kill("SIGUSR2");
  const bug = await a.line(({ msg }) => String(msg).startsWith("bug in the core"));
  expect(bug).toMatchObject({ level: "fatal", event: "tick" });
  expect(await a.line(({ msg }) => msg === "standing by: the lease is lost")).toMatchObject({
    detail: "a bug in the core: the bug of this test",
  });
  await a.line(acting(2));
  await hook.request(({ body }) => body.includes("a bug in the core"));
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  await a.line(alertLine("ExchangeDisabled", "firing"));
  await hook.request(({ body }) => body.includes("KUCOIN") && body.includes('"firing"'));
  expect((await a.status()).killed).toMatchObject([{ source: "bug" }]);
  expect(await a.metric("aggwatch_bugs_total")).toBe(1);
  expect(await a.metric('aggwatch_killed{source="bug"}')).toBe(1);
  expect((await fetch(`${a.url}/healthz`)).status).toBe(200);
  expect(aggregator.count("POST", KUCOIN)).toBe(0);

  expect(await a.end("SIGTERM")).toBe(0);
  await b.line(remediationLine("verified"));
  expect(aggregator.count("POST", KUCOIN)).toBe(1);
  expect((await b.status()).killed).toEqual([]);
});

test("one with bug after bug ends with the exit code of a bug, and the other acts", async (context) => {
  const { aggregator, a, b } = await startWorld(context);
  for (const epoch of [2, 3, 4]) {
    a.process.kill("SIGUSR2");
    await a.line(acting(epoch));
  }
  const ended = once(a.process, "close");
  a.process.kill("SIGUSR2");
  expect(await ended).toEqual([70, null]);
  expect(a.errors()).toContain("gave up because of a bug in its core: the bug of this test");
  await b.line(acting(5));
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  await b.line(remediationLine("verified"));
});

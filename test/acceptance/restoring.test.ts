/** Tests src/run/service/restoring.ts: what a real process says and does while it reads a large journal. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { describe, expect, test, type TestContext } from "vitest";
import { entityKey } from "../../src/domain/entity.ts";
import { surfaceKey } from "../../src/domain/observation.ts";
import type { Change } from "../../src/domain/step.ts";
import { JOURNAL_FILE, openJournal } from "../../src/io/journal/journal.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, runCli, runArguments, startDaemon, type Daemon, type Home } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

const HOOK = pathToFileURL(join(import.meta.dirname, "held-restore-hook.mjs")).href;
const ROWS = 6_000;

type House = { readonly aggregator: Aggregator; readonly receiver: Receiver; readonly home: Home };

/** A home whose journal holds so many entities. */
async function prepare(context: TestContext, rows = ROWS, settings = ""): Promise<House> {
  const aggregator = await startAggregator(context);
  const receiver = await startReceiver(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "shadow" })}
notify:
  heartbeat: { url_env: HOOK_URL }
${settings}`;
  const home = makeHome(context, config, QUICK_RULES);
  const journal = openJournal(home.data, {});
  if (!journal.ok) throw new Error(journal.problem);
  const at = Date.now() - 60_000;
  const changes: Change[] = Array.from({ length: rows }, (_, index) => {
    const id = { aggregator: "sim", kind: "pair", id: `P${String(index).padStart(6, "0")}` };
    const surface = surfaceKey("sim", "exchanges", "all");
    const facts = { name: id.id, exchange: "BINANCE", status: "enabled", listed: true };
    const value = { ...id, surface, facts, firstSeen: at, since: at };
    return { table: "entity", key: entityKey(id), value };
  });
  const committed = journal.value.commit({ at, changes, findings: [] });
  if (!committed.ok) throw new Error(committed.problem);
  journal.value.close();
  return { aggregator, receiver, home };
}

/** A daemon that goes on with its first slice only once it is released. */
async function startHeld(context: TestContext, { home, receiver }: House): Promise<Daemon> {
  const env = { ...ACT_KEY, HOOK_URL: receiver.url, NODE_OPTIONS: `--import ${HOOK}` };
  return await startDaemon(context, home, env, { started: ["restoring the journal"] });
}

const ended = async ({ process: child }: Daemon): Promise<unknown[]> => await once(child, "close");

describe("while the journal is restored", () => {
  // The entities of a kind are 10 000 at the most: what is beyond is left out, which reads the rows again.
  test.for([ROWS, 2 * ROWS])(
    "a process lives, is not ready, and says so; nothing is polled or sent: %i rows",
    async (rows, context) => {
      const house = await prepare(context, rows);
      const daemon = await startHeld(context, house);
      const ask = async (path: string, init?: RequestInit): Promise<readonly unknown[]> => {
        const reply = await fetch(`${daemon.url}${path}`, init);
        return [reply.status, reply.headers.get("retry-after"), await reply.text()];
      };
      const far = `restoring the journal \\(\\d+ of ${rows} rows\\)`;
      const matching = (text: string): unknown => expect.stringMatching(new RegExp(text));
      expect(daemon.lines.at(-1)).toMatchObject({ rows });
      expect(await ask("/healthz")).toEqual([200, null, matching(`^ok\n${far}\n$`)]);
      expect(await ask("/readyz")).toEqual([503, "2", matching(`^${far}\n$`)]);
      const refused = [503, "2", matching(`aggwatch is ${far}`)];
      for (const path of ["/", "/metrics", "/plain"]) expect(await ask(path)).toEqual(refused);
      const kill = { method: "POST", body: "{}" };
      const answers = [await ask("/api/v1/status"), await ask("/api/v1/kill", kill)];
      expect(answers).toEqual([refused, refused]);
      expect(JSON.parse(String(answers[0]?.[2]))).toHaveProperty("error");
      const status = await runCli(context, ["status", "--url", daemon.url]);
      expect(status).toMatchObject({ code: 1, err: matching(`aggwatch is ${far}`) });
      expect([house.aggregator.heard, house.receiver.seen]).toEqual([[], []]);
      daemon.process.kill("SIGUSR2");
      const { url } = await daemon.line(({ msg }) => msg === "watching");
      expect(url).toBe(daemon.url);
      await house.aggregator.next("GET", "/exchange/list");
      await house.receiver.request(({ method }) => method === "GET", { what: "heartbeat" });
      expect((await daemon.status()).version).not.toBe("");
      expect(await daemon.end("SIGTERM")).toBe(0);
    },
  );

  test("SIGTERM ends it, and the journal is closed", async (context) => {
    const house = await prepare(context);
    const daemon = await startHeld(context, house);
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(daemon.lines.some(({ msg }) => msg === "watching")).toBe(false);
    expect(existsSync(join(house.home.data, `${JOURNAL_FILE}-wal`))).toBe(false);
    expect([house.aggregator.heard, house.receiver.seen]).toEqual([[], []]);
  });

  test("a row that is damaged ends it, as it does before anything is answered", async (context) => {
    const house = await prepare(context);
    const file = join(house.home.data, JOURNAL_FILE);
    const database = new DatabaseSync(file);
    database.exec("UPDATE state SET value = 'x' WHERE key = 'sim/pair/P005999'");
    database.close();
    const daemon = await startHeld(context, house);
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    const end = ended(daemon);
    daemon.process.kill("SIGUSR2");
    expect(await end).toEqual([1, null]);
    expect(daemon.errors()).toContain(`aggwatch cannot start: ${file} is damaged (the row entity `);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect([house.aggregator.heard, house.receiver.seen]).toEqual([[], []]);
  });

  test("one that hangs ends the process, as a loop that stands still does", async (context) => {
    const daemon = await startHeld(context, await prepare(context, ROWS, "stuck_after: 2s\n"));
    expect(await ended(daemon)).toEqual([null, "SIGABRT"]);
    expect(daemon.lines.at(-1)?.["msg"]).toMatch(/^stuck: the event loop turns, and yet/);
  });

  test("no second process gets the journal", async (context) => {
    const house = await prepare(context);
    await startHeld(context, house);
    const env = { ...ACT_KEY, HOOK_URL: house.receiver.url };
    const second = await runCli(context, runArguments(house.home), env);
    expect(second).toMatchObject({ code: 1, err: expect.stringContaining("another aggwatch") });
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import { expect, test, type TestContext } from "vitest";
import { sendJson, startServer } from "../io/local-server.ts";
import { commandLine } from "../cli/command-line.ts";
import { makeHome, runCli, startDaemon, type Daemon, type Home } from "./daemon.ts";
import {
  ACT,
  ALL,
  base64,
  COUNT,
  HOOK,
  idOf,
  leaksIn,
  LIST,
  READ,
  SPELLINGS,
  startEcho,
} from "./echo.ts";
import { QUICK_RULES } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

const ENV = { READ, ACT, LIST };

const CONFIG = (aggregator: string, list: string): string => `
aggregators:
  - name: sim
    base_url: ${aggregator}
    auth:
      read: { type: bearer, value_env: READ }
      act: { type: header, name: X-API-KEY, value_env: ACT }
    retries: 0
    rate: { requests_per_second: 500 }
    schedules: { exchanges: "* * * * * *", liquidations: "*/2 * * * * *", pools: "*/2 * * * * *", swaps: "*/2 * * * * *" }
    watch:
      liquidations: [${ALL.map((index) => `"${idOf(index)}"`).join()}]
      senders: [${ALL.map((index) => `"${idOf(index)}"`).join()}]
      pools: [${ALL.map((index) => `{ factory: F${index}, pair: A-B }`).join()}]
      http: [{ url: "${list}/list", every: 1s, auth: { type: bearer, value_env: LIST } }]
actions: { mode: act, settle_after_start: 0s }
record: { replies: { keep: changes } }
log: { level: trace, format: json }
notify:
  webhooks: [{ name: hook, url_env: HOOK_URL, auth: { type: bearer, value_env: LIST } }]
`;

async function get(daemon: Daemon, path: string): Promise<string> {
  return (await fetch(daemon.url + path)).text();
}

/** What the API says to who asks for everything that it documents without arguments. */
async function everyAnswer(daemon: Daemon): Promise<readonly string[]> {
  const document = JSON.parse(await get(daemon, "/api/v1/openapi.json")) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const paths = Object.entries(document.paths).flatMap(([path, calls]) =>
    "get" in calls && !path.includes("{") && path !== EVENTS ? [path] : [],
  );
  const explained = "/api/v1/explain?rule=ExchangeDisabled&entity=exchange/BINANCE";
  const pages = ["/", "/plain", "/metrics", "/healthz", "/readyz", explained, ...paths];
  return await Promise.all([...pages.map((path) => get(daemon, path)), firstEvents(daemon)]);
}

const EVENTS = "/api/v1/events";

/** They never end: what comes with the next changes. */
async function firstEvents(daemon: Daemon): Promise<string> {
  const stop = new AbortController();
  const { body } = await fetch(daemon.url + EVENTS, { signal: stop.signal });
  let said = "";
  for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    said += piece;
    if (said.includes("event: findings") || said.includes("event: entities")) break;
  }
  stop.abort();
  return said;
}

/** Those that are given secrets run as processes, the others here, as that is faster. */
async function everyCommand(
  context: TestContext,
  { config, rules, data }: Home,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const files = ["--config", config];
  const kept = await commandLine(["replies", "--data", data, "--limit", "500"], env);
  const ids = [...kept.printed.matchAll(/^(\d+) /gm)].map(([, id = ""]) => id);
  expect(ids.length).toBeGreaterThan(10);
  const lines = [
    ["status"],
    ["alerts"],
    ["remediations"],
    ["watch", "list"],
    ["explain", "ExchangeDisabled", "exchange/BINANCE"],
    ["explain", "PollFailing", "poller/pools"],
    ["replies", "--data", data, "--limit", "500", "--json"],
    ["replies", "--data", data, ids[0] ?? ""],
    ["probe", ...files, "--json"],
    ["check", ...files, "--rules", rules],
  ];
  const processes = await Promise.all(
    [
      ["probe", ...files],
      ["notify", "test", ...files, "--rules", rules],
    ].map((line) => runCli(context, line, env)),
  );
  const here = await Promise.all(lines.map((line) => commandLine(line, env)));
  return [
    ...processes.map(({ out, err }) => out + err),
    ...[kept, ...here].map(({ printed, complained }) => printed + complained),
  ];
}

/** The bytes of all files, and every value of every row, with what it is when it is decompressed. */
function everythingOnDisk({ data }: Home): readonly string[] {
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const bytes = files.map((file) => readFileSync(file).toString("latin1"));
  const rows = files
    .filter((file) => file.endsWith(".sqlite"))
    .flatMap((file) => {
      const database = new DatabaseSync(file, { readOnly: true, readBigInts: true });
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const values = tables.flatMap(({ name }) =>
        database
          .prepare(`SELECT * FROM "${String(name)}"`)
          .all()
          .flatMap((row) => Object.values(row)),
      );
      database.close();
      return values.map((value) => (value instanceof Uint8Array ? inflated(value) : String(value)));
    });
  return [...bytes, ...rows];
}

function inflated(value: Uint8Array): string {
  for (const [open, start] of [
    [inflateRawSync, 1],
    [zstdDecompressSync, 0],
  ] as const)
    try {
      return open(value.subarray(start)).toString();
    } catch {
      // It is of another kind.
    }
  return Buffer.from(value).toString("latin1");
}

/** On a busy machine: a daemon, two more processes, and a search of all that there is. */
const TAKES_AT_MOST = 180_000;

test(
  "a key that comes back in any spelling, in every place, is in no outlet",
  async (context) => {
    const { url, requests } = await startEcho(context);
    const hook: Receiver = await startReceiver(context);
    hook.answers = ({ url: path, headers }, response) => {
      response.writeHead(500);
      response.end(`no such hook: ${path} ${base64(path)} for ${JSON.stringify(headers)}`);
    };
    const list = await startServer(({ headers }, response) =>
      sendJson(response, [
        { targets: [idOf(99)], labels: { kind: "sender", alias: headers.authorization } },
      ]),
    );
    context.onTestFinished(list.close);
    const home = makeHome(context, CONFIG(url, list.baseUrl), QUICK_RULES);
    const env = { ...ENV, HOOK_URL: `${hook.url}/hooks/${HOOK}` };
    const daemon = await startDaemon(context, home, env);
    const errors: string[] = [];
    daemon.process.stderr?.on("data", (chunk: Buffer) => errors.push(String(chunk)));

    await requests.first(({ method }) => method === "POST", { what: "that acts" });
    // Everything is answered with both keys from now on, and read to its end before the next of it.
    const last = String(COUNT - 1);
    const answered = [last, `F${last}/A-B`, "/exchange/disabled"].map(async (end) => {
      for (let poll = 0; poll < 2; poll += 1)
        await requests.next(({ url: path }) => path.endsWith(end), { atMostMs: 60_000 });
    });
    await Promise.all(answered);
    await hook.request(({ body }) => body.includes("PollFailing"));
    await daemon.line((line) => line["poller"] === "exchanges" && line["outcome"] === "truncated");

    const answers = await everyAnswer(daemon);
    const said = await everyCommand(context, home, { ...env, AGGWATCH_URL: daemon.url });
    expect(await daemon.end("SIGTERM")).toBe(0);
    const shown: Readonly<Record<string, readonly string[]>> = {
      log: [...daemon.lines.map((line) => JSON.stringify(line)), errors.join("")],
      answers,
      commands: said,
      disk: everythingOnDisk(home),
      notifications: hook.seen.map(({ body }) => body),
      requests: requests.all.map(({ url: path, body }) => `${path} ${body}`),
    };
    for (const [where, texts] of Object.entries(shown)) {
      const leaks = texts.flatMap((text) =>
        leaksIn(text).map((piece) => `${piece} in ${text.slice(0, 300)}`),
      );
      expect(leaks.slice(0, 3), where).toEqual([]);
    }
    for (const where of ["log", "answers", "commands", "disk"])
      expect(
        shown[where]?.some((text) => text.includes("[redacted]")),
        where,
      ).toBe(true);
    const acted = requests.all.filter(({ headers }) => "x-api-key" in headers);
    expect(new Set(acted.map(({ url: path }) => path))).toEqual(
      new Set(["/api/v1/exchange/toggle/BINANCE"]),
    );
  },
  TAKES_AT_MOST,
);

test("what this test looks for would be found", () => {
  for (const secret of [READ, ACT, HOOK, LIST])
    for (const spell of SPELLINGS) expect(leaksIn(`a ${spell(secret)} b`)).not.toEqual([]);
});

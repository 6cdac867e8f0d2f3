import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test, type TestContext } from "vitest";
import { until } from "../e2e/until.ts";
import { childEnvironment } from "../child-environment.ts";
import { startAggregator } from "./aggregator.ts";
import { MAIN, makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";

/** Agents that use the official client, against a real daemon. */

const PEOPLE = {
  reader: ["read"],
  agent: ["read", "hold"],
  all: ["read", "operate", "approve"],
};
type Person = keyof typeof PEOPLE;

const READING = ["status", "alerts", "entities", "explain", "timeline"];

async function begin(context: TestContext, mcp = true) {
  const aggregator = await startAggregator(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "propose" })}
server: { tokens_file: tokens.yaml, mcp: ${mcp} }
`;
  const home = makeHome(context, config, QUICK_RULES);
  const directory = dirname(home.config);
  const tokens = Object.entries(PEOPLE).map(([name, scopes]) => {
    writeFileSync(join(directory, `${name}.token`), `${name}-token\n`);
    const sha256 = createHash("sha256").update(`${name}-token`).digest("hex");
    return `- { name: ${name}, token_sha256: "${sha256}", scopes: [${scopes.join(", ")}] }\n`;
  });
  writeFileSync(join(directory, "tokens.yaml"), tokens.join(""));
  const daemon = await startDaemon(context, home, ACT_KEY);
  const tokenFile = (person: Person): string => join(directory, `${person}.token`);
  return { aggregator, daemon, tokenFile };
}

type Story = Awaited<ReturnType<typeof begin>>;
type Transport = "stdio" | "http" | "http of 2026";

async function connect(
  context: TestContext,
  { daemon, tokenFile }: Story,
  transport: Transport,
  person?: Person,
): Promise<Client> {
  const negotiation = transport === "http" ? {} : { versionNegotiation: { mode: "auto" } as const };
  const client = new Client({ name: "test", version: "1" }, negotiation);
  context.onTestFinished(() => client.close());
  if (transport === "stdio") {
    const args = [MAIN, "mcp", "--url", daemon.url];
    if (person !== undefined) args.push("--token-file", tokenFile(person));
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }),
    );
    return client;
  }
  const authorization = person === undefined ? {} : { authorization: `Bearer ${person}-token` };
  const url = new URL("/mcp", daemon.url);
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: authorization } }),
  );
  return client;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [only] = content;
  if (only?.type !== "text") throw new Error("an answer without a text");
  const [, json = ""] = /<data-from-outside>\n(.*)\n<\/data-from-outside>$/s.exec(only.text) ?? [];
  return { isError: isError === true, text: only.text, data: JSON.parse(json) as Data };
}

type Data = {
  readonly alerts: ReadonlyArray<{ readonly state: string }>;
  readonly entities: ReadonlyArray<{ readonly id: string; readonly facts: object }>;
  readonly rows: readonly object[];
  readonly rules: readonly object[];
  readonly total: number;
  readonly state: string;
  readonly result?: { readonly alerts_more: object[]; readonly alerts_fewer: object[] };
};

const READER_TOOLS = [...READING, "try_rule", "backtest", "backtest_result", "backtest_cancel"];

const TRIED = `
groups:
  - name: tried
    rules:
      - { alert: Tried, each: exchange, when: exchange.name == "BINANCE" }
`;

const SILENCES_TOO_MUCH = [
  { for: "1h", reason: "all" },
  { aggregator: "sim", for: "1h", reason: "all" },
  { rule: "ExchangeDisabled", for: "25h", reason: "long" },
];

describe.each([
  ["stdio", "all"],
  ["http", "agent"],
  ["http of 2026", "all"],
] as const)("an agent over %s", (transport, who) => {
  test("reads the status, lists, reasons and what happened, tries a rule, and may do no more", async (context) => {
    const story = await begin(context);
    story.aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await story.daemon.line(alertLine("ExchangeDisabled", "firing"));
    const client = await connect(context, story, transport, "reader");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READER_TOOLS);
    expect((await call(client, "status")).text).toContain("ExchangeDisabled");
    const { data: alerts } = await call(client, "alerts", { state: "firing" });
    expect(alerts.alerts).toMatchObject([{ alertname: "ExchangeDisabled", state: "firing" }]);
    const other = await call(client, "alerts", { entity: "exchange/OKX" });
    expect(other.data.alerts).toEqual([]);
    const { data: entities } = await call(client, "entities", { kind: "exchange", limit: 2 });
    expect(entities.entities).toHaveLength(2);
    const about = { rule: "ExchangeDisabled", entity: "exchange/BINANCE" };
    expect((await call(client, "explain", about)).text).toMatch(/BINANCE.*firing/s);
    const { data: happened } = await call(client, "timeline", { alertname: "ExchangeDisabled" });
    expect(happened.rows.length).toBeGreaterThan(0);
    const { data: tried } = await call(client, "try_rule", { rules: TRIED });
    expect(tried.rules).toMatchObject([{ alertname: "Tried" }]);
    // What goes wrong is data, too.
    const unknown = await call(client, "explain", { rule: "Nonsense", entity: "exchange/X" });
    expect(unknown.isError).toBe(true);
    expect(unknown.data).toMatch(/refused \(404\).*Nonsense/s);
    const misspelt = await call(client, "alerts", { alertname: "ExchangeDisbled" });
    expect(misspelt.isError).toBe(true);
    expect(misspelt.data).toMatch(/refused \(400\).*did you mean "ExchangeDisabled"/s);
    // What its token does not allow is not a tool of its own.
    const given = { kind: "exchange", id: "BINANCE", for: "1h", reason: "I was told to" };
    for (const name of ["hold", "silence"])
      await expect(client.callTool({ name, arguments: given })).rejects.toThrow(
        /not found|unknown/i,
      );
    expect(await story.daemon.status()).toMatchObject({ holds: [], silences: [] });
    expect(story.daemon.errors()).toBe("");
  });

  test("holds and silences under its holder's name, and decides or releases nothing, whatever its token allows", async (context) => {
    const story = await begin(context);
    const client = await connect(context, story, transport, who);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...READER_TOOLS, "hold", "silence"]);
    for (const name of ["approve", "deny", "kill", "release", "unhold", "reload"])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/not found|unknown/i);
    // Nor is everything silenced at once, or for long.
    for (const given of SILENCES_TOO_MUCH) {
      const { content, isError } = await client.callTool({ name: "silence", arguments: given });
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toMatch(/must name a rule or an entity|at most 24h/);
    }
    const held = { kind: "exchange", id: "BINANCE", for: "1h", reason: "it is in maintenance" };
    expect(await call(client, "hold", held)).toMatchObject({ isError: false });
    const silenced = { rule: "ExchangeDisabled", for: "30m", reason: "known" };
    expect(await call(client, "silence", silenced)).toMatchObject({ isError: false });
    const { holds, silences } = await story.daemon.status();
    expect(holds).toMatchObject([{ owner: who, scope: { kind: "exchange", id: "BINANCE" } }]);
    expect(silences).toMatchObject([{ owner: who, scope: { rule: "ExchangeDisabled" } }]);
  });
});

const DISABLED = TRIED.replace('exchange.name == "BINANCE"', "exchange.disabled");

describe.each(["stdio", "http"] as const)("an agent over %s", (transport) => {
  test("replays the past by a rule of its own, beside what that rule really did", async (context) => {
    const story = await begin(context);
    const client = await connect(context, story, transport, "reader");
    const { at: since } = await story.daemon.status();
    story.aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await story.daemon.line(alertLine("ExchangeDisabled", "firing"));

    const wrong = await call(client, "backtest", { since, rules: TRIED.replace(".name", ".nam") });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text).toContain("rule.yaml:5");
    const begun = await call(client, "backtest", { since, rules: DISABLED });
    expect(begun).toMatchObject({ isError: false, data: { state: "running", by: "reader" } });
    const data = await until("the backtest has ended", async () => {
      const { data: result } = await call(client, "backtest_result");
      return result.state === "running" ? undefined : result;
    });
    expect(data).toMatchObject({ state: "done", result: { counts: { alerts_told: 0 } } });
    expect(data.result?.alerts_more).toMatchObject([{ rule: "Tried", entity: { id: "BINANCE" } }]);
    expect(data.result?.alerts_fewer).toStrictEqual([]);
  });

  test("cancels what it began, and is refused a second one meanwhile", async (context) => {
    const story = await begin(context);
    const client = await connect(context, story, transport, "reader");
    const { at: since } = await story.daemon.status();
    await call(client, "backtest", { since });
    expect(await call(client, "backtest", { since })).toMatchObject({ isError: true });
    const cancelled = await call(client, "backtest_cancel");
    expect(cancelled.data.state).toBe("cancelled");
  });
});

describe("/mcp", () => {
  test("answers nobody unless it is switched on", async (context) => {
    const story = await begin(context, false);
    await expect(connect(context, story, "http", "all")).rejects.toThrow(/server\.mcp/);
  });

  test("answers nobody without a token, with a wrong one, or under another name", async (context) => {
    const story = await begin(context);
    await expect(connect(context, story, "http")).rejects.toThrow();
    const { port } = new URL(story.daemon.url);
    const post = async (headers: Record<string, string>): Promise<number | undefined> => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
      const asked = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers });
      asked.end(body);
      const [reply] = (await once(asked, "response")) as [IncomingMessage];
      reply.resume();
      return reply.statusCode;
    };
    const json = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const right = { ...json, authorization: "Bearer reader-token" };
    expect(await post(json)).toBe(401);
    expect(await post({ ...json, authorization: "Bearer guessed" })).toBe(401);
    expect(await post({ ...right, host: "evil.example" })).toBe(421);
    expect(await post(right)).toBe(200);
  });
});

test("over stdio an agent reads without a token, as everybody does, and no more", async (context) => {
  const story = await begin(context, false);
  const client = await connect(context, story, "stdio");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(READING);
  expect((await call(client, "entities", { kind: "exchange" })).data.total).toBeGreaterThan(0);
});

test("without an input, `aggwatch mcp` ends with exit code 0", async () => {
  const child = spawn(process.execPath, [MAIN, "mcp"], {
    env: childEnvironment(),
    stdio: "ignore",
  });
  expect(await once(child, "close")).toEqual([0, null]);
});

/** Tests src/cli/operate/mcp.ts: what is said of lines that are no messages, and when it ends. */
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it, type TestContext } from "vitest";
import { sendJson, startServer } from "../../io/local-server.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { commandLine } from "../command-line.ts";

it.each(["[]", "{}", "null", '{"jsonrpc":"1.0","id":1,"method":"ping"}'])(
  "says in a line that this is no message: %s",
  async (line) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(`${line}\n`);
    const ran = await commandLine(["mcp"], {}, { streams: { input, output } });
    expect(ran).toMatchObject({
      exitCode: 0,
      complained: "mcp: a line is not a message of JSON-RPC 2.0",
    });
  },
);

/** A daemon that never answers; `asked` is fulfilled once it is asked. */
async function silentDaemon(context: TestContext) {
  const asked = Promise.withResolvers<void>();
  const { baseUrl: url, close } = await startServer(() => asked.resolve());
  context.onTestFinished(close);
  return { url, asked: asked.promise };
}

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const STATUS = { id: 2, method: "tools/call", params: { name: "status", arguments: {} } };

function lines(messages: readonly object[]): string {
  return messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
}

function answers(written: string): ReadonlyArray<{ readonly id: number }> {
  return written
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly id: number });
}

it("answers what was asked before the input ended, as when a file is piped into it", async (context) => {
  const { baseUrl, close } = await startServer((_, reply) => sendJson(reply, { answer: "late" }));
  context.onTestFinished(close);
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(
    lines([INITIALIZE, { method: "notifications/initialized" }, STATUS, { ...STATUS, id: 3 }]),
  );
  const ran = await commandLine(["mcp", "--url", baseUrl], {}, { streams: { input, output } });
  expect(ran).toMatchObject({ exitCode: 0, complained: "" });
  const given = answers(await text(output.end()));
  expect(given.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(JSON.stringify(given[2])).toContain("late");
});

it("waits for no answer to what was cancelled, nor once it is stopped or its output is gone", async (context) => {
  const { url } = await silentDaemon(context);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const cancel = { method: "notifications/cancelled", params: { requestId: 2 } };
  input.end(lines([INITIALIZE, STATUS, cancel]));
  const cancelled = await commandLine(["mcp", "--url", url], {}, { streams: { input, output } });
  expect(cancelled.exitCode).toBe(0);
  expect(answers(await text(output.end())).map(({ id }) => id)).toEqual([1]);

  for (const how of ["stopped", "gone"]) {
    const silent = await silentDaemon(context);
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const stop = new AbortController();
    const change = { streams, signal: stop.signal };
    streams.input.end(lines([INITIALIZE, STATUS]));
    const ran = commandLine(["mcp", "--url", silent.url], {}, change);
    await silent.asked;
    if (how === "stopped") stop.abort();
    else streams.output.destroy(new Error("EPIPE"));
    expect((await ran).exitCode).toBe(0);
  }
});

/** The arguments of a command that shows a token. */
function withToken(context: TestContext, url: string): readonly string[] {
  const directory = temporaryDirectory();
  context.onTestFinished(directory.remove);
  const tokenFile = join(directory.path, "token");
  writeFileSync(tokenFile, "secret-of-agent\n");
  return ["--url", url, "--token-file", tokenFile];
}

const AWAY = [
  ["is away", (reply) => void reply.destroy(), "no aggwatch answers at"],
  [
    "is away behind a proxy",
    (reply) => void reply.writeHead(502).end("<html>"),
    "does a proxy stand there that cannot reach aggwatch",
  ],
] satisfies ReadonlyArray<readonly [string, (reply: ServerResponse) => void, string]>;

it.for(AWAY)(
  "offers all tools if the daemon that knows what the token allows %s, and asks it once it is back",
  async ([, beAway, said], context) => {
    let isAway = true;
    const { baseUrl, close } = await startServer((_, reply) => {
      if (isAway) beAway(reply);
      else sendJson(reply, { answer: "back" });
    });
    context.onTestFinished(close);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const replies: string[] = [];
    output.on("data", (chunk: Buffer) => {
      replies.push(chunk.toString());
      if (replies.length === 3) isAway = false;
      if (replies.length === 3) input.end(lines([{ ...STATUS, id: 4 }]));
    });
    input.write(lines([INITIALIZE, { id: 2, method: "tools/list" }, { ...STATUS, id: 3 }]));
    const options = withToken(context, baseUrl);
    const ran = await commandLine(["mcp", ...options], {}, { streams: { input, output } });
    expect(ran.complained).toMatch(/^all tools are offered, as it is not known/);
    expect(ran.complained).toContain(said);
    expect(ran.exitCode).toBe(0);
    const [, listed = "", away = "", back = ""] = replies.join("").split("\n");
    expect(listed).toContain('"name":"hold"');
    expect(away).toContain(said);
    expect(back).toContain("back");
  },
);

it("says of a tool that changes something alone that it may have been done", async (context) => {
  const { baseUrl, close } = await startServer(({ url }, reply) => {
    if (url === "/api/v1/token") sendJson(reply, { scopes: ["hold", "read"] });
    else reply.destroy();
  });
  context.onTestFinished(close);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const use = (id: number, name: string, given: object) => ({
    id,
    method: "tools/call",
    params: { name, arguments: given },
  });
  const held = { rule: "R", for: "1h", reason: "why" };
  const tried = use(2, "try_rule", { rules: "groups: []" });
  const replayed = use(3, "backtest", { since: "2026-01-31T12:00:00Z" });
  input.end(lines([INITIALIZE, tried, replayed, use(4, "hold", held)]));
  const options = withToken(context, baseUrl);
  await commandLine(["mcp", ...options], {}, { streams: { input, output } });
  const given = answers(await text(output.end())).filter(({ id }) => id > 1);
  const said = given.map((one) => [one.id, JSON.stringify(one).includes("may have been done")]);
  expect(Object.fromEntries(said)).toEqual({ 2: false, 3: false, 4: true });
});

/** Tests src/cli/operate/mcp.ts: what is said of lines that are no messages, and when it ends. */
import { writeFileSync } from "node:fs";
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

it("offers all tools if the daemon that knows what the token allows is away, and asks it once it is back", async (context) => {
  let isAway = true;
  const { baseUrl, close } = await startServer((_, reply) => {
    if (isAway) reply.destroy();
    else sendJson(reply, { answer: "back" });
  });
  context.onTestFinished(close);
  const directory = temporaryDirectory();
  context.onTestFinished(directory.remove);
  const tokenFile = join(directory.path, "token");
  writeFileSync(tokenFile, "secret-of-agent\n");
  const [input, output] = [new PassThrough(), new PassThrough()];
  const told: string[] = [];
  output.on("data", (chunk: Buffer) => {
    told.push(chunk.toString());
    if (told.length === 3) isAway = false;
    if (told.length === 3) input.end(lines([{ ...STATUS, id: 4 }]));
  });
  input.write(lines([INITIALIZE, { id: 2, method: "tools/list" }, { ...STATUS, id: 3 }]));
  const options = ["--url", baseUrl, "--token-file", tokenFile];
  const ran = await commandLine(["mcp", ...options], {}, { streams: { input, output } });
  expect(ran).toMatchObject({
    exitCode: 0,
    complained: expect.stringMatching(
      /^all tools are offered, .*: no aggwatch answers at/,
    ) as unknown,
  });
  const [, listed = "", away = "", back = ""] = told.join("").split("\n");
  expect(listed).toContain('"name":"hold"');
  expect(away).toContain("no aggwatch answers at");
  expect(back).toContain("back");
});

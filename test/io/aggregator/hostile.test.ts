/** Tests src/io/aggregator: hostile. */
import { once } from "node:events";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import type { FailureReason } from "../../../src/domain/http.ts";
import { probeEndpoint } from "../../../src/io/probe/probe-endpoint.ts";
import type { Handler } from "../local-server.ts";
import { sendJson } from "../local-server.ts";
import type { Fixture } from "./client-fixture.ts";
import { connect, IMPATIENT, never, clientTo } from "./client-fixture.ts";

let fixture: Fixture | undefined;
const closers: Array<() => void> = [];

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
  for (const close of closers.splice(0)) close();
});

const bomb = gzipSync(Buffer.alloc(30_000_000, " "));

const hostile: ReadonlyArray<{
  readonly what: string;
  readonly answer: Handler;
  readonly reason: FailureReason;
}> = [
  {
    what: "a body that is larger than the cap, and says so",
    answer: (_seen, response) => {
      response.writeHead(200, { "content-length": "300000000" });
      response.write("[");
    },
    reason: "too_large",
  },
  {
    what: "a body that is larger than the cap, in one piece",
    answer: (_seen, response) => response.end(`["${"x".repeat(50_000)}"]`),
    reason: "too_large",
  },
  {
    what: "a chunked body without an end",
    answer: (_seen, response) => {
      const chunk = Buffer.alloc(4_096, " ");
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    },
    reason: "too_large",
  },
  {
    what: "a gzip bomb",
    answer: (_seen, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(bomb);
    },
    reason: "too_large",
  },
  {
    what: "a body that says gzip and is none",
    answer: (_seen, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end("plain text");
    },
    reason: "malformed",
  },
  {
    what: "a page instead of JSON",
    answer: (_seen, response) => response.end("<html><body>Sign in</body></html>"),
    reason: "malformed",
  },
  {
    what: "JSON that was cut",
    answer: (_seen, response) => response.end('["BINANCE", "KUC'),
    reason: "malformed",
  },
  { what: "no body", answer: (_seen, response) => response.end(), reason: "malformed" },
  {
    what: "JSON nested ten thousand deep",
    answer: (_seen, response) => response.end("[".repeat(9_000) + "]".repeat(9_000)),
    reason: "too_large",
  },
  {
    what: "a number that no double can hold",
    answer: (_seen, response) => response.end("[1e999]"),
    reason: "mismatch",
  },
  {
    what: "a redirect elsewhere",
    answer: (_seen, response) => {
      response.writeHead(302, {
        location: "http://user:hunter2@127.0.0.1:9/elsewhere?key=hunter2",
      });
      response.end();
    },
    reason: "redirect",
  },
  { what: "no answer at all", answer: () => undefined, reason: "timeout" },
  {
    what: "a body that drips and never ends",
    answer: (_seen, response) => {
      response.writeHead(200);
      response.write("[");
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    },
    reason: "timeout",
  },
  {
    what: "a connection that breaks before the answer",
    answer: (_seen, response) => void response.destroy(),
    reason: "connect",
  },
  {
    what: "a connection that breaks inside the body",
    answer: (_seen, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[");
      setImmediate(() => response.destroy());
    },
    reason: "connect",
  },
  {
    what: "a status of failure",
    answer: (_s, response) => sendJson(response, [], 500),
    reason: "status",
  },
];

describe("a hostile answer becomes a failure with its reason, and nothing else", () => {
  test.each(hostile)("$what: $reason", async ({ answer, reason }) => {
    fixture = await connect(answer, reason === "timeout" ? { timeouts: IMPATIENT } : {});
    const result = await fixture.client.read("exchanges", {}, { signal: never });
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.problem).toMatchObject({ reason, endpoint: "exchanges" });
    expect(result.problem.message.length).toBeLessThanOrEqual(400);
    expect(JSON.stringify(result.problem)).not.toContain("hunter2");
    expect(fixture.server.seen).toHaveLength(1);
  });

  test("a malformed name that repeats the credential is counted, and not shown", async () => {
    const auth = {
      read: { type: "header", name: "X-API-KEY", value: "hunter2-hunter2" },
      act: { type: "none" },
    } as const;
    fixture = await connect(
      ({ headers }, response) =>
        sendJson(response, ["BINANCE", `${"/".repeat(72)}${String(headers["x-api-key"])}`]),
      { auth },
    );
    const result = await fixture.client.read("exchanges", {}, { signal: never });
    expect(result).toMatchObject({ ok: true, value: ["BINANCE"], malformed: { count: 1 } });
    expect(JSON.stringify(result)).not.toContain("hunter");
  });

  test.each([
    ["as it is", (key: string) => key],
    ["in base64", (key: string) => Buffer.from(`key: ${key}`).toString("base64")],
    ["cut", (key: string) => key.slice(3, 11)],
    ["escaped in JSON", (key: string) => encodeURIComponent(key)],
  ])("an entry that is named by a credential is left out: %s", async (_how, spell) => {
    const value = "Hu/nt+er2-hunter2";
    const auth = { read: { type: "header", name: "X-API-KEY", value }, act: { type: "none" } };
    fixture = await connect(
      ({ headers }, response) => {
        const name = spell(String(headers["x-api-key"]));
        const escaped = name.replace(/./g, (sign) => `\\u00${Buffer.from(sign).toString("hex")}`);
        response.end(`{"exchanges":["OKX","${escaped}"],"pairs":[]}`);
      },
      { auth: auth as never },
    );
    const result = await fixture.client.read("disabled", {}, { signal: never });
    expect(result).toMatchObject({
      ok: true,
      value: { exchanges: ["OKX"] },
      malformed: { count: 1, shown: [expect.stringContaining("[redacted]")] },
    });
    const one = await fixture.client.read("pairInfo", { pair: "A-B" }, { signal: never });
    expect(one).toMatchObject({ ok: false, problem: { reason: "mismatch" } });
    expect(JSON.stringify([result, one])).not.toContain(spell(value));
  });

  test("bytes that are not HTTP", async () => {
    const server = net.createServer((socket) => {
      socket.on("error", () => undefined);
      socket.end("SSH-2.0-OpenSSH_9.9\r\n");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(() => server.close());
    const { port } = server.address() as net.AddressInfo;
    const client = clientTo(`http://127.0.0.1:${port}`);
    closers.push(client.close);
    const result = await client.read("exchanges", {}, { signal: never });
    expect(result).toMatchObject({ ok: false, problem: { reason: "malformed" } });
  });

  test("a refusal with a body that is larger than the cap still refuses, and asks to wait", async () => {
    fixture = await connect((_seen, response) => {
      response.writeHead(429, { "retry-after": "60" }).end("x".repeat(50_000));
    });
    const { client } = fixture;
    const clock = { now: () => Date.now() };
    const limitBefore = client.pollLimit();
    const profile = compileProfile({});
    if (!profile.ok) throw new Error("the default profile has problems");
    const world = { client, profile: profile.value, clock, signal: never };
    const probed = await probeEndpoint("disabled", {}, world);
    expect(probed).toMatchObject({ status: 429, advice: expect.stringMatching(/^rate: /) });
    expect(await client.read("exchanges", {}, { signal: never })).toMatchObject({
      problem: {
        reason: "status",
        status: 429,
        message: "status 429 (the body is larger than 20000 bytes)",
        retryAfterMs: 60_000,
      },
    });
    expect(client.isPaused()).toBe(true);
    expect(client.pollLimit()).toBeLessThan(limitBefore);
    await client.read("exchanges", {}, { signal: never });
    expect(fixture.server.seen).toHaveLength(2);
  });

  test("a port on which nobody listens", async () => {
    fixture = await connect((_seen, response) => response.end());
    await fixture.server.close();
    const result = await fixture.client.read("exchanges", {}, { signal: never });
    expect(result).toMatchObject({ ok: false, problem: { reason: "connect" } });
  });

  test("giving up while it waits for its turn, and while it is under way", async () => {
    fixture = await connect(() => undefined, {
      rate: { requestsPerSecond: 1_000, concurrency: 1 },
    });
    const giveUp = new AbortController();
    const first = fixture.client.read(
      "exchanges",
      {},
      { signal: giveUp.signal, onSent: () => setImmediate(() => giveUp.abort()) },
    );
    const second = fixture.client.read("exchanges", {}, { signal: giveUp.signal });
    for (const result of await Promise.all([first, second]))
      expect(result).toMatchObject({ ok: false, problem: { reason: "cancelled" } });
  });

  test("closing ends what is under way and what waits", async () => {
    fixture = await connect(() => undefined, {
      rate: { requestsPerSecond: 1_000, concurrency: 1 },
    });
    const { client } = fixture;
    const reads = [0, 1].map(() => client.read("exchanges", {}, { signal: never }));
    client.close();
    for (const result of await Promise.all(reads))
      expect(result).toMatchObject({ ok: false, problem: { reason: "cancelled" } });
  });
});

import { afterEach, describe, expect, test, vi } from "vitest";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import type { HttpRequest } from "../../../src/domain/http.ts";
import { runAction } from "../../../src/io/aggregator/action-runner.ts";
import { clientProblems, createClient } from "../../../src/io/aggregator/client.ts";
import { credentialOf, redactor } from "../../../src/io/http/credentials.ts";
import { createLimiter, PRIORITY } from "../../../src/io/http/limiter.ts";
import type { Handler, LocalServer } from "../local-server.ts";
import { startServer } from "../local-server.ts";
import { never, TEST_SETTINGS, transportTo } from "./transport-fixture.ts";

const closers: Array<() => void | Promise<void>> = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function courierTo(handler: Handler, requestsPerSecond: number) {
  const server: LocalServer = await startServer(handler);
  const rate = { requestsPerSecond, concurrency: 4 };
  const clock = { now: () => Date.now() };
  const client = createClient({ ...TEST_SETTINGS, baseUrl: server.baseUrl, rate }, clock);
  closers.push(client.close, server.close);
  return { server, client };
}

const request: HttpRequest = { method: "POST", path: "/x", query: {}, headers: {} };
const turn = { priority: PRIORITY.act, onSent: () => undefined };

describe("client", () => {
  test("does not send what its turn has not come for in time, and is sure of that", async () => {
    const { server, client } = await courierTo((_seen, response) => response.end(), 0.01);
    await client.carry("act", request, never, turn);
    const late = await client.carry("act", request, never, { ...turn, waitAtMostMs: 20 });
    expect(late).toMatchObject({ ok: false, problem: { reason: "cancelled", neverSent: true } });
    expect(server.seen).toHaveLength(1);
  });

  test("does not give up what has been sent for having waited too long", async () => {
    const { client } = await courierTo((_seen, response) => {
      setTimeout(() => response.end("late"), 60);
    }, 1_000);
    const sent = await client.carry("act", request, never, { ...turn, waitAtMostMs: 20 });
    expect(sent).toMatchObject({ ok: true, value: { body: "late" } });
  });

  test.each([
    ["POST", "/api/v1/order"],
    ["DELETE", "/api/v1/exchange/toggle/BINANCE"],
    ["PUT", "/x"],
  ] as const)("stops %s %s at the gate, whoever built it", async (method, path) => {
    const { server, client } = await courierTo((_seen, response) => response.end(), 1_000);
    const stopped = await client.carry("act", { ...request, method, path }, never, turn);
    expect(stopped).toMatchObject({ ok: false, problem: { reason: "internal", neverSent: true } });
    expect(server.seen).toHaveLength(0);
  });

  test("sends the headers of the profile, but the credential wins", async () => {
    const server = await startServer((_seen, response) => response.end("[]"));
    const auth = { type: "header", name: "X-Key", value: "right" } as const;
    const settings = { auth: { read: auth, act: { type: "none" } as const } };
    const overrides = { exchanges: { headers: { "x-KEY": "wrong", "X-Partner-Id": "7" } } };
    const transport = transportTo(server.baseUrl, settings, overrides);
    closers.push(transport.close, server.close);
    expect(compileProfile(overrides).ok).toBe(true);
    await transport.read("exchanges", {}, { signal: never });
    expect(server.seen[0]?.headers).toMatchObject({ "x-key": "right", "x-partner-id": "7" });
  });
});

describe("clientProblems", () => {
  test("gives at once, and without values, all for which createClient would throw", () => {
    const none = { type: "none" } as const;
    const auth = { read: none, act: { type: "bearer", token: "hunter2\n" } } as const;
    const problems = clientProblems({ baseUrl: "http://me:hunter2@127.0.0.1", auth });
    expect(problems.map(({ path }) => path)).toEqual([["base_url"], ["auth", "act"]]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
    expect(
      clientProblems({ baseUrl: "http://127.0.0.1", auth: { read: none, act: none } }),
    ).toEqual([]);
  });
});

describe("createLimiter", () => {
  test("keeps the rate, evenly over the second", async () => {
    vi.useFakeTimers();
    try {
      const limiter = createLimiter({ requestsPerSecond: 50, concurrency: 16 });
      const startedAt: number[] = [];
      const begin = Date.now();
      const tasks = Array.from({ length: 120 }, () =>
        limiter.run(
          async () => {
            startedAt.push(Date.now() - begin);
            await Promise.resolve();
          },
          { priority: PRIORITY.poll, signal: never },
        ),
      );
      await vi.advanceTimersByTimeAsync(4_000);
      await Promise.all(tasks);
      const within = (from: number, to: number) =>
        startedAt.filter((at) => at >= from && at < to).length;
      expect(startedAt).toHaveLength(120);
      for (let from = 0; from < 3_000; from += 100)
        expect(within(from, from + 100)).toBeLessThanOrEqual(6);
      expect(within(0, 1_000)).toBeGreaterThan(40);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("runAction", () => {
  test("takes an exception while acting for doubt, not for a refusal", async () => {
    const act = () => Promise.reject(new TypeError("oops"));
    const call = { endpoint: "forceCancel", args: { orderId: "1" } } as const;
    const reply = await runAction({ act }, call, { signal: never });
    expect(reply).toEqual({
      outcome: "in_doubt",
      detail: "internal: a bug while acting (TypeError)",
    });
  });
});

describe("credentialOf", () => {
  test.each([
    [{ type: "bearer", token: "" }, "the value is empty"],
    [{ type: "bearer", token: "a\nb" }, "cannot be sent"],
    [{ type: "basic", username: "a:b", password: "c" }, "colon"],
    [{ type: "header", name: "a b", value: "c" }, "not a header for credentials"],
    [{ type: "header", name: "Host", value: "c" }, "not a header for credentials"],
    [{ type: "header", name: "X-HTTP-Method-Override", value: "DELETE" }, "not a header"],
  ] as const)("refuses %j", (auth, expected) => {
    const credential = credentialOf(auth);
    expect(credential.ok).toBe(false);
    if (!credential.ok) expect(credential.problem).toContain(expected);
  });

  test("redacts the longest spelling first, also where it is percent-encoded", () => {
    const redact = redactor(["abc", "abc/d"]);
    expect(redact("abc abc/d abc%2Fd x")).toBe("[redacted] [redacted] [redacted] x");
  });
});

import { afterEach, describe, expect, test, vi } from "vitest";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import type { HttpRequest } from "../../../src/domain/http.ts";
import {
  createRequestSender,
  senderProblems,
  type RequestSender,
} from "../../../src/io/aggregator/request-sender.ts";
import { credentialHeaders } from "../../../src/io/http/credentials.ts";
import { createLimiter } from "../../../src/io/aggregator/limiter.ts";
import { mostLent, PRIORITY, smoothInterval } from "../../../src/io/aggregator/slots.ts";
import type { Handler, LocalServer } from "../local-server.ts";
import { startServer } from "../local-server.ts";
import { never, TEST_SETTINGS, clientTo } from "./client-fixture.ts";

const closers: Array<() => void | Promise<void>> = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  clock.ahead = 0;
});

async function senderTo(handler: Handler, requestsPerSecond: number) {
  const server: LocalServer = await startServer(handler);
  const rate = { requestsPerSecond, concurrency: 4 };
  const limiter = createLimiter(rate, { clock, longestPauseMs: 1_000 });
  const settings = { ...TEST_SETTINGS, baseUrl: server.baseUrl, rate };
  const sender = createRequestSender(settings, limiter, clock);
  closers.push(sender.close, server.close);
  return { server, sender };
}

const clock = { ahead: 0, now: (): number => Date.now() + clock.ahead };
const request: HttpRequest = {
  method: "POST",
  path: "/api/v1/exchange/toggle/OKX",
  query: {},
  headers: {},
};
const acting = { purpose: "act", priority: PRIORITY.act, signal: never } as const;

/** Sends as much as may be sent at once, so that the next one has to wait for its slot. Gives how many. */
async function spend({ send }: RequestSender, requestsPerSecond: number): Promise<number> {
  const most = smoothInterval(requestsPerSecond).cap + mostLent(requestsPerSecond);
  for (let sent = 0; sent < most; sent += 1) await send(request, acting);
  return most;
}

describe("a request", () => {
  test("is not sent if no slot is free in time, and that is sure", async () => {
    const { server, sender } = await senderTo((_seen, response) => response.end(), 0.01);
    const spent = await spend(sender, 0.01);
    const late = await sender.send(request, { ...acting, waitAtMostMs: 20 });
    const heldBack = { reason: "cancelled", neverSent: true, isOutdated: true };
    expect(late).toMatchObject({ ok: false, problem: heldBack });
    expect(server.seen).toHaveLength(spent);
  });

  test("is not sent if its slot comes after that, as after a suspension", async () => {
    const { server, sender } = await senderTo((_seen, response) => response.end(), 20);
    const spent = await spend(sender, 20);
    const late = sender.send(request, { ...acting, waitAtMostMs: 5_000 });
    clock.ahead = 9_000;
    expect(await late).toMatchObject({
      ok: false,
      problem: { reason: "cancelled", neverSent: true, isOutdated: true },
    });
    expect(server.seen).toHaveLength(spent);
  });

  test("is not given up for having waited too long once it has been sent", async () => {
    const { sender } = await senderTo((_seen, response) => {
      setTimeout(() => response.end("late"), 2_200);
    }, 1_000);
    // A busy machine may stand still for a while before it sends.
    const sent = await sender.send(request, { ...acting, waitAtMostMs: 2_000 });
    expect(sent).toMatchObject({ ok: true, value: { body: "late" } });
  });

  test("that is given up while it waits is never sent", async () => {
    const { server, sender } = await senderTo((_seen, response) => response.end(), 0.01);
    const spent = await spend(sender, 0.01);
    const givingUp = new AbortController();
    const waiting = sender.send(request, { ...acting, signal: givingUp.signal });
    givingUp.abort();
    expect(await waiting).toMatchObject({ problem: { reason: "cancelled", neverSent: true } });
    expect(server.seen).toHaveLength(spent);
  });

  test.each([
    ["POST", "/api/v1/order"],
    ["DELETE", "/api/v1/exchange/toggle/BINANCE"],
    ["PUT", "/x"],
  ] as const)("%s %s is stopped at the gate, whoever built it", async (method, path) => {
    const { server, sender } = await senderTo((_seen, response) => response.end(), 1_000);
    const stopped = await sender.send({ ...request, method, path }, acting);
    expect(stopped).toMatchObject({ ok: false, problem: { reason: "internal", neverSent: true } });
    expect(server.seen).toHaveLength(0);
  });

  test("has the headers of the profile, but the credential wins", async () => {
    const server = await startServer((_seen, response) => response.end("[]"));
    const auth = { type: "header", name: "X-Key", value: "right" } as const;
    const settings = { auth: { read: auth, act: { type: "none" } as const } };
    const overrides = { exchanges: { headers: { "x-KEY": "wrong", "X-Partner-Id": "7" } } };
    const client = clientTo(server.baseUrl, settings, overrides);
    closers.push(client.close, server.close);
    expect(compileProfile(overrides).ok).toBe(true);
    await client.read("exchanges", {}, { signal: never });
    expect(server.seen[0]?.headers).toMatchObject({ "x-key": "right", "x-partner-id": "7" });
  });
});

describe("senderProblems", () => {
  test("gives at once, and without values, all for which createRequestSender would throw", () => {
    const none = { type: "none" } as const;
    const auth = { read: none, act: { type: "bearer", token: "hunter2\n" } } as const;
    const problems = senderProblems({ baseUrl: "http://me:hunter2@127.0.0.1", auth });
    expect(problems.map(({ path }) => path)).toEqual([["base_url"], ["auth", "act"]]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
    expect(
      senderProblems({ baseUrl: "http://127.0.0.1", auth: { read: none, act: none } }),
    ).toEqual([]);
  });
});

describe("createLimiter", () => {
  test("keeps the rate, evenly over the second", async () => {
    vi.useFakeTimers();
    try {
      const limiter = createLimiter(
        { requestsPerSecond: 50, concurrency: 16 },
        { clock, longestPauseMs: 1_000 },
      );
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

describe("credentialHeaders", () => {
  test.each([
    [{ type: "bearer", token: "" }, "the value is empty"],
    [{ type: "bearer", token: "a\nb" }, "cannot be sent"],
    [{ type: "basic", username: "a:b", password: "c" }, "colon"],
    [{ type: "header", name: "a b", value: "c" }, "not a header for credentials"],
    [{ type: "header", name: "Host", value: "c" }, "not a header for credentials"],
    [{ type: "header", name: "X-HTTP-Method-Override", value: "DELETE" }, "not a header"],
    [{ type: "header", name: "X-Original-URI", value: "/x" }, "not a header"],
  ] as const)("refuses %j", (auth, expected) => {
    const credential = credentialHeaders(auth);
    expect(credential.ok).toBe(false);
    if (!credential.ok) expect(credential.problem).toContain(expected);
  });

  test("takes a header for security, whose name holds `uri`", () => {
    const credential = credentialHeaders({ type: "header", name: "X-Security-Token", value: "c" });
    expect(credential).toMatchObject({ ok: true, value: { headers: { "x-security-token": "c" } } });
  });
});

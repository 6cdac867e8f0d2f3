/** Tests src/io/aggregator: act. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ActionCall } from "../../../src/domain/action.ts";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import { succeed } from "../../../src/domain/result.ts";
import { createClient, type ClientSettings } from "../../../src/io/aggregator/client.ts";
import type { Handler } from "../local-server.ts";
import { sendJson } from "../local-server.ts";
import type { Fixture } from "./client-fixture.ts";
import { connect, IMPATIENT, never, TEST_SETTINGS } from "./client-fixture.ts";

let fixture: Fixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const call: ActionCall = { endpoint: "enableExchange", args: { exchange: "BINANCE" } };

async function actAgainst(handler: Handler, settings: Partial<ClientSettings> = {}) {
  const retries = { limit: 3, firstDelayMs: 1, longestDelayMs: 1 };
  fixture = await connect(handler, { retries, ...settings });
  const reply = await fixture.client.act(call, { signal: never });
  return { reply, requests: fixture.server.seen.map(({ method, url }) => `${method} ${url}`) };
}

const once = ["POST /api/v1/exchange/toggle/BINANCE"];

describe("act", () => {
  test("sends the three actions as their method and path, with what they act on as one segment", async () => {
    fixture = await connect((_seen, response) => response.end("anything"));
    const calls: ActionCall[] = [
      { endpoint: "enableExchange", args: { exchange: "A/B C" } },
      { endpoint: "enablePair", args: { exchange: "BINANCE", assetPair: "ORN-USDT" } },
      { endpoint: "forceCancel", args: { orderId: "0xab?x=1#y" } },
    ];
    for (const one of calls)
      expect(await fixture.client.act(one, { signal: never })).toEqual({
        outcome: "acknowledged",
        detail: "status 200",
      });
    expect(fixture.server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /api/v1/exchange/toggle/A%2FB%20C",
      "POST /api/v1/exchange/toggle/BINANCE/ORN-USDT",
      "DELETE /api/v1/order/force/0xab%3Fx%3D1%23y",
    ]);
  });

  test.each([307, 308, 400, 401, 403, 404, 409, 422, 429])(
    "is rejected by status %i, with the aggregator's own reason",
    async (status) => {
      const body = { error: { code: 4, reason: "no such exchange" }, timestamp: "now" };
      const { reply, requests } = await actAgainst((_seen, response) =>
        sendJson(response, body, status),
      );
      expect(reply.outcome).toBe("rejected");
      if (status >= 400) expect(reply.detail).toBe(`status ${status}: no such exchange (code 4)`);
      expect(requests).toEqual(once);
    },
  );

  test.each([300, 301, 302, 303, 304, 399])(
    "is in doubt after status %i, as a server may act and then point elsewhere",
    async (status) => {
      const { reply, requests } = await actAgainst((_seen, response) => {
        response.writeHead(status, { location: "/exchange/BINANCE" }).end();
      });
      expect(reply).toEqual({
        outcome: "in_doubt",
        detail: `status ${status} points elsewhere (/exchange/BINANCE)`,
      });
      expect(requests).toEqual(once);
    },
  );

  test.each([408, 500, 502, 503, 504])(
    "is in doubt after status %i, and not sent again",
    async (status) => {
      const { reply, requests } = await actAgainst((_seen, response) =>
        sendJson(response, {}, status),
      );
      expect(reply).toEqual({ outcome: "in_doubt", detail: `status ${status}` });
      expect(requests).toEqual(once);
    },
  );

  test("is in doubt when no answer comes, and not sent again", async () => {
    const { reply, requests } = await actAgainst(() => undefined, { timeouts: IMPATIENT });
    expect(reply.outcome).toBe("in_doubt");
    expect(reply.detail).toContain("timeout");
    expect(requests).toEqual(once);
  });

  test("is in doubt when the connection breaks after sending, and not sent again", async () => {
    const { reply, requests } = await actAgainst((_seen, response) => void response.destroy());
    expect(reply.outcome).toBe("in_doubt");
    expect(requests).toEqual(once);
  });

  test("is in doubt when the answer is too large to be read", async () => {
    const { reply } = await actAgainst((_seen, response) => response.end("x".repeat(100_000)));
    expect(reply.outcome).toBe("in_doubt");
  });

  test.each([
    [403, "rejected"],
    [307, "rejected"],
    [302, "in_doubt"],
    [408, "in_doubt"],
    [503, "in_doubt"],
    [200, "in_doubt"],
  ])("with status %i and a body that breaks off is %s", async (status, outcome) => {
    const { reply, requests } = await actAgainst((_seen, response) => {
      response.writeHead(status, { "content-length": "100" });
      response.write("{", () => response.destroy());
    });
    expect(reply.outcome).toBe(outcome);
    if (outcome === "rejected") expect(reply.detail).toMatch(new RegExp(`^status ${status} \\(`));
    expect(requests).toEqual(once);
  });

  test("is in doubt when we give up after it was sent", async () => {
    const giveUp = new AbortController();
    fixture = await connect(() => giveUp.abort());
    const reply = await fixture.client.act(call, { signal: giveUp.signal });
    expect(reply.outcome).toBe("in_doubt");
  });

  test("is rejected, as never sent, when nobody listens", async () => {
    fixture = await connect((_seen, response) => response.end());
    await fixture.server.close();
    const reply = await fixture.client.act(call, { signal: never });
    expect(reply).toEqual({
      outcome: "rejected",
      detail: "never sent: connect: cannot connect (ECONNREFUSED)",
    });
  });

  test("is rejected, as never sent, when we give up before its turn", async () => {
    fixture = await connect((_seen, response) => response.end());
    const reply = await fixture.client.act(call, { signal: AbortSignal.abort() });
    expect(reply.outcome).toBe("rejected");
    expect(reply.detail).toContain("never sent");
    expect(fixture.server.seen).toHaveLength(0);
  });

  test.each(["", ".", "..", "../../order", "a\nb", "\ud800"])(
    "is rejected, as never sent, for the exchange %j",
    async (exchange) => {
      fixture = await connect((_seen, response) => response.end());
      const reply = await fixture.client.act(
        { endpoint: "enableExchange", args: { exchange } },
        { signal: never },
      );
      expect(reply.outcome).toBe("rejected");
      expect(fixture.server.seen).toHaveLength(0);
    },
  );

  test("is sent at once while an endpoint hangs, and so are reads of other endpoints", async () => {
    const hanging = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    fixture = await connect(
      ({ url }, response) => {
        if (!url.includes("/history/current")) return sendJson(response, []);
        void hanging.promise.then(() => sendJson(response, []));
        arrived.resolve();
      },
      { rate: { requestsPerSecond: 1_000, concurrency: 8 } },
    );
    const { client } = fixture;
    const swaps = Array.from({ length: 20 }, async (_, index) => {
      const args = { sender: `0x${index}` };
      return await client.read("activeSwaps", args, { signal: never });
    });
    await arrived.promise;
    expect(await client.act(call, { signal: never })).toMatchObject({ outcome: "acknowledged" });
    expect(await client.read("exchanges", {}, { signal: never })).toMatchObject({ ok: true });
    hanging.resolve();
    expect(await Promise.all(swaps)).toHaveLength(20);
  });

  test("is taken back, as never tried, if no slot is free in time", async () => {
    vi.useFakeTimers();
    try {
      const profile = compileProfile({});
      if (!profile.ok) throw new Error("the default profile has problems");
      const client = createClient({
        settings: {
          ...TEST_SETTINGS,
          baseUrl: "http://127.0.0.1",
          rate: { requestsPerSecond: 1_000, concurrency: 1 },
        },
        profile: profile.value,
        clock: { now: () => Date.now() },
        random: () => 0.5,
        createSender: () => ({
          send: () => new Promise(() => undefined),
          close: () => undefined,
        }),
      });
      void client.read("exchanges", {}, { signal: never });
      const reply = client.act(call, { signal: never });
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await reply).toEqual({
        outcome: "unsent",
        detail: "not sent: no slot was free in time",
      });
    } finally {
      vi.useRealTimers();
    }
  });

  test("counts only the statuses of the profile as a success; another 2xx is in doubt", async () => {
    fixture = await connect(
      (_seen, response) => sendJson(response, {}, 202),
      {},
      { enableExchange: { success: [200] } },
    );
    const reply = await fixture.client.act(call, { signal: never });
    expect(reply).toEqual({ outcome: "in_doubt", detail: "status 202" });
  });

  test("takes an exception while acting for doubt, not for a refusal", async () => {
    const profile = compileProfile({});
    if (!profile.ok) throw new Error("the default profile has problems");
    let isBroken = false;
    const client = createClient({
      settings: { ...TEST_SETTINGS, baseUrl: "http://127.0.0.1" },
      profile: profile.value,
      clock: {
        now: () => {
          if (isBroken) throw new TypeError("oops");
          return 0;
        },
      },
      random: () => 0.5,
      createSender: () => ({
        send: () => {
          isBroken = true;
          return Promise.resolve(succeed({ status: 200, headers: {}, body: "" }));
        },
        close: () => undefined,
      }),
    });
    expect(await client.act(call, { signal: never })).toEqual({
      outcome: "in_doubt",
      detail: "internal: a bug while acting (TypeError)",
    });
  });
});

import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { sendJson } from "../local-server.ts";
import type { Fixture } from "./client-fixture.ts";
import { connect, never, clientTo } from "./client-fixture.ts";

let fixture: Fixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const retries = { limit: 2, firstDelayMs: 1, longestDelayMs: 2 };

describe("read", () => {
  test("sends query and body as the profile says, and gives the decoded reply", async () => {
    fixture = await connect(({ url }, response) =>
      sendJson(
        response,
        url.includes("status") ? [] : [{ factory: "F", pair: "A-B", a: "1", p: 2 }],
      ),
    );
    const { client, server } = fixture;
    expect(await client.read("reserves", {}, { signal: never })).toEqual({
      ok: true,
      value: [{ factory: "F", pair: "A-B", a: 1, p: 2 }],
      entries: 1,
    });
    await client.read("ordersByStatus", { status: "A&B c" }, { signal: never });
    await client.read("estimations", { amount: "12.5", side: "BUY" }, { signal: never });
    expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", "/api/v1/pools/reservations", ""],
      ["GET", "/api/v1/order/status?status=A%26B+c", ""],
      ["POST", "/api/v1/pools/estimation", '{"amount":12.5,"side":"BUY"}'],
    ]);
  });

  test("turns a deployment's body into our shape by the map of the settings", async () => {
    fixture = await connect(
      (_seen, response) =>
        sendJson(response, {
          data: [
            { name: "KUCOIN", disabled: true },
            { name: "BINANCE", disabled: false },
          ],
        }),
      {},
      { disabled: { map: '{ "exchanges": [data[disabled].name], "pairs": [] }' } },
    );
    expect(await fixture.client.read("disabled", {}, { signal: never })).toEqual({
      ok: true,
      value: { exchanges: ["KUCOIN"], pairs: [] },
      entries: 2,
    });
  });

  test.each([[[]], [["KUCOIN"]], [["KUCOIN", "BINANCE"]]])(
    "reads %j as disabled by the map of the documentation",
    async (names) => {
      const docs = readFileSync("docs/configuration.md", "utf8");
      const map = /map: '(.*)'/.exec(docs)?.[1] ?? "";
      const listed = ["KUCOIN", "BINANCE"].map((name) => ({
        name,
        disabled: names.includes(name),
      }));
      fixture = await connect(
        (_seen, response) => sendJson(response, { data: listed }),
        {},
        {
          disabled: { map },
        },
      );
      expect(await fixture.client.read("disabled", {}, { signal: never })).toMatchObject({
        ok: true,
        value: { exchanges: names, pairs: [] },
      });
    },
  );

  test("names the JSON path of a mismatch and what is there instead", async () => {
    fixture = await connect((_seen, response) =>
      sendJson(response, { exchanges: ["KUCOIN", 7], pairs: [] }),
    );
    expect(await fixture.client.read("disabled", {}, { signal: never })).toEqual({
      ok: false,
      problem: {
        reason: "mismatch",
        endpoint: "disabled",
        message: "$.exchanges[1]: expected a text, received 7",
      },
    });
  });

  test.each([408, 429, 500, 503])("asks again after status %i", async (status) => {
    let answers = 0;
    fixture = await connect(
      (_seen, response) => {
        answers += 1;
        sendJson(response, answers < 3 ? {} : ["BINANCE"], answers < 3 ? status : 200);
      },
      { retries, longestPauseMs: 0 },
    );
    const result = await fixture.client.read("exchanges", {}, { signal: never });
    expect(result).toEqual({ ok: true, value: ["BINANCE"], entries: 1 });
    expect(fixture.server.seen).toHaveLength(3);
  });

  test.each([302, 400, 401, 403, 404])("does not ask again after status %i", async (status) => {
    fixture = await connect((_seen, response) => sendJson(response, {}, status), { retries });
    const result = await fixture.client.read("exchanges", {}, { signal: never });
    expect(result).toMatchObject({ ok: false, problem: { status } });
    expect(fixture.server.seen).toHaveLength(1);
  });

  test.each(["<html>", '{"a":1}'])("does not ask again after the body %s", async (body) => {
    fixture = await connect((_seen, response) => response.end(body), { retries });
    expect((await fixture.client.read("exchanges", {}, { signal: never })).ok).toBe(false);
    expect(fixture.server.seen).toHaveLength(1);
  });

  test("gives the last failure after the last retry", async () => {
    fixture = await connect((_seen, response) => sendJson(response, {}, 503), {
      retries,
      longestPauseMs: 0,
    });
    const result = await fixture.client.read("exchanges", {}, { signal: never });
    expect(result).toMatchObject({ ok: false, problem: { reason: "status", status: 503 } });
    expect(fixture.server.seen).toHaveLength(3);
  });

  test("does not wait for a Retry-After that lies behind the deadline", async () => {
    fixture = await connect(
      (_seen, response) => {
        response.writeHead(429, { "retry-after": "30" });
        response.end();
      },
      { retries },
    );
    const options = { signal: never, deadlineAt: Date.now() + 10_000 };
    const result = await fixture.client.read("exchanges", {}, options);
    expect(result).toMatchObject({ ok: false, problem: { status: 429, retryAfterMs: 30_000 } });
    expect(fixture.server.seen).toHaveLength(1);
  });

  test("says when each request really left, after it has waited for its turn", async () => {
    let answered = 0;
    fixture = await connect(
      (_seen, response) => {
        answered += 1;
        sendJson(response, []);
      },
      { rate: { requestsPerSecond: 1_000, concurrency: 1 } },
    );
    const { client } = fixture;
    const answeredBefore: number[] = [];
    const onSent = () => void answeredBefore.push(answered);
    const reads = [0, 1, 2].map(() => client.read("exchanges", {}, { signal: never, onSent }));
    await Promise.all(reads);
    expect(answeredBefore).toEqual([0, 1, 2]);
  });

  test("lets an action pass before probes, and probes before polls", async () => {
    const held: Array<() => void> = [];
    fixture = await connect(
      (_seen, response) => {
        held.push(() => sendJson(response, []));
        if (held.length === 1) setImmediate(() => held[0]?.());
        else held.at(-1)?.();
      },
      { rate: { requestsPerSecond: 1_000, concurrency: 1 } },
    );
    const { client, server } = fixture;
    const call = { endpoint: "enableExchange", args: { exchange: "X" } } as const;
    await Promise.all([
      client.read("exchanges", {}, { signal: never }),
      client.read("pairs", {}, { signal: never }),
      client.read("disabled", {}, { signal: never, origin: "probe" }),
      client.act(call, { signal: never }),
    ]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      "/api/v1/exchange/list",
      "/api/v1/exchange/toggle/X",
      "/api/v1/exchange/disabled",
      "/api/v1/pairs/list",
    ]);
  });

  test("never has more requests under way than the concurrency allows", async () => {
    let underWay = 0;
    let most = 0;
    fixture = await connect(
      (_seen, response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        setTimeout(() => {
          underWay -= 1;
          sendJson(response, []);
        }, 5);
      },
      { rate: { requestsPerSecond: 1_000, concurrency: 3 } },
    );
    const { client } = fixture;
    const read20 = async (origin: "poll" | "probe"): Promise<void> => {
      const options = { signal: never, origin };
      await Promise.all(Array.from({ length: 20 }, () => client.read("exchanges", {}, options)));
    };
    // One slot is never a poll's.
    await read20("poll");
    expect(most).toBe(2);
    await read20("probe");
    expect(most).toBe(3);
    expect(fixture.server.seen).toHaveLength(40);
  });
});

describe("credentials", () => {
  const auth = {
    read: { type: "basic", username: "watch", password: "read-Secret-1" },
    act: { type: "header", name: "X-API-KEY", value: "act-Secret-2" },
  } as const;
  const call = { endpoint: "forceCancel", args: { orderId: "0x1" } } as const;

  test("each purpose carries its own, and the acting one goes on actions alone", async () => {
    fixture = await connect((_seen, response) => sendJson(response, []), { auth });
    await fixture.client.read("exchanges", {}, { signal: never });
    await fixture.client.read("brokerBalances", {}, { signal: never });
    await fixture.client.act(call, { signal: never });
    const basic = `Basic ${Buffer.from("watch:read-Secret-1").toString("base64")}`;
    expect(
      fixture.server.seen.map(({ headers }) => [headers.authorization, headers["x-api-key"]]),
    ).toEqual([
      [basic, undefined],
      [basic, undefined],
      [undefined, "act-Secret-2"],
    ]);
  });

  test("are never shown, even if the server echoes them", async () => {
    fixture = await connect(
      ({ headers }, response) => {
        const reason = `bad key ${JSON.stringify(headers)}`;
        sendJson(response, { error: { code: 1, reason }, timestamp: "now" }, 403);
      },
      { auth },
    );
    const read = await fixture.client.read("exchanges", {}, { signal: never });
    const acted = await fixture.client.act(call, { signal: never });
    await fixture.server.close();
    const refused = await fixture.client.read("exchanges", {}, { signal: never });
    const shown = JSON.stringify([read, acted, refused]);
    expect(shown).toContain("[redacted]");
    const encoded = Buffer.from("watch:read-Secret-1").toString("base64");
    for (const secret of ["Secret", encoded]) expect(shown).not.toContain(secret);
  });

  test.each([
    [
      "an error body",
      403,
      (secret: string) => ({ error: { reason: `${"x".repeat(190)}${secret}` } }),
    ],
    ["a body of another shape", 200, (secret: string) => ({ x: `${"x".repeat(67)}${secret}` })],
  ])(
    "are not shown in part where %s is cut in the middle of one",
    async (_what, status, bodyOf) => {
      fixture = await connect(
        (_seen, response) => sendJson(response, bodyOf("act-Secret-2"), status),
        { auth },
      );
      const result = await fixture.client.read("exchanges", {}, { signal: never });
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain("act-S");
    },
  );

  test("are refused in the base URL, without repeating them", () => {
    expect(() => clientTo("http://user:hunter2@127.0.0.1:1/")).toThrow(/user name or a password/);
    expect(() => clientTo("http://user:hunter2@127.0.0.1:1/")).not.toThrow(/hunter2/);
  });

  test("that cannot be sent are refused, without repeating them", () => {
    const broken = { ...auth, act: { type: "bearer", token: "hunter2\n" } } as const;
    expect(() => clientTo("http://127.0.0.1:1", { auth: broken })).toThrow(/auth.act/);
    expect(() => clientTo("http://127.0.0.1:1", { auth: broken })).not.toThrow(/hunter2/);
  });
});

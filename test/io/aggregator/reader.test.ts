import { afterEach, describe, expect, test } from "vitest";
import { compileProfile } from "../../../src/aggregator/profile.ts";
import { createClient, type Client } from "../../../src/io/aggregator/client.ts";
import { sendJson, startServer, type Handler, type LocalServer } from "../local-server.ts";
import { never, TEST_SETTINGS } from "./client-fixture.ts";

/** Real servers, and a clock that moves only when it is told to. */
let server: LocalServer | undefined;
let client: Client | undefined;
let now = 0;

afterEach(async () => {
  client?.close();
  await server?.close();
});

async function connect(
  handler: Handler,
  settings = {},
  wire: Parameters<typeof compileProfile>[0] = {},
): Promise<Client> {
  now = 1_000_000;
  server = await startServer(handler);
  const profile = compileProfile(wire);
  if (!profile.ok) throw new Error("the profile does not compile");
  client = createClient({
    settings: { ...TEST_SETTINGS, baseUrl: server.baseUrl, ...settings },
    profile: profile.value,
    clock: { now: () => now },
    random: () => 0.5,
  });
  return client;
}

const read = async (origin: "poll" | "probe" = "poll") =>
  await client?.read("exchanges", {}, { signal: never, origin });

const conditions = (): unknown[] =>
  (server?.seen ?? []).map(({ headers }) => headers["if-none-match"]);

describe("a body that is the one before", () => {
  test("is not decoded again, and the reading is known to be new", async () => {
    const sent: number[] = [];
    await connect((_seen, response) => sendJson(response, ["BINANCE"]));
    const values: unknown[] = [];
    for (let poll = 0; poll < 3; poll += 1) {
      now += 10_000;
      const options = { signal: never, onSent: (at: number) => void sent.push(at) };
      const answer = await client?.read("exchanges", {}, options);
      values.push(answer?.ok === true ? answer.value : answer);
    }
    expect(values[0]).toEqual(["BINANCE"]);
    expect(values[1]).toBe(values[0]);
    expect(values[2]).toBe(values[0]);
    expect(sent).toEqual([1_010_000, 1_020_000, 1_030_000]);
    expect(client?.unchanged()).toEqual({ sameBody: 2, notModified: 0 });
  });

  test("is another one as soon as one byte differs, or the question does", async () => {
    let names = ["BINANCE"];
    await connect((_seen, response) => sendJson(response, names));
    expect(await read()).toMatchObject({ value: ["BINANCE"] });
    names = ["BINANCF"];
    expect(await read()).toMatchObject({ value: ["BINANCF"] });
    await client?.read("activeSwaps", { sender: "0x1" }, { signal: never });
    await client?.read("activeSwaps", { sender: "0x2" }, { signal: never });
    expect(client?.unchanged()).toEqual({ sameBody: 0, notModified: 0 });
  });

  test("fails again if it could not be read, and says the same", async () => {
    await connect((_seen, response) => sendJson(response, [7]));
    const first = await read();
    expect(first).toMatchObject({ ok: false, problem: { reason: "mismatch" } });
    expect(await read()).toEqual(first);
    expect(client?.unchanged()).toEqual({ sameBody: 0, notModified: 0 });
  });
});

describe("if the aggregator gave an ETag", () => {
  const tagged: Handler = ({ headers }, response) => {
    if (headers["if-none-match"] === '"v1"') response.writeHead(304, { etag: '"v1"' }).end();
    else response.writeHead(200, { etag: '"v1"' }).end('["BINANCE"]');
  };

  test("a poll sends it back, and 304 stands for the body before", async () => {
    await connect(tagged);
    const first = await read();
    const second = await read();
    const third = await read();
    expect(first).toMatchObject({ ok: true, value: ["BINANCE"] });
    expect([second, third]).toEqual([first, first]);
    expect(third).toBe(second);
    expect(conditions()).toEqual([undefined, undefined, '"v1"']);
    expect(client?.unchanged()).toEqual({ sameBody: 1, notModified: 1 });
  });

  test("a body that is new is seen whole a second time before 304 stands for it", async () => {
    let names = '["BINANCE"]';
    await connect(({ headers }, response) => {
      const etag = `"${names.length}"`;
      if (headers["if-none-match"] === etag) response.writeHead(304, { etag }).end();
      else response.writeHead(200, { etag }).end(names);
    });
    await read();
    await read();
    names = "[]";
    await read();
    // It comes within moments of the poll, and so confirms nothing of what is doubted.
    await read("probe");
    await read();
    await read();
    expect(conditions()).toEqual([undefined, undefined, '"11"', undefined, undefined, '"2"']);
  });

  test("a probe asks for the whole body, always", async () => {
    await connect(tagged);
    await read();
    await read();
    expect(await read("probe")).toMatchObject({ ok: true, value: ["BINANCE"] });
    expect(conditions()).toEqual([undefined, undefined, undefined]);
  });

  test("after a probe, polls ask for the whole body until one has brought it", async () => {
    let isDown = false;
    await connect((request, response) => {
      if (isDown) response.writeHead(500).end();
      else tagged(request, response);
    });
    await read();
    await read();
    await read("probe");
    isDown = true;
    await read();
    isDown = false;
    await read();
    await read();
    expect(conditions()).toEqual([...Array.from({ length: 5 }, () => undefined), '"v1"']);
  });

  test("the whole body is asked for every five minutes, whatever the server says", async () => {
    let names = '["BINANCE"]';
    await connect(({ headers }, response) => {
      if (headers["if-none-match"] === undefined)
        response.writeHead(200, { etag: '"never-changes"' }).end(names);
      else response.writeHead(304).end();
    });
    await read();
    await read();
    names = '["KUCOIN"]';
    now += 299_999;
    expect(await read()).toMatchObject({ value: ["BINANCE"] });
    now += 1;
    expect(await read()).toMatchObject({ value: ["KUCOIN"] });
  });

  test("nothing is sent back if the settings say so, nor with a POST", async () => {
    await connect(tagged, { conditionalReads: false });
    for (let poll = 0; poll < 3; poll += 1) await read();
    expect(conditions()).toEqual([undefined, undefined, undefined]);
    client?.close();
    await server?.close();
    await connect((_seen, response) => response.writeHead(200, { etag: '"v1"' }).end("[]"));
    for (let poll = 0; poll < 3; poll += 1)
      await client?.read("brokerBalances", {}, { signal: never });
    expect(conditions()).toEqual([undefined, undefined, undefined]);
  });

  test("304 that nobody asked for is a failure, as nothing is known", async () => {
    await connect((_seen, response) => response.writeHead(304).end());
    expect(await read()).toMatchObject({ ok: false, problem: { reason: "redirect", status: 304 } });
  });

  test("what the map of the settings made of the body stands too", async () => {
    await connect(
      tagged,
      {},
      { exchanges: { map: '$map($, function($name) { $name & "-X" })[]' } },
    );
    const first = await read();
    expect(first).toMatchObject({ ok: true, value: ["BINANCE-X"] });
    await read();
    expect(await read()).toBe(first);
    expect(conditions().at(-1)).toBe('"v1"');
  });
});

describe("a cache on the way", () => {
  const stale = '110 proxy "Response is Stale"';

  test("is to ask the aggregator, and its server may still answer 304", async () => {
    await connect(({ headers }, response) => {
      if (headers["if-none-match"] === '"v1"') response.writeHead(304, { etag: '"v1"' }).end();
      else response.writeHead(200, { etag: '"v1"' }).end('["BINANCE"]');
    });
    for (let poll = 0; poll < 3; poll += 1) await read();
    await read("probe");
    expect(server?.seen.map(({ headers }) => headers["cache-control"])).toEqual([
      "no-cache",
      "no-cache",
      "max-age=0",
      "no-cache",
    ]);
    expect(client?.unchanged()).toEqual({ sameBody: 2, notModified: 1 });
  });

  test.each([stale, '299 x "old", 111 proxy "Revalidation Failed"'])(
    "that answers with %s is doubted, unless the settings ignore that",
    async (warning) => {
      const handler: Handler = (_seen, response) =>
        response.writeHead(200, { warning, age: "60" }).end('["BINANCE"]');
      await connect(handler);
      for (let poll = 0; poll < 2; poll += 1)
        expect(await read()).toMatchObject({ ok: true, doubt: { reason: "stale_cache" } });
      client?.close();
      await server?.close();
      await connect(handler, {}, { exchanges: { ignore: ["stale_cache"] } });
      expect((await read())?.doubt).toBeUndefined();
    },
  );

  test("that answers 304 though it is stale is a failure, and the whole body is asked for", async () => {
    await connect(({ headers }, response) => {
      const isKnown = headers["if-none-match"] !== undefined;
      response.writeHead(isKnown ? 304 : 200, { etag: '"v1"', ...(isKnown && { warning: stale }) });
      response.end(isKnown ? "" : '["BINANCE"]');
    });
    for (let poll = 0; poll < 2; poll += 1) await read();
    expect(await read()).toMatchObject({ ok: false, problem: { reason: "status", status: 304 } });
    expect(await read()).toMatchObject({ ok: true });
    expect(conditions()).toEqual([undefined, undefined, '"v1"', undefined]);
  });
});

describe("a doubt that is ignored hides no other one", () => {
  const down = { error: "shard 2 is down" };
  const wire = {
    disabled: { ignore: ["total_not_reached", "partial_content", "duplicate_key"] as const },
  };
  const listing = { exchanges: ["A"], pairs: [] };

  test.each([
    ["of the body", { total: 5, ...down, ...listing }, "error_beside_data"],
    ["of the body, in the other order", { ...down, total: 5, ...listing }, "error_beside_data"],
    ["that is the only one", { total: 5, ...listing }, undefined],
  ])("%s", async (_of, body, reason) => {
    await connect((_seen, response) => sendJson(response, body), {}, wire);
    for (let poll = 0; poll < 2; poll += 1) {
      const answer = await client?.read("disabled", {}, { signal: never });
      expect(answer).toMatchObject({ ok: true, value: listing });
      expect(answer?.doubt?.reason).toBe(reason);
    }
  });

  test("of an object with one key twice", async () => {
    const body = '{"error":"shard 2 is down","exchanges":[],"exchanges":["A"],"pairs":[]}';
    await connect((_seen, response) => response.end(body), {}, wire);
    const answer = await client?.read("disabled", {}, { signal: never });
    expect(answer).toMatchObject({ ok: true, doubt: { reason: "error_beside_data" } });
  });

  test("of status and headers", async () => {
    const headers = { link: '</2>; rel="next"', "content-range": "items 0-1/7" };
    const body = JSON.stringify(listing);
    await connect((_seen, response) => response.writeHead(206, headers).end(body), {}, wire);
    const answer = await client?.read("disabled", {}, { signal: never });
    expect(answer).toMatchObject({ ok: true, doubt: { reason: "more_elsewhere" } });
  });

  test("of a history, without any setting", async () => {
    await connect(
      (_seen, response) => sendJson(response, { next: "/2", ...down, data: [] }),
      {},
      {
        swapHistory: { map: "[data]" },
      },
    );
    const answer = await client?.read("swapHistory", {}, { signal: never });
    expect(answer).toMatchObject({ ok: true, doubt: { reason: "error_beside_data" } });
  });
});

describe("an aggregator that asks to be left alone", () => {
  const pressed =
    (status: number, retryAfter: string | undefined): Handler =>
    (_seen, response) =>
      response
        .writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter })
        .end();

  test.each([429, 503])("with %i is not polled until its time has passed", async (status) => {
    await connect(pressed(status, "30"));
    expect(await read()).toMatchObject({ ok: false, problem: { status } });
    now += 29_999;
    expect(await read()).toEqual({
      ok: false,
      problem: {
        reason: "status",
        status: 429,
        endpoint: "exchanges",
        message: "not asked: the aggregator wants to be left alone for 1 s more",
        retryAfterMs: 1,
      },
    });
    expect(server?.seen).toHaveLength(1);
    now += 1;
    expect(await read()).toMatchObject({ problem: { status } });
    expect(server?.seen).toHaveLength(2);
  });

  test("is believed for no longer than the settings say", async () => {
    await connect(pressed(429, "3600"), { longestPauseMs: 60_000 });
    await read();
    expect(client?.pausedUntil("exchanges")).toBe(now + 60_000);
  });

  test("without saying for how long is polled ever more rarely, until it answers", async () => {
    let status = 429;
    await connect((_seen, response) => response.writeHead(status).end("[]"));
    const pauses: number[] = [];
    for (let poll = 0; poll < 4; poll += 1) {
      await read();
      const until = client?.pausedUntil("exchanges") ?? 0;
      pauses.push(until - now);
      now = until - 1;
      const message = "not asked: the aggregator wants to be left alone for 1 s more";
      expect(await read()).toMatchObject({ problem: { message } });
      now += 1;
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(server?.seen).toHaveLength(4);
    status = 200;
    await read();
    expect(client?.pausedUntil("exchanges")).toBeUndefined();
    status = 503;
    now += 1;
    for (let poll = 0; poll < 2; poll += 1) await read();
    expect(client?.pausedUntil("exchanges")).toBeUndefined();
    await read();
    expect(client?.pausedUntil("exchanges")).toBe(now + 1_000);
  });

  test("is not asked again at once while it is asked as little as possible", async () => {
    const retries = { limit: 2, firstDelayMs: 1, longestDelayMs: 1 };
    await connect(pressed(429, undefined), { retries, longestPauseMs: 0 });
    const requests: number[] = [];
    for (let poll = 0; poll < 4; poll += 1) {
      const before = server?.seen.length ?? 0;
      await read();
      requests.push((server?.seen.length ?? 0) - before);
      now += 1;
    }
    expect(requests).toEqual([3, 3, 1, 1]);
  });

  test("is asked again by a probe that it refused once, at any pace", async () => {
    const retries = { limit: 2, firstDelayMs: 1, longestDelayMs: 1 };
    let refusals = Infinity;
    await connect(
      (_seen, response) =>
        (refusals -= 1) >= 0 ? response.writeHead(503).end() : sendJson(response, []),
      { retries, longestPauseMs: 0 },
    );
    for (let poll = 0; poll < 4; poll += 1) {
      await read();
      now += 1;
    }
    expect(client?.pollLimit()).toBe(2);
    refusals = 1;
    expect(await read("probe")).toMatchObject({ ok: true });
  });

  test("is still asked by a probe, and about what it did not speak of", async () => {
    await connect(({ url }, response) => {
      if (url.includes("/exchange/list")) response.writeHead(429, { "retry-after": "30" }).end();
      else sendJson(response, ["A-B"]);
    });
    await read();
    await read("probe");
    expect(server?.seen).toHaveLength(2);
    expect(await client?.read("pairs", {}, { signal: never })).toMatchObject({ ok: true });
  });

  test("is not sent what waited for its turn meanwhile", async () => {
    await connect(pressed(429, "30"), { rate: { requestsPerSecond: 1_000, concurrency: 1 } });
    const polls = await Promise.all(
      ["0x1", "0x2", "0x3"].map(
        async (sender) => await client?.read("activeSwaps", { sender }, { signal: never }),
      ),
    );
    expect(polls.map((poll) => poll?.ok)).toEqual([false, false, false]);
    expect(polls[2]).toMatchObject({ problem: { status: 429, reason: "status" } });
    expect(server?.seen).toHaveLength(1);
  });

  test("is asked less at once, and more again as it answers", async () => {
    let status = 503;
    // Of these, one slot is never a poll's, and one is left to endpoints that have none.
    const rate = { requestsPerSecond: 1_000, concurrency: 18 };
    await connect((_seen, response) => response.writeHead(status).end("[]"), { rate });
    expect(client?.pollLimit()).toBe(16);
    await read();
    expect(client?.pollLimit()).toBe(8);
    now += 1_000;
    await read();
    expect(client?.pollLimit()).toBe(4);
    status = 200;
    now += 2_000;
    for (let poll = 0; poll < 5; poll += 1) await read();
    expect(client?.pollLimit()).toBe(5);
  });

  test("is asked about all else while one of its endpoints hangs", async () => {
    let release = (): void => undefined;
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    let status = 503;
    await connect(({ url }, response) => {
      const answer = () =>
        void response.writeHead(url.includes("/exchange/list") ? status : 200).end("[]");
      if (url.includes("/history/current")) void hanging.then(answer);
      else answer();
    });
    for (let poll = 0; poll < 3; poll += 1) {
      now += 10_000;
      await read();
    }
    expect(client?.pollLimit()).toBe(2);
    now += 10_000;
    status = 200;
    const swaps = Promise.all(
      ["0x1", "0x2", "0x3", "0x4"].map(
        async (sender) => await client?.read("activeSwaps", { sender }, { signal: never }),
      ),
    );
    expect(await read()).toMatchObject({ ok: true });
    const asked = server?.seen.filter(({ url }) => url.includes("/history/current")) ?? [];
    expect(asked).toHaveLength(2);
    release();
    expect(await swaps).toHaveLength(4);
  });
});

describe("the replies that are given to be kept", () => {
  test("are those with a body, without the credentials, and with why nothing was read in them", async () => {
    const kept: unknown[] = [];
    const replies = [
      () => ({ status: 200, body: '["BINANCE"]' }),
      () => ({ status: 200, body: '["BINANCE"]' }),
      () => ({ status: 304, body: "" }),
      () => ({ status: 200, body: '{"echo": "read-secret-0123"}' }),
      () => ({ status: 503, body: "read-secret-0123 is busy" }),
    ];
    now = 1_000_000;
    server = await startServer((_seen, response) => {
      const { status, body } = replies.shift()?.() ?? { status: 500, body: "" };
      response.writeHead(status, { "content-type": "application/json", etag: '"a"' });
      response.end(body);
    });
    const profile = compileProfile({});
    if (!profile.ok) throw new Error("no profile");
    client = createClient({
      settings: {
        ...TEST_SETTINGS,
        baseUrl: server.baseUrl,
        auth: {
          read: { type: "header", name: "x-key", value: "read-secret-0123" },
          act: { type: "none" },
        },
      },
      profile: profile.value,
      clock: { now: () => now },
      random: () => 0.5,
      keepReply: (reply) => void kept.push(reply),
    });
    for (let poll = 0; poll < 5; poll += 1) await read();
    expect(kept).toMatchObject([
      {
        at: now,
        endpoint: "exchanges",
        args: "{}",
        status: 200,
        failure: undefined,
        body: '["BINANCE"]',
      },
      { status: 200, failure: undefined, body: '["BINANCE"]' },
      { status: 200, failure: expect.stringMatching(/^mismatch: /) },
      { status: 503, failure: expect.stringMatching(/^status: status 503/) },
    ]);
    expect(JSON.stringify(kept)).not.toContain("secret");
  });
});

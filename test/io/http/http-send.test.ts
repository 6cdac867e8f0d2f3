import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSender, type Outgoing } from "../../../src/io/http/http-send.ts";
import { startServer, type Handler, type LocalServer } from "../local-server.ts";

const MOST = 20_000;
const never = new AbortController().signal;
const closers: Array<() => void | Promise<void>> = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function sendTo(handler: Handler) {
  const server = await startServer(handler);
  const sender = createSender({
    timeouts: { connectMs: 10_000, responseMs: 10_000, requestMs: 20_000 },
    maxBodyBytes: MOST,
    connections: 4,
    keepAlive: true,
  });
  closers.push(sender.close, server.close);
  const send = async (outgoing: Partial<Outgoing> = {}, signal = never) =>
    await sender.send(
      { method: "GET", url: new URL(server.baseUrl), headers: {}, body: undefined, ...outgoing },
      signal,
    );
  return { server, send };
}

describe("what is sent", () => {
  const echo = async (outgoing: Partial<Outgoing>): Promise<LocalServer["seen"]> => {
    const { server, send } = await sendTo((_seen, response) => response.end());
    expect(await send(outgoing)).toMatchObject({ ok: true, value: { status: 200 } });
    return server.seen;
  };

  test("says who asks, and what it takes", async () => {
    const [seen] = await echo({ headers: { "x-key": "k" } });
    expect(seen).toMatchObject({ method: "GET", body: "", headers: { "x-key": "k" } });
    expect(seen?.headers).toMatchObject({ "user-agent": "aggwatch", accept: "application/json" });
    expect(seen?.headers).not.toHaveProperty("content-length");
  });

  test("goes to the very URL, and names its host", async () => {
    const { server, send } = await sendTo((_seen, response) => response.end());
    await send({ url: new URL(`${server.baseUrl}/a%2Fb/c?d=%20e&f#g`) });
    const { host } = new URL(server.baseUrl);
    expect(server.seen).toMatchObject([{ url: "/a%2Fb/c?d=%20e&f", headers: { host } }]);
  });

  test("goes to an address of IPv6, too", async ({ skip }) => {
    const hosts: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      hosts.push(headers.host);
      response.end();
    });
    const listening = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(0, "::1", () => resolve(true));
    });
    if (!listening) skip("no IPv6 here");
    closers.push(() => void server.close());
    const url = new URL(`http://[::1]:${(server.address() as AddressInfo).port}/`);
    const { send } = await sendTo(() => undefined);
    expect(await send({ url })).toMatchObject({ ok: true, value: { status: 200 } });
    expect(hosts).toEqual([url.host]);
  });

  test.each(["POST", "DELETE"] as const)("%s without a body ends at once", async (method) => {
    const [seen] = await echo({ method });
    expect(seen).toMatchObject({ method, body: "" });
  });

  test("POST with a body says how long it is", async () => {
    const headers = { "content-type": "application/json" };
    const [seen] = await echo({ method: "POST", headers, body: '{"a":"ä"}' });
    expect(seen).toMatchObject({ body: '{"a":"ä"}', headers: { "content-length": "10" } });
  });
});

describe("what is received", () => {
  const from = async (handler: Handler) => await (await sendTo(handler)).send();
  const bytes = (body: Uint8Array, headers: OutgoingHttpHeaders = {}) =>
    from((_seen, response) => response.writeHead(200, headers).end(body));

  test("is the body as text, without a byte order mark", async () => {
    expect(await bytes(Buffer.from("\uFEFF[1]"))).toMatchObject({ value: { body: "[1]" } });
  });

  test("has a sign in place of each byte that is not UTF-8", async () => {
    expect(await bytes(Buffer.from([0x61, 0xff, 0x62]))).toMatchObject({ value: { body: "a�b" } });
  });

  test("is put together of its pieces, wherever they are cut", async () => {
    const text = Buffer.from("a€b");
    const pieces = await from((_seen, response) => {
      const writeFrom = (at: number): void => {
        if (at === text.length) response.end();
        else response.write(text.subarray(at, at + 1), () => setImmediate(writeFrom, at + 1));
      };
      writeFrom(0);
    });
    expect(pieces).toMatchObject({ ok: true, value: { body: "a€b" } });
  });

  test("is decompressed", async () => {
    const sent = await bytes(gzipSync("[1]"), { "content-encoding": "gzip" });
    expect(sent).toMatchObject({ ok: true, value: { body: "[1]" } });
  });

  test.each([204, 304, 404, 500])(
    "of status %i is given as it is, and none is followed",
    async (status) => {
      const sent = await from((_seen, response) =>
        response.writeHead(status, { etag: '"1"', "set-cookie": ["a=1", "b=2"] }).end(),
      );
      const headers = { etag: '"1"', "set-cookie": "a=1, b=2" };
      expect(sent).toMatchObject({ ok: true, value: { status, body: "", headers } });
    },
  );

  test("is a redirect itself, wherever that leads", async () => {
    const sent = await from((_seen, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end("there"),
    );
    expect(sent).toMatchObject({ ok: true, value: { status: 302, body: "there" } });
  });
});

describe("what is not received", () => {
  const failureOf = async (handler: Handler): Promise<unknown> => {
    const sent = await (await sendTo(handler)).send();
    return sent.ok ? sent.value : sent.problem;
  };
  const tooLarge = { reason: "too_large", message: `the body is larger than ${MOST} bytes` };

  test("a body whose length says that it is too large is not waited for", async () => {
    const failure = await failureOf((_seen, response) => {
      response.writeHead(200, { "content-length": MOST + 1 });
      response.flushHeaders();
    });
    expect(failure).toMatchObject(tooLarge);
  });

  test("a body that becomes too large is given up", async () => {
    const failure = await failureOf((_seen, response) => response.write("x".repeat(MOST + 1)));
    expect(failure).toMatchObject(tooLarge);
  });

  test("nor one that is too large only when it is decompressed", async () => {
    const failure = await failureOf((_seen, response) =>
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(gzipSync(Buffer.alloc(MOST + 1, 0x20))),
    );
    expect(failure).toMatchObject(tooLarge);
  });

  test.each<[string, Handler]>([
    [
      "in the middle of a body",
      (_seen, response) => void response.writeHead(200).write("[1", () => response.destroy()),
    ],
    [
      "before the length that was promised",
      (_seen, response) =>
        void response
          .writeHead(200, { "content-length": 9 })
          .write("[1", () => response.socket?.end()),
    ],
    ["before any answer", (_seen, response) => void response.socket?.destroy()],
  ])("an answer that ends %s", async (_when, handler) => {
    expect(await failureOf(handler)).toMatchObject({ reason: "connect", neverSent: false });
  });

  test("a compressed body that is cut", async () => {
    const whole = gzipSync("[".repeat(1_000));
    const failure = await failureOf((_seen, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(whole.subarray(0, -9)),
    );
    expect(failure).toMatchObject({ reason: "malformed" });
  });
});

describe("giving up", () => {
  const GIVEN_UP = { reason: "cancelled", message: "given up before it ended", neverSent: false };

  test("before it begins sends nothing", async () => {
    const { server, send } = await sendTo((_seen, response) => response.end());
    expect(await send({}, AbortSignal.abort())).toMatchObject({ problem: GIVEN_UP });
    expect(server.seen).toEqual([]);
  });

  test("while the body comes closes the connection", async () => {
    const giveUp = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { send } = await sendTo((_seen, response) => {
      void once(response, "close").then(() => closed.resolve());
      response.write("[", () => giveUp.abort());
    });
    expect(await send({}, giveUp.signal)).toMatchObject({ problem: GIVEN_UP });
    await closed.promise;
  });
});

test("when it is received, no timer is left", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let meanwhile = 0;
    const { send } = await sendTo((_seen, response) => {
      meanwhile = vi.getTimerCount();
      response.end("[1]");
    });
    expect(await send()).toMatchObject({ ok: true });
    expect(meanwhile).toBeGreaterThan(0);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a body is garbage for the next minor collection, and not only for a major one", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
  const oldSpace = (): number =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")
      ?.space_used_size ?? NaN;
  const body = "x".repeat(MOST);
  const { send } = await sendTo((_seen, response) => response.end(body));
  const sendMany = async (): Promise<void> => {
    for (let sent = 0; sent < 100; sent += 1) await send();
    for (let round = 0; round < 3; round += 1) collect({ type: "minor" });
  };
  await sendMany();
  collect();
  const before = oldSpace();
  await sendMany();
  expect((oldSpace() - before) / 100).toBeLessThan(MOST);
});

/** Tests src/io/http/tunnel.ts and agents.ts: an HTTP proxy, against real sockets. */
import { describe, expect, test, type TestContext } from "vitest";
import { DAY } from "../../../src/domain/time.ts";
import { createSender, type Sender } from "../../../src/io/http/http-send.ts";
import type { OpenRoute } from "../../../src/io/http/route.ts";
import { startProxy, type ConnectProxy, type ProxyOptions } from "../connect-proxy.ts";
import { startServer } from "../local-server.ts";
import { closing, listening, pem, startTlsFront, type TlsFront } from "../tls-front.ts";
import net from "node:net";

const SECRET = "the-key-that-acts";
const CREDENTIAL = { authorization: `Basic ${Buffer.from("me:sesame").toString("base64")}` };

type World = {
  readonly proxy: ConnectProxy;
  readonly secured: TlsFront;
  /** Sends one request through the proxy; a status, or the failure. */
  readonly send: (through?: Partial<OpenRoute["proxy"]>, url?: string) => Promise<unknown>;
};

async function worldOf(
  context: TestContext,
  options: ProxyOptions = {},
  { ca = "ca", connectMs = 10_000 } = {},
): Promise<World> {
  const server = await startServer((_, response) => response.end("{}"));
  context.onTestFinished(server.close);
  const secured = await startTlsFront(server.baseUrl);
  context.onTestFinished(secured.close);
  const proxy = await startProxy(options);
  context.onTestFinished(proxy.close);
  const { host, port } = proxy;
  return {
    proxy,
    secured,
    send: async (through = {}, url = secured.baseUrl) => {
      const route = { tls: { ca: pem(ca) }, proxy: { host, port, ...through } };
      const sender = createSender({ ...OPTIONS, timeouts: { ...TIMEOUTS, connectMs }, route });
      context.onTestFinished(sender.close);
      return await sendBy(sender, url);
    },
  };
}

const TIMEOUTS = { responseMs: 10_000, requestMs: 20_000 };
const OPTIONS = { maxBodyBytes: 1_000, connections: 2, keepAlive: true };

async function sendBy(sender: Sender, url: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${SECRET}` };
  const request = { method: "GET", url: new URL(url), headers, body: undefined } as const;
  const sent = await sender.send(request, new AbortController().signal);
  return sent.ok ? sent.value.status : sent.problem;
}

function notSent(message: RegExp): unknown {
  return {
    reason: "connect",
    message: expect.stringMatching(message) as string,
    neverSent: true,
  };
}

describe.concurrent("through an HTTP proxy", () => {
  test("requests go in a tunnel, in which the proxy can read nothing", async (context) => {
    const { proxy, secured, send } = await worldOf(context);
    expect(await send()).toBe(200);
    expect(proxy.asked).toEqual([
      { authority: `127.0.0.1:${secured.port}`, authorization: undefined },
    ]);
    expect(secured.heard()).toContain(SECRET);
    expect(proxy.carried()).not.toContain(SECRET);
  });

  test("the credential of the proxy goes to the proxy alone", async (context) => {
    const { proxy, secured, send } = await worldOf(context, { demands: "me:sesame" });
    expect(await send(CREDENTIAL)).toBe(200);
    expect(proxy.asked).toMatchObject([CREDENTIAL]);
    expect(secured.heard()).toContain(SECRET);
    expect(secured.heard().toLowerCase()).not.toContain("proxy-");
  });

  test("a tunnel is kept for the next request", async (context) => {
    const { proxy, secured } = await worldOf(context);
    const { host, port } = proxy;
    const route = { tls: { ca: pem("ca") }, proxy: { host, port } };
    const timeouts = { ...TIMEOUTS, connectMs: 10_000 };
    const sender = createSender({ ...OPTIONS, timeouts, route });
    context.onTestFinished(sender.close);
    expect(await sendBy(sender, secured.baseUrl)).toBe(200);
    expect(await sendBy(sender, secured.baseUrl)).toBe(200);
    expect(proxy.asked).toHaveLength(1);
  });

  test("a server without TLS is reached as well", async (context) => {
    const server = await startServer((_, response) => response.end("{}"));
    context.onTestFinished(server.close);
    const { proxy, send } = await worldOf(context);
    expect(await send({}, server.baseUrl)).toBe(200);
    expect(proxy.asked).toHaveLength(1);
  });

  test("connecting may take longer than a timer can wait", async (context) => {
    const { send } = await worldOf(context, {}, { connectMs: 30 * DAY });
    expect(await send()).toBe(200);
  });

  test("nothing is sent to a server that is not trusted", async (context) => {
    const { secured, send } = await worldOf(context, {}, { ca: "other-ca" });
    expect(await send()).toEqual(notSent(/UNABLE_TO_VERIFY_LEAF_SIGNATURE.*tls\.ca_file/));
    expect(secured.heard()).toBe("");
  });

  const refusals: ReadonlyArray<
    readonly [string, ProxyOptions, Partial<OpenRoute["proxy"]>, RegExp]
  > = [
    ["wants a credential", { demands: "me:sesame" }, {}, /407.*asks for.*proxy\.username/],
    [
      "wants another credential",
      { demands: "me:other" },
      CREDENTIAL,
      /407.*another.*proxy\.password_file/,
    ],
    ["refuses the server", { answers: 403 }, {}, /403.*does not let us through.*proxy\.url/],
    ["cannot reach the server", { answers: 502 }, {}, /502.*cannot reach the server/],
    [
      "is not a proxy",
      { answers: "220 smtp.example ready\r\n" },
      {},
      /not an HTTP proxy.*proxy\.url/,
    ],
    [
      "says more than its answer",
      { answers: "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}" },
      {},
      /more than its answer.*proxy\.url/,
    ],
    ["hangs up", { answers: "" }, {}, /cannot connect to the proxy.*proxy\.url/],
  ];
  test.for(refusals)("nothing is sent if it %s", async ([, options, through, message], context) => {
    const { proxy, secured, send } = await worldOf(context, options);
    const outcome = await send(through);
    expect(outcome).toEqual(notSent(message));
    expect(JSON.stringify(outcome)).not.toMatch(/sesame|secret body|Basic/);
    expect(secured.heard()).toBe("");
    expect(proxy.carried()).not.toContain(SECRET);
  });

  test("nothing is sent if it does not answer", async (context) => {
    const { send } = await worldOf(context, { answers: null }, { connectMs: 50 });
    expect(await send()).toEqual(notSent(/does not answer in time.*proxy\.url/));
  });

  test("nothing is sent if the server does not answer through it", async (context) => {
    const silent = net.createServer();
    const port = await listening(silent);
    const sockets = new Set<net.Socket>();
    silent.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)));
    context.onTestFinished(() => closing(silent, sockets));
    const { send } = await worldOf(context, {}, { connectMs: 2_000 });
    expect(await send({}, `https://127.0.0.1:${port}`)).toEqual(notSent(/handshake.*too long/));
  });

  test("nothing is sent, and none is left out, if it is down", async (context) => {
    const { proxy, secured, send } = await worldOf(context);
    await proxy.close();
    expect(await send()).toEqual(
      notSent(/cannot connect to the proxy \(ECONNREFUSED\).*proxy\.url/),
    );
    expect(secured.heard()).toBe("");
  });

  test("a closed sender gives up a tunnel that is being made", async (context) => {
    const { proxy } = await worldOf(context, { answers: null });
    const { host, port } = proxy;
    const timeouts = { ...TIMEOUTS, connectMs: 10_000 };
    const sender = createSender({ ...OPTIONS, timeouts, route: { proxy: { host, port } } });
    const sending = sendBy(sender, "https://127.0.0.1:9");
    sender.close();
    expect(await sending).toEqual(notSent(/given up/));
  });
});

/** Tests src/io/http: TLS, against real sockets. */
import net, { type Socket } from "node:net";
import { describe, expect, test, type TestContext } from "vitest";
import { createSender } from "../../../src/io/http/http-send.ts";
import type { OpenRoute } from "../../../src/io/http/route.ts";
import { startProxy } from "../connect-proxy.ts";
import { startServer } from "../local-server.ts";
import {
  closing,
  listening,
  PASSPHRASE,
  pem,
  startTlsFront,
  type TlsFront,
  type TlsFrontOptions,
} from "../tls-front.ts";

const OPTIONS = {
  timeouts: { connectMs: 10_000, responseMs: 10_000, requestMs: 20_000 },
  maxBodyBytes: 1_000,
  connections: 2,
  keepAlive: false,
};
const SECRET = "the-key-that-acts";
const CLIENT = { cert: pem("client"), key: pem("client-key") };

/** Sends a request with a secret to a server behind TLS; gives what came of it and what the server heard. */
async function send(
  context: TestContext,
  { front = {}, tls, host = "127.0.0.1" }: Sending,
): Promise<{ readonly outcome: unknown; readonly heard: string }> {
  const server = await startServer((_, response) => response.end("{}"));
  context.onTestFinished(server.close);
  const secured = await startTlsFront(server.baseUrl, front);
  context.onTestFinished(secured.close);
  const sender = createSender({ ...OPTIONS, route: tls && { tls } });
  context.onTestFinished(sender.close);
  const url = new URL(`${secured.baseUrl.replace("127.0.0.1", host)}/x`);
  const headers = { authorization: `Bearer ${SECRET}` };
  const request = { method: "GET", url, headers, body: undefined } as const;
  const sent = await sender.send(request, new AbortController().signal);
  return { outcome: sent.ok ? sent.value.status : sent.problem, heard: secured.heard() };
}

type Sending = {
  readonly front?: TlsFrontOptions;
  readonly tls?: OpenRoute["tls"];
  readonly host?: string;
};

describe.concurrent("a server with a private CA", () => {
  test("is trusted if tls.ca_file names the CA", async (context) => {
    const { outcome, heard } = await send(context, { tls: { ca: pem("ca") } });
    expect(outcome).toBe(200);
    expect(heard).toContain(SECRET);
  });

  test("may be one of several in the file", async (context) => {
    const ca = pem("other-ca") + pem("ca");
    expect((await send(context, { tls: { ca } })).outcome).toBe(200);
  });

  const untrusted: ReadonlyArray<readonly [string, Sending, RegExp]> = [
    ["no CA is set", {}, /UNABLE_TO_VERIFY_LEAF_SIGNATURE.*tls\.ca_file/],
    [
      "another CA is set",
      { tls: { ca: pem("other-ca") } },
      /UNABLE_TO_VERIFY_LEAF_SIGNATURE.*tls\.ca_file/,
    ],
    [
      "its certificate has expired",
      { front: { certificate: "expired" }, tls: { ca: pem("ca") } },
      /CERT_HAS_EXPIRED.*expired/,
    ],
    [
      "its certificate is for another host",
      { front: { certificate: "other-name" }, tls: { ca: pem("ca") } },
      /ERR_TLS_CERT_ALTNAME_INVALID.*another host.*DNS:other\.example/,
    ],
  ];
  test.for(untrusted)("is sent nothing if %s", async ([, sending, message], context) => {
    const { outcome, heard } = await send(context, sending);
    expect(outcome).toEqual({
      reason: "connect",
      message: expect.stringMatching(message) as string,
      neverSent: true,
    });
    expect(heard).toBe("");
  });

  test("is trusted by its name as well", async (context) => {
    expect((await send(context, { tls: { ca: pem("ca") }, host: "localhost" })).outcome).toBe(200);
  });

  test("that speaks plain HTTP is said to do so", async (context) => {
    const server = await startServer((_, response) => response.end("{}"));
    context.onTestFinished(server.close);
    const sender = createSender(OPTIONS);
    context.onTestFinished(sender.close);
    const url = new URL(server.baseUrl.replace("http:", "https:"));
    const request = { method: "GET", url, headers: {}, body: undefined } as const;
    const sent = await sender.send(request, new AbortController().signal);
    expect(sent).toMatchObject({
      ok: false,
      problem: { reason: "connect", message: expect.stringContaining("http URL") as string },
    });
  });
});

/** Passes on what both say, until the server has been sent something: then it answers by itself, and in plain text. */
async function startIntruder(context: TestContext, front: TlsFront): Promise<string> {
  const sockets = new Set<Socket>();
  const relay = net.createServer((client) => {
    const server = net.connect(front.port, "127.0.0.1");
    for (const socket of [client, server]) sockets.add(socket.on("error", () => undefined));
    client.pipe(server);
    server.on("data", (chunk: Buffer) => {
      const isSent = front.heard() !== "";
      client.write(isSent ? "HTTP/1.1 504 Gateway Timeout\r\n\r\n" : chunk);
    });
  });
  const port = await listening(relay);
  context.onTestFinished(() => closing(relay, sockets));
  return `https://127.0.0.1:${port}`;
}

const upToDate = (): undefined => undefined;
const broken: ReadonlyArray<readonly [string, (() => undefined) | undefined, boolean]> = [
  ["a read", undefined, false],
  ["an action", upToDate, false],
  ["an action through a proxy", upToDate, true],
];
test.for(broken)(
  "what comes in plain text after %s does not say that it was never sent",
  async ([, outdated, isProxied], context) => {
    const server = await startServer((_, response) => response.end("{}"));
    context.onTestFinished(server.close);
    // TLS 1.2, as its error is that of a server without TLS.
    const secured = await startTlsFront(server.baseUrl, { version: "TLSv1.2" });
    context.onTestFinished(secured.close);
    const url = new URL(`${await startIntruder(context, secured)}/x`);
    const proxy = await startProxy();
    context.onTestFinished(proxy.close);
    const through = isProxied ? { proxy: { host: proxy.host, port: proxy.port } } : {};
    const sender = createSender({ ...OPTIONS, route: { tls: { ca: pem("ca") }, ...through } });
    context.onTestFinished(sender.close);
    const request = { method: "POST", url, headers: {}, body: undefined } as const;
    const sent = await sender.send(request, new AbortController().signal, outdated);
    expect(secured.heard()).toContain("POST /x");
    const message = expect.stringMatching(/^the connection broke \(\w+\)$/) as string;
    expect(sent).toMatchObject({ ok: false, problem: { message, neverSent: false } });
  },
);

describe.concurrent("a server that demands a certificate of ours", () => {
  const versions = ["TLSv1.2", "TLSv1.3"] as const;

  test.for(versions)("takes that of tls.cert_file by %s", async (version, context) => {
    const front = { demandsClientOf: "ca", version };
    const { outcome, heard } = await send(context, { front, tls: { ca: pem("ca"), ...CLIENT } });
    expect(outcome).toBe(200);
    expect(heard).toContain(SECRET);
  });

  test("takes it if its key has a passphrase", async (context) => {
    const key = { key: pem("client-key-encrypted"), passphrase: PASSPHRASE };
    const tls = { ca: pem("ca"), cert: pem("client"), ...key };
    expect((await send(context, { front: { demandsClientOf: "ca" }, tls })).outcome).toBe(200);
  });

  test.for(versions)(
    "is named with the setting if it gets none by %s",
    async (version, context) => {
      const front = { demandsClientOf: "ca", version };
      const { outcome, heard } = await send(context, { front, tls: { ca: pem("ca") } });
      expect(outcome).toEqual({
        reason: "connect",
        message: expect.stringMatching(/refuses TLS.*tls\.cert_file/) as string,
        neverSent: false,
      });
      expect(heard).toBe("");
    },
  );

  test("hears nothing if it does not trust ours", async (context) => {
    const tls = { ca: pem("ca"), ...CLIENT };
    const { outcome, heard } = await send(context, { front: { demandsClientOf: "other-ca" }, tls });
    expect(outcome).toMatchObject({ reason: "connect" });
    expect(heard).toBe("");
  });
});

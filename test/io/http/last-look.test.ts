import http from "node:http";
import https from "node:https";
import { connect, type AddressInfo, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createSender } from "../../../src/io/http/http-send.ts";
import type { OpenRoute } from "../../../src/io/http/route.ts";
import { outdatedFailure } from "../../../src/io/http/send-failure.ts";
import { takeLastLook } from "../../../src/io/http/last-look.ts";

/** TLS by a shared key, as a certificate would have to be made first. */
const KEY = { psk: Buffer.alloc(16, 7), identity: "test" };
const BY_KEY = { ciphers: "PSK-AES128-GCM-SHA256", maxVersion: "TLSv1.2" } as const;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: http.Server): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  server.on("request", (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

const sender = (route: OpenRoute = {}) =>
  createSender({
    route,
    timeouts: { connectMs: 3_000, responseMs: 3_000, requestMs: 5_000 },
    maxBodyBytes: 1_000,
    connections: 4,
    keepAlive: false,
  });

const toggle = (port: number) =>
  ({
    method: "POST",
    url: new URL(`http://127.0.0.1:${port}/toggle/OKX`),
    headers: {},
    body: undefined,
  }) as const;

describe("the last look before a request leaves", () => {
  test("is taken once it is connected, and holds it back", async () => {
    const server = http.createServer();
    const { port, seen } = await listen(server);
    const connected = new Promise((resolve) => {
      server.once("connection", resolve);
    });
    let looks = 0;
    const sent = await sender().send(toggle(port), new AbortController().signal, () => {
      looks += 1;
      return "too old";
    });
    await connected;
    expect(sent).toEqual({
      ok: false,
      problem: { reason: "cancelled", message: "too old", neverSent: true, isOutdated: true },
    });
    expect({ looks, seen }).toEqual({ looks: 1, seen: [] });
  });

  test("lets it pass if nothing is wrong, and what fails then is not held back", async () => {
    const { port, seen } = await listen(http.createServer());
    const { signal } = new AbortController();
    const sent = await sender().send(toggle(port), signal, () => undefined);
    expect(sent).toMatchObject({ ok: true, value: { status: 200 } });
    expect(seen).toEqual(["POST /toggle/OKX"]);
    servers.splice(0).forEach((server) => server.close());
    const refused = await sender().send(toggle(port), signal, () => undefined);
    expect(refused).toMatchObject({ ok: false, problem: { reason: "connect", neverSent: true } });
  });

  test.each([
    ["holds it back", "too old", []],
    ["lets it pass", undefined, ["POST /toggle/OKX"]],
  ] as const)("through a proxy: %s", async (_what, problem, expected) => {
    const proxy = http.createServer();
    proxy.on("connect", (request, socket) => {
      const [, port] = (request.url ?? "").split(":");
      const target = connect(Number(port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(target).pipe(socket);
      });
      for (const end of [socket, target]) end.on("error", () => target.destroy());
    });
    const { port, seen } = await listen(http.createServer());
    const through = { proxy: { host: "127.0.0.1", port: (await listen(proxy)).port } };
    const { signal } = new AbortController();
    const sent = await sender(through).send(toggle(port), signal, () => problem);
    expect(sent.ok).toBe(problem === undefined);
    expect(sent.ok || sent.problem).toEqual(problem === undefined || outdatedFailure("too old"));
    expect(seen).toEqual(expected);
  });

  test.each([
    ["holds it back", "too old", []],
    ["lets it pass", undefined, ["POST /toggle"]],
  ] as const)("over TLS: %s", async (_what, problem, expected) => {
    const { port, seen } = await listen(
      https.createServer({ ...BY_KEY, pskCallback: () => KEY.psk }),
    );
    const agents = { http: new http.Agent(), https: new https.Agent() };
    const heldBack = takeLastLook(agents, () => problem);
    const ended = await new Promise<string>((resolve) => {
      const options = {
        ...BY_KEY,
        pskCallback: () => KEY,
        host: "127.0.0.1",
        port,
        path: "/toggle",
        method: "POST",
        agent: agents.https,
        checkServerIdentity: () => undefined,
      };
      const request = https.request(options, (response) => {
        response.resume().on("end", () => resolve("answered"));
      });
      request.on("error", (error) => resolve(error.message));
      request.end("x".repeat(100));
    });
    expect(ended).toBe(problem ?? "answered");
    expect(heldBack()).toBe(problem);
    expect(seen).toEqual(expected);
  });
});

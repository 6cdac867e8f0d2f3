import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientOf, type Access } from "../../../src/io/api/access.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import type { RunningServer } from "../../../src/io/http/listen.ts";
import { OpenAPIHono } from "@hono/zod-openapi";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

let access: Access;
let server: RunningServer;

beforeEach(async () => {
  access = { hosts: ["aggwatch", "Watch.example", "0.0.0.0"], trustedProxies: [] };
  const app = createApp(sourceOf(eventfulWorld(), { access: () => access }));
  server = await startServer(app, "127.0.0.1", 0);
});

afterEach(async () => {
  await server.close();
});

/** As a browser sends it: `fetch` would not let the Host be chosen. */
async function get(path: string, headers: Readonly<Record<string, string>>) {
  const reply = Promise.withResolvers<{ readonly status: number; readonly body: string }>();
  const sent = request(new URL(path, server.url), { headers }, (response) => {
    let body = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (body += chunk));
    response.on("end", () => reply.resolve({ status: response.statusCode ?? 0, body }));
  });
  sent.on("error", reply.reject);
  sent.end();
  return await reply.promise;
}

describe("the name by which the server is called", () => {
  it.each([
    "localhost",
    "LOCALHOST:9733",
    "localhost.",
    "127.0.0.1:9733",
    "10.1.2.3",
    "[::1]:9733",
    "[fe80::1]",
    "aggwatch:9733",
    "watch.example",
    "WATCH.example.:80",
  ])("is known: %s", async (host) => {
    expect((await get("/api/v1/status", { host })).status).toBe(200);
  });

  it.each([
    "evil.example",
    "evil.example:9733",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "aggwatch.evil.example",
    "sub.watch.example",
    "2130706433",
    "[evil.example]",
    "[::1].evil.example",
    "[::1]:9733.evil.example",
    "aggwatch:9733.evil.example",
  ])("is not known, and nothing is read by it: %s", async (host) => {
    for (const path of ["/", "/metrics", "/healthz", "/readyz", "/api/v1/status", "/none"]) {
      const { status, body } = await get(path, { host });
      expect([400, 421]).toContain(status);
      expect(body).not.toMatch(/BINANCE|a_metric|exchange/);
    }
  });

  it("is named in the reply, with the setting", async () => {
    const { status, body } = await get("/metrics", { host: "evil.example:9733" });
    expect(status).toBe(421);
    expect(JSON.parse(body)).toEqual({
      error:
        'aggwatch is not known by the host name "evil.example:9733"; if it should be, add it to server.hosts in the config',
    });
  });

  it("follows the config in force", async () => {
    expect((await get("/metrics", { host: "new.example" })).status).toBe(421);
    access = { ...access, hosts: ["new.example"] };
    expect((await get("/metrics", { host: "new.example" })).status).toBe(200);
  });

  it("is not what X-Forwarded-Host says, unless a trusted proxy says so; then both must be known", async () => {
    const by = async (host: string, forwarded: string): Promise<number> =>
      (await get("/metrics", { host, "x-forwarded-host": forwarded })).status;
    expect(await by("evil.example", "localhost")).toBe(421);
    expect(await by("localhost", "evil.example")).toBe(200);
    access = { ...access, trustedProxies: ["127.0.0.0/8"] };
    expect(await by("evil.example", "localhost")).toBe(421);
    expect(await by("localhost", "evil.example")).toBe(421);
    expect(await by("localhost", "watch.example")).toBe(200);
  });
});

describe("the client of a request", () => {
  async function clientBy(forwarded: string | undefined, ...trusted: string[]): Promise<string> {
    const app = new OpenAPIHono();
    app.get("/", (context) =>
      context.text(clientOf(context, { hosts: [], trustedProxies: trusted })),
    );
    const own = await startServer(app, "127.0.0.1", 0);
    try {
      const headers: Record<string, string> =
        forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      return await (await fetch(own.url, { headers })).text();
    } finally {
      await own.close();
    }
  }

  it.each([
    ["is the other end of the socket", "127.0.0.1", undefined, []],
    ["is that whatever a header claims", "127.0.0.1", "203.0.113.9", []],
    ["is that if another proxy is trusted", "127.0.0.1", "203.0.113.9", ["10.0.0.0/8"]],
    ["is whom a trusted proxy names", "203.0.113.9", "203.0.113.9", ["127.0.0.1"]],
    ["is not whom that one claims to be", "203.0.113.9", "1.1.1.1, 203.0.113.9", ["127.0.0.1"]],
    [
      "is behind all trusted ones",
      "203.0.113.9",
      "203.0.113.9, 10.2.3.4",
      ["127.0.0.1", "10.0.0.0/8"],
    ],
    ["may be of the other family", "2001:db8::1", "2001:db8::1", ["127.0.0.0/8", "fd00::/8"]],
    ["is the proxy if it names no address", "127.0.0.1", "unknown", ["127.0.0.1"]],
  ] as const)("%s: %s", async (_what, client, forwarded, trusted) => {
    expect(await clientBy(forwarded, ...trusted)).toBe(client);
  });
});

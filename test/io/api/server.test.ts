import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import type { RunningServer } from "../../../src/io/http/listen.ts";
import { decodeAnswer } from "../../../src/io/api/codec.ts";
import type { StatusJson } from "../../../src/io/api/answers.ts";
import { statusAnswer } from "../../../src/io/api/status-answer.ts";
import { explain } from "../../../src/core/explain/explain.ts";
import { rule } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";
import { eventfulWorld, sourceOf } from "./server-fixture.ts";

const quiet = () => scriptedWorld({ rules: [] });

let running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.map((server) => server.close()));
  running = [];
});

async function serve(...args: Parameters<typeof createApp>): Promise<RunningServer> {
  const server = await startServer(createApp(...args), "127.0.0.1", 0);
  running.push(server);
  return server;
}

describe("the routes", () => {
  it("give the page, the metrics, the health and the API, over real HTTP", async () => {
    const { url } = await serve(sourceOf(eventfulWorld()));
    const types = new Map<string, string>();
    for (const path of [
      "/",
      "/metrics",
      "/healthz",
      "/readyz",
      "/api/v1/status",
      "/api/v1/openapi.json",
    ]) {
      const reply = await fetch(url + path);
      expect(reply.status, path).toBe(200);
      types.set(path, reply.headers.get("content-type") ?? "");
      expect((await reply.text()).length, path).toBeGreaterThan(0);
    }
    expect([...types.values()]).toEqual([
      "text/html; charset=UTF-8",
      "text/plain; version=0.0.4; charset=utf-8",
      "text/plain; charset=UTF-8",
      "text/plain; charset=UTF-8",
      "application/json",
      "application/json",
    ]);
  });

  it("have no icon to give, and say so without an error", async () => {
    const { url } = await serve(sourceOf(eventfulWorld()));
    expect((await fetch(`${url}/favicon.ico`)).status).toBe(204);
  });

  it("answer what is not there in JSON, without letting its name do anything", async () => {
    const app = createApp(sourceOf(quiet()));
    const reply = await app.request("/no/%3Cscript%3E");
    expect(reply.status).toBe(404);
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await reply.json()).toMatchObject({ error: expect.stringContaining("no such page") });
  });

  it("only read: nothing can be posted, put or deleted", async () => {
    const app = createApp(sourceOf(quiet()));
    for (const path of ["/", "/metrics", "/healthz", "/api/v1/status"]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        expect((await app.request(path, { method })).status, `${method} ${path}`).toBe(405);
      }
      expect((await app.request(path, { method: "HEAD" })).status, `HEAD ${path}`).toBe(200);
    }
  });

  it("say of each path how it can be asked, if it is not as it was", async () => {
    const app = createApp(sourceOf(quiet()));
    const { paths } = (await (await app.request("/api/v1/openapi.json")).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const others = { "/": { get: 1 }, "/runbooks/ExchangeDisabled": { get: 1 } };
    const all = Object.entries({ ...paths, ...others });
    expect(all.length).toBeGreaterThan(20);
    for (const [path, methods] of all) {
      const takes = Object.keys(methods).map((method) => method.toUpperCase());
      if (takes.includes("GET")) takes.push("HEAD");
      const method = ["DELETE", "PATCH"].find((one) => !takes.includes(one)) ?? "";
      const reply = await app.request(path.replaceAll(/\{\w+\}/g, "x"), { method });
      expect(reply.status, path).toBe(405);
      expect(reply.headers.get("allow")?.split(", ").toSorted(), path).toEqual(takes.toSorted());
      expect(await reply.json()).toEqual({ error: expect.stringContaining(`takes no ${method}`) });
    }
    expect((await app.request("/nowhere", { method: "POST" })).status).toBe(404);
  });

  it("serve the shipped runbooks, with their links to each other, and no other file", async () => {
    const app = createApp(sourceOf(quiet()));
    const runbook = await app.request("/runbooks/ExchangeDisabled");
    expect(runbook.status).toBe(200);
    const text = await runbook.text();
    expect(text).toContain("# ExchangeDisabled");
    expect(text).toContain('<a href="/runbooks/ManyExchangesDisabled">ManyExchangesDisabled</a>');
    for (const name of ["Nowhere", "..%2f..%2fpackage", "..%2fdeploy.md", "%00"]) {
      const refused = await app.request(`/runbooks/${name}`);
      expect(refused.status, name).toBe(404);
    }
  });

  it("say in headers that a browser may load, frame and send nothing", async () => {
    const app = createApp(sourceOf(quiet()));
    for (const path of [
      "/",
      "/plain",
      "/console/0/main.js",
      "/runbooks/PoolDrained",
      "/api/v1/status",
      "/metrics",
      "/nowhere",
    ]) {
      const { headers } = await app.request(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).toContain("form-action 'none'");
      if (path === "/") continue;
      expect(policy, path).not.toMatch(/script-src|connect-src/);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("x-powered-by"), path).toBeNull();
    }
  });

  it("grant no other site a call, so that a browser asks for leave and gets none", async () => {
    const app = createApp(sourceOf(quiet()));
    const path = "/api/v1/proposals/p1/approve";
    const headers = {
      origin: "https://elsewhere.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    };
    for (const method of ["OPTIONS", "POST"]) {
      const reply = await app.request(path, { method, headers });
      expect(reply.ok, method).toBe(false);
      const granted = [...reply.headers.keys()].filter((name) => name.startsWith("access-control"));
      expect(granted, method).toEqual([]);
    }
  });

  it("log a bug of their own, and do not show it to the caller", async () => {
    const errors: string[] = [];
    const app = createApp(
      sourceOf(quiet(), {
        metrics: () => Promise.reject(new Error("secret detail")),
        onError: (path, error) => errors.push(`${path} ${String(error)}`),
      }),
    );
    const reply = await app.request("/metrics");
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain("secret");
    expect(errors).toEqual(["/metrics Error: secret detail"]);
  });
});

describe("/healthz and /readyz", () => {
  it.each([
    ["/healthz", "unhealthy"],
    ["/readyz", "unready"],
  ])("%s answers 503 with every reason, and 200 when there is none", async (path, name) => {
    let reasons = ["the loop stands still", "the disk is full"];
    const app = createApp(sourceOf(quiet(), { [name]: () => reasons }));
    const bad = await app.request(path);
    expect([bad.status, await bad.text()]).toEqual([
      503,
      "the loop stands still\nthe disk is full\n",
    ]);
    // A reason may have the words of a server that is asked, and the answer is shown by a terminal.
    reasons = ["is not JSON: \u001b[2J\nok"];
    expect(await (await app.request(path)).text()).toBe("is not JSON: \ufffd[2J ok\n");
    reasons = [];
    const good = await app.request(path);
    expect([good.status, await good.text()]).toEqual([200, "ok\n"]);
  });
});

/** The status, which must say the same once it was decoded and encoded again: every field has its codec. */
async function statusOf(app: ReturnType<typeof createApp>): Promise<StatusJson> {
  const json: unknown = await (await app.request("/api/v1/status")).json();
  const answer = decodeAnswer(statusAnswer, json);
  if (answer === undefined) throw new Error("the status does not fit its own schema");
  const again = statusAnswer.encode(answer);
  expect(again).toEqual(json);
  return again;
}

describe("/api/v1/status", () => {
  it("fits its own schema, with an entity, an alert, a remediation and a proposal", async () => {
    const world = eventfulWorld();
    world.commands({ name: "kill", source: "operator" });
    const status = await statusOf(createApp(sourceOf(world)));
    expect(status).toMatchObject({ version: "1.2.3", mode: "act" });
    expect(status.killed).toMatchObject([{ source: "operator", by: "alice" }]);
    expect(status.alerts.map(({ alertname, state }) => `${alertname} ${state}`).toSorted()).toEqual(
      ["ExchangeDisabled firing", "Later pending", "PairDisabled firing"],
    );
    expect(status.remediations).toMatchObject([{ id: "r1", action: "enable_exchange" }]);
    expect(status.proposals).toMatchObject([{ action: "enable_pair", state: "waiting" }]);
    expect(status.aggregators[0]?.pollers.map(({ id }) => id)).toContain("liquidations");
  });

  it("writes times as ISO 8601, those in facts too", async () => {
    const world = eventfulWorld();
    const { aggregators, at } = await statusOf(createApp(sourceOf(world)));
    expect(at).toBe(new Date(world.now).toISOString());
    const order = aggregators[0]?.entities.find(({ kind }) => kind === "liquidation");
    expect(order?.facts["created"]).toMatch(/^2025-12-31T23:58:\d\d\.\d{3}Z$/);
    const pair = aggregators[0]?.entities.find(({ kind }) => kind === "pair");
    expect(pair?.parent).toEqual({ kind: "exchange", id: "A" });
    const poller = aggregators[0]?.pollers.find(({ id }) => id === "exchanges");
    expect(poller?.facts["last_success"]).toMatch(/Z$/);
  });

  it("writes times among the facts that a condition reads as ISO 8601, too", async () => {
    const stale = rule({ alert: "Old", kind: "liquidation" });
    const world = scriptedWorld({
      rules: [{ ...stale, when: { ...stale.when, reads: ["created"] } }],
    });
    const created = world.now - 90_000;
    const facts = { order_id: "o1", name: "o1", open: true, final: false, created };
    world.sees("liquidations", [{ kind: "liquidation", id: "o1", facts }]);
    const app = createApp(
      sourceOf(world, {
        explain: (alertname, entity) => {
          const explanation = explain(world.policy, world.state, alertname, entity, world.now);
          if (explanation === undefined) throw new Error("there is such an entity");
          return { ok: true, value: { explanation, sentences: [] } };
        },
      }),
    );
    const reply = await app.request("/api/v1/explain?rule=Old&entity=liquidation/o1");
    expect(await reply.json()).toMatchObject({
      explanation: {
        condition: { facts: [{ name: "created", value: new Date(created).toISOString() }] },
      },
    });
  });

  it("can be asked before anything has happened", async () => {
    const world = quiet();
    world.state.startedAt = -Infinity;
    world.state.at = 0;
    const app = createApp(sourceOf(world));
    expect((await statusOf(app)).at).toBe("1970-01-01T00:00:00.000Z");
    expect((await app.request("/")).status).toBe(200);
  });

  it("is described by the OpenAPI document", async () => {
    const app = createApp(sourceOf(quiet()));
    const reply = await app.request("/api/v1/openapi.json");
    const document = (await reply.json()) as {
      openapi: string;
      info: unknown;
      paths: Record<string, Record<string, unknown>>;
      components: { schemas: Record<string, { properties: object }> };
    };
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toEqual({ title: "aggwatch", version: "1.2.3" });
    expect(Object.keys(document.paths["/api/v1/status"] ?? {})).toEqual(["get"]);
    const { Status } = document.components.schemas;
    expect(Object.keys(Status?.properties ?? {})).toEqual(Object.keys(await statusOf(app)));
  });
});

describe("the server", () => {
  it("rejects a port that is taken", async () => {
    const { url } = await serve(sourceOf(quiet()));
    const port = Number(new URL(url).port);
    await expect(startServer(createApp(sourceOf(quiet())), "127.0.0.1", port)).rejects.toThrow(
      "EADDRINUSE",
    );
  });

  it("gives its address as a URL, with IPv6 too", async () => {
    const server = await startServer(createApp(sourceOf(quiet())), "::1", 0).catch(() => undefined);
    if (server === undefined) return;
    running.push(server);
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("closes although a client holds its connection open", async () => {
    const server = await serve(sourceOf(quiet()));
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const ended = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n");
    await server.close();
    await ended;
    await server.close();
  });
});

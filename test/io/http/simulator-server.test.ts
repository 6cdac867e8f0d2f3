import http from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { startSimulatorServer } from "../../../src/io/http/simulator-server.ts";
import type { RunningServer } from "../../../src/io/http/listen.ts";
import { createSimulator } from "../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";

const LIST = "/api/v1/exchange/list";
const open: RunningServer[] = [];

async function serve(): Promise<{ url: string; simulator: Simulator; server: RunningServer }> {
  const simulator = createSimulator({ seed: 1, clock: { now: () => 1_700_000_000_000 } });
  const server = await startSimulatorServer({ simulator, host: "127.0.0.1", port: 0 });
  open.push(server);
  return { url: server.url, simulator, server };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

function fault(simulator: Simulator, plan: object): void {
  const outcome = simulator.control({ do: "set_fault", endpoint: "all", fault: plan, times: 1 });
  expect(outcome.ok).toBe(true);
}

describe("the simulator's server", () => {
  it("serves the interface, with bodies on DELETE and arguments in path and query", async () => {
    const { url, simulator } = await serve();
    const list = await fetch(url + LIST);
    expect(list.headers.get("content-type")).toBe("application/json");
    expect(await list.json()).toContain("BINANCE");
    const body = JSON.stringify({ id: "0x1", senderAddress: "0x2" });
    const cancelled = await fetch(`${url}/api/v1/order?x=1`, { method: "DELETE", body });
    expect(await cancelled.json()).toMatchObject({ error: { code: 1001 } });
    expect(
      simulator.requestLog().map(({ method, path, query }) => ({ method, path, query })),
    ).toEqual([
      { method: "GET", path: LIST, query: {} },
      { method: "DELETE", path: "/api/v1/order", query: { x: "1" } },
    ]);
  });

  it("answers HEAD as it would GET, without the body", async () => {
    const { url } = await serve();
    const get = await fetch(url + LIST);
    const head = await fetch(url + LIST, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect(await head.text()).toBe("");
    const toggle = await fetch(`${url}/api/v1/exchange/toggle/OKX`, { method: "HEAD" });
    expect(toggle.status).toBe(405);
  });

  it("takes a whole address as the target, as a proxy is asked", async () => {
    const { url, simulator } = await serve();
    const { hostname, port } = new URL(url);
    const ask = async (path: string) =>
      await new Promise<number | undefined>((resolve, reject) => {
        const request = http.get({ hostname, port, path, agent: false }, (reply) => {
          reply.resume();
          reply.on("end", () => resolve(reply.statusCode));
        });
        request.on("error", reject);
      });
    expect(await ask(`${url}${LIST}?x=1`)).toBe(200);
    expect(await ask("HTTP://aggregator.example?x=1")).toBe(404);
    expect(simulator.requestLog().map(({ path, query }) => ({ path, query }))).toEqual([
      { path: LIST, query: { x: "1" } },
      { path: "/", query: { x: "1" } },
    ]);
  });

  it("takes the key from a header of any case", async () => {
    const { url } = await serve();
    const headers = { "x-Api-kEY": "simulator-key" };
    const reply = await fetch(`${url}/api/v1/order/force/0x1`, { method: "DELETE", headers });
    expect(reply.status).toBe(404);
  });

  it("is controlled over HTTP", async () => {
    const { url } = await serve();
    const body = JSON.stringify({ do: "disable_exchange", exchange: "OKX" });
    const controlled = await fetch(`${url}/_sim/control`, { method: "POST", body });
    expect(controlled.status).toBe(200);
    expect(await (await fetch(`${url}/api/v1/exchange/disabled`)).json()).toMatchObject({
      exchanges: ["OKX"],
    });
  });

  it("cuts the connection at once when it is down, and later when it times out", async () => {
    const { url, simulator } = await serve();
    fault(simulator, { kind: "down" });
    await expect(fetch(url + LIST)).rejects.toThrow("fetch failed");
    fault(simulator, { kind: "timeout_after_applying", close_after: "20ms" });
    const toggled = fetch(`${url}/api/v1/exchange/toggle/OKX`, { method: "DELETE" });
    await expect(toggled).rejects.toThrow("fetch failed");
    expect(simulator.requestLog().at(-1)).toMatchObject({ status: null, applied: true });
    expect(await (await fetch(url + LIST)).json()).not.toContain("OKX");
  });

  it("answers later if latency was asked for", async () => {
    const { url, simulator } = await serve();
    fault(simulator, { kind: "latency", length: "20ms" });
    expect((await fetch(url + LIST)).status).toBe(200);
    expect(simulator.requestLog().at(-1)?.faults).toEqual(["latency"]);
  });

  it("closes although requests hang and answers are still to come", async () => {
    const { url, simulator, server } = await serve();
    fault(simulator, { kind: "hang" });
    fault(simulator, { kind: "latency", length: "1h" });
    const hanging = [fetch(url + LIST), fetch(url + LIST)].map((one) =>
      one.then(
        () => "answered",
        () => "cut",
      ),
    );
    const arrived = new Promise<void>((resolve) => {
      const look = (): void => {
        if (simulator.requestLog().length === 2) resolve();
        else setImmediate(look);
      };
      look();
    });
    await arrived;
    await server.close();
    expect(await Promise.all(hanging)).toEqual(["cut", "cut"]);
  });

  it("refuses a body that is too long, and does not count it as a request", async () => {
    const { url, simulator } = await serve();
    const body = "x".repeat(1024 * 1024 + 1);
    const reply = await fetch(`${url}/api/v1/order`, { method: "POST", body });
    expect(reply.status).toBe(413);
    expect(simulator.requestLog()).toEqual([]);
  });

  it("lives on when a client goes away in the middle of its request", async () => {
    const { url, simulator } = await serve();
    await new Promise<void>((resolve) => {
      const headers = { "content-length": "100" };
      const request = http.request(`${url}/api/v1/order`, { method: "POST", headers });
      request.on("error", () => resolve());
      request.write("{", () => request.destroy(new Error("gone")));
    });
    expect((await fetch(url + LIST)).status).toBe(200);
    expect(simulator.requestLog()).toHaveLength(1);
  });

  it("says that the port is in use", async () => {
    const { url, simulator } = await serve();
    const port = Number(new URL(url).port);
    await expect(startSimulatorServer({ simulator, host: "127.0.0.1", port })).rejects.toThrow(
      "EADDRINUSE",
    );
  });
});

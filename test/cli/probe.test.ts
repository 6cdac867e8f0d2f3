/** Tests src/cli/probe: what it asks, and what it says. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { READ_ENDPOINTS } from "../../src/aggregator/endpoints/index.ts";
import { commandLine } from "./command-line.ts";
import type { LocalServer } from "../io/local-server.ts";
import {
  configFor,
  renamed,
  startDeployment,
  type Dialect,
  type OwnAnswer,
} from "./deployments.ts";

let directory = "";
let server: LocalServer | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-probe-"));
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await server?.close();
  server = undefined;
});

async function deploy(dialect: Dialect): Promise<LocalServer> {
  server = await startDeployment(dialect);
  return server;
}

const run = async (args: readonly string[], env: Record<string, string> = {}) =>
  await commandLine(["probe", ...args], env);

const reportSchema = z.object({
  ok: z.boolean(),
  aggregators: z.array(
    z.object({
      pollers: z.array(z.object({ name: z.string(), ok: z.boolean() })),
      endpoints: z.array(
        z.object({
          endpoint: z.string(),
          outcome: z.enum(["read", "failed", "not_asked"]),
          status: z.number().nullish(),
          entries: z.number().nullish(),
          reason: z.string().nullish(),
          message: z.string().nullish(),
          why: z.string().nullish(),
          change: z.string().nullish(),
          map: z.string().nullish(),
          no_map: z.string().nullish(),
          mismatch: z
            .object({ path: z.string(), expected: z.string(), received: z.string() })
            .nullish(),
        }),
      ),
    }),
  ),
});

async function probeWith(config: string, env: Record<string, string> = {}) {
  const file = join(directory, "aggwatch.yaml");
  writeFileSync(file, config);
  const { exitCode, printed, complained } = await run(["--config", file, "--json"], env);
  expect(complained).toBe("");
  const [report] = reportSchema.parse(JSON.parse(printed)).aggregators;
  const byName = new Map(report?.endpoints.map((one) => [one.endpoint, one]));
  const failed = report?.endpoints.filter(({ outcome }) => outcome === "failed") ?? [];
  return { exitCode, byName, failed, pollers: report?.pollers ?? [] };
}

/** What a person does with the advice: puts every suggested map into the config. */
function withMaps(
  maps: ReadonlyArray<{ endpoint: string; map?: string | null | undefined }>,
): string {
  const given = maps.flatMap(({ endpoint, map }) =>
    typeof map === "string" ? [`      ${endpoint}: { map: ${JSON.stringify(map)} }`] : [],
  );
  return given.length === 0 ? "" : ["    wire:", ...given].join("\n");
}

describe("aggwatch probe", () => {
  it("needs no more than a base URL, and asks for what the listings name", async () => {
    const { baseUrl, seen } = await deploy({});
    const { exitCode, printed } = await run(["--base-url", baseUrl]);
    expect(printed).toContain(
      "All that the pollers need is read right, and no enabled rule is blind",
    );
    expect(printed).toMatch(/poolReserves +- +200 +\d+ ms +read, 1 entry/);
    expect(exitCode).toBe(0);
    // An order of each market and a liquidation order: no listing names them with all that they are asked by.
    expect(seen.length).toBe(READ_ENDPOINTS.length - 3);
  });

  it("asks for what files list, and once for several statuses of orders", async () => {
    const { baseUrl, seen } = await deploy({});
    writeFileSync(
      join(directory, "list.yaml"),
      '- { targets: ["0x77"], labels: { kind: sender } }',
    );
    const config = [
      `aggregators:`,
      `  - base_url: ${baseUrl}`,
      `    watch: { order_statuses: { spot: [NEW, FILLED] }, files: [list.yaml] }`,
    ];
    const { pollers } = await probeWith(config.join("\n"));
    expect(pollers).toContainEqual({ name: "orders", ok: true });
    expect(seen.map(({ url }) => url)).toContain("/api/v1/atomic-swap/history/current?sender=0x77");
    expect(seen.filter(({ url }) => url.includes("order/status?")).length).toBe(1);
  });

  it("says what is wrong with a watch file, and asks nothing then", async () => {
    const { baseUrl, seen } = await deploy({});
    writeFileSync(join(directory, "list.yaml"), '- { targets: ["0x77"] }');
    const file = join(directory, "aggwatch.yaml");
    writeFileSync(file, `aggregators: [{ base_url: "${baseUrl}", watch: { files: [list.yaml] } }]`);
    const { exitCode, complained } = await run(["--config", file]);
    expect(complained).toMatch(/list\.yaml:1:\d+: error: .*\n1 problem$/s);
    expect(exitCode).toBe(1);
    expect(seen).toEqual([]);
  });

  it("says that it asks for nothing that lists over HTTP name", async () => {
    const { baseUrl } = await deploy({});
    const http = '[{ url: "http://127.0.0.1:9/desks", name: desks }]';
    const file = join(directory, "aggwatch.yaml");
    writeFileSync(file, `aggregators: [{ base_url: "${baseUrl}", watch: { http: ${http} } }]`);
    const { printed } = await run(["--config", file]);
    expect(printed).toMatch(/swaps +nothing to ask: lists over HTTP are not asked for/);
    expect(printed).not.toContain("its watch list is empty");
  });

  it("does not say that all is right of listings that contradict each other, unless that is to be ignored", async () => {
    const { baseUrl } = await deploy({
      say: (body, path) =>
        path.endsWith("exchange/list") ? [...(body as string[]), "KUCOIN"] : body,
    });
    const { exitCode, printed } = await run(["--base-url", baseUrl]);
    expect(printed).toContain("contradicts itself: KUCOIN is in the list and in the disabled");
    expect(printed).toContain("wire.exchanges.ignore: [contradiction]");
    expect(exitCode).toBe(1);
    const ignored = "    wire: { exchanges: { ignore: [contradiction] } }";
    expect((await probeWith(configFor(baseUrl, ignored))).exitCode).toBe(0);
  });

  it("does not say that all is right of a first page, and names the key that says so", async () => {
    const { baseUrl } = await deploy({
      say: (body, path) =>
        path.endsWith("exchange/disabled") ? { ...(body as object), totalPage: 6 } : body,
    });
    const { exitCode, printed } = await run(["--base-url", baseUrl]);
    expect(printed).toContain("not whole: disabled: $.totalPage is 6, and one page was read");
    expect(exitCode).toBe(1);
  });

  it("does not say that all is right of what a cache kept", async () => {
    const headers = { warning: '110 - "Response is Stale"' };
    const { baseUrl } = await deploy({
      ask: (path) =>
        path.endsWith("exchange/list") ? { status: 200, body: '["KUCOIN"]', headers } : path,
    });
    const { exitCode, printed } = await run(["--base-url", baseUrl]);
    expect(printed).toContain("not whole: exchanges: the header Warning says that a cache");
    expect(exitCode).toBe(1);
  });

  it("makes no call but a reading one, and each of them once", async () => {
    const { baseUrl, seen } = await deploy({});
    await probeWith(configFor(baseUrl));
    const calls = seen.map(({ method, url }) => `${method} ${url}`);
    expect(new Set(calls).size).toBe(calls.length);
    expect(calls.length).toBe(READ_ENDPOINTS.length);
    expect(seen.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(calls.filter((call) => /toggle|force/.test(call))).toEqual([]);
  });

  it("never has the acting credential, and shows no reading one that is echoed", async () => {
    const { baseUrl, seen } = await deploy({
      ask: (path, { headers }) =>
        path.includes("exchange/list")
          ? { status: 200, body: JSON.stringify({ you: headers.authorization }) }
          : path,
    });
    const auth = `    auth: { read: { type: bearer, value_env: READ }, act: { type: bearer, value_env: ACT } }`;
    const env = { READ: "reading-secret-1", ACT: "acting-secret-2" };
    const config = configFor(baseUrl, auth);
    const { byName } = await probeWith(config, env);
    expect(byName.get("exchanges")?.mismatch?.received).toBe('{"you":"Bearer [redacted]"}');
    expect(JSON.stringify([...byName])).not.toContain("reading-secret-1");
    expect(seen.every(({ headers }) => headers.authorization === "Bearer reading-secret-1")).toBe(
      true,
    );
  });

  it("says with file, line and column what is wrong with the config", async () => {
    const file = join(directory, "aggwatch.yaml");
    writeFileSync(file, "aggregators:\n  - name: here\n    base_ulr: http://127.0.0.1:1\n");
    const { exitCode, complained } = await run(["--config", file]);
    expect(complained).toContain("aggwatch.yaml:3:5");
    expect(exitCode).toBe(1);
  });

  it("ends with 1 and the setting to change if nothing answers", async () => {
    const { baseUrl, close } = await deploy({});
    await close();
    const { exitCode, printed } = await run(["--base-url", baseUrl]);
    expect(printed.match(/change {3}base_url: nothing answers there/g)).toHaveLength(1);
    expect(printed).toContain("exchanges: GET /api/v1/exchange/list\ndisabled: GET ");
    expect(printed).toContain("Not read right: what exchanges, pools need.");
    expect(exitCode).toBe(1);
  });
});

describe("aggwatch probe at a wrong address", () => {
  const everywhere = async (answer: OwnAnswer) => {
    const { baseUrl } = await deploy({ ask: () => answer });
    return (await run(["--base-url", baseUrl])).printed;
  };

  it("says once what is wrong with all endpoints, and names each setting by its pattern", async () => {
    const printed = await everywhere({
      status: 200,
      body: "<!doctype html><title>Sign in</title>",
    });
    expect(printed.match(/^ {2}change {3}.*/gm)).toEqual([
      "  change   base_url or wire.<endpoint>.path: the answer there is not JSON",
    ]);
    expect(printed).toContain("exchanges: GET /api/v1/exchange/list\ndisabled: GET ");
  });

  it("says where a redirect points, without its query", async () => {
    const headers = { location: "/login/page?next=secret" };
    const printed = await everywhere({ status: 302, body: "", headers });
    expect(printed).toContain("status 302 points elsewhere (/login/page)\n");
    expect(printed).toMatch(/change {3}base_url: .*; if that is a log-in page, auth\.read/);
    expect(printed).not.toContain("secret");
  });
});

describe("aggwatch probe against other deployments", () => {
  const wrapped: Dialect = { say: (body) => ({ success: true, data: { result: body } }) };
  const camel: Dialect = {
    say: (body, path) => {
      if (path.includes("/order/status")) return renamed(body, { id: "order_id", status: "state" });
      if (path.includes("pools/reservations") && Array.isArray(body))
        return { pools: renamed(body, { a: "baseReserve", p: "quoteReserve", factory: "dex" }) };
      if (path.includes("history")) return { swaps: body, total: (body as unknown[]).length };
      return body;
    },
  };
  const flat: Dialect = {
    say: (body, path) => {
      if (path.includes("order/liquidation")) return (body as { order: unknown }).order;
      if (!path.includes("history/current") || !Array.isArray(body)) return body;
      return body.map(({ lockOrder, creationTime, ...rest }: Record<string, unknown>) => ({
        ...rest,
        ...(lockOrder as object),
        creationTime: new Date(Number(creationTime)).toISOString(),
      }));
    },
  };
  const objects: Dialect = {
    say: (body, path) => {
      if (path.endsWith("exchange/list"))
        return (body as string[]).map((name, index) => ({ index, name }));
      if (path.endsWith("exchange/disabled")) return (body as { exchanges: unknown }).exchanges;
      if (path.endsWith("pairs/list"))
        return Object.fromEntries((body as string[]).map((name) => [name, { listed: true }]));
      return body;
    },
  };

  it.each([
    { name: "all bodies in a wrapper", dialect: wrapped },
    { name: "fields of other names", dialect: camel },
    { name: "objects that are flat, and dates as text", dialect: flat },
    { name: "lists of objects for lists of names", dialect: objects },
  ])("suggests maps that, once set, read $name", async ({ dialect }) => {
    const { baseUrl } = await deploy(dialect);
    const before = await probeWith(configFor(baseUrl));
    expect(before.exitCode).toBe(1);
    expect(before.failed.map(({ endpoint, map }) => [endpoint, map ?? "none"])).not.toContainEqual([
      expect.anything(),
      "none",
    ]);
    // What a listing names is asked for only once the listing is read, so a person probes again.
    const found = [...before.failed];
    let after = before;
    for (let round = 0; round < 2; round += 1) {
      after = await probeWith(configFor(baseUrl, withMaps(found)));
      found.push(...after.failed);
    }
    expect(after.failed).toEqual([]);
    expect(after.exitCode).toBe(0);
    expect(after.byName.get("disabled")?.entries).toBe(1);
  });

  it("finds a base path, another spelling of a path, and a credential that is asked for", async () => {
    const { baseUrl } = await deploy({
      basePath: "/bsc-mainnet/backend",
      ask: (path, { headers }) => {
        if (headers["x-api-key"] === undefined) return { status: 401, body: "who are you?" };
        if (path.startsWith("/api/v1/pools/reservations/")) return { status: 404, body: "" };
        return path.replace("/pools/reserves/", "/pools/reservations/");
      },
    });
    const refused = await probeWith(configFor(baseUrl));
    expect(refused.byName.get("exchanges")).toMatchObject({
      status: 401,
      change: expect.stringContaining("auth.read"),
    });
    const auth = "    auth: { read: { type: header, name: X-API-KEY, value_env: KEY } }";
    const known = await probeWith(configFor(baseUrl, auth), { KEY: "k" });
    expect(known.failed.map(({ endpoint }) => endpoint)).toEqual(["poolReserves"]);
    expect(known.failed[0]?.change).toContain("wire.poolReserves.path");
    const wire = '    wire: { poolReserves: { path: "/api/v1/pools/reserves/{factory}/{pair}" } }';
    const right = await probeWith(configFor(baseUrl, `${auth}\n${wire}`), { KEY: "k" });
    expect(right.failed).toEqual([]);
  });

  it("names what answers instead: a page, a redirect, other arguments, too many requests", async () => {
    const answers: Record<
      string,
      { status: number; body: string; headers?: Record<string, string> }
    > = {
      "/api/v1/exchange/list": { status: 200, body: "<html>Welcome</html>" },
      "/api/v1/exchange/disabled": {
        status: 302,
        body: "",
        headers: { location: "https://elsewhere.example/login?token=x" },
      },
      "/api/v1/pairs/list": { status: 400, body: '{"error":{"code":1,"reason":"no page given"}}' },
      "/api/v1/pools/reservations": { status: 429, body: "" },
    };
    const { baseUrl } = await deploy({ ask: (path) => answers[path] ?? path });
    const { byName, exitCode } = await probeWith(configFor(baseUrl));
    expect(exitCode).toBe(1);
    expect(byName.get("exchanges")).toMatchObject({
      reason: "malformed",
      change: expect.stringContaining("JSON"),
    });
    expect(byName.get("disabled")).toMatchObject({
      reason: "redirect",
      change: expect.stringContaining("base_url"),
    });
    expect(byName.get("disabled")?.message).not.toContain("token");
    expect(byName.get("pairs")).toMatchObject({
      message: expect.stringContaining("no page given"),
      change: expect.stringContaining("wire.pairs.query"),
    });
    // What could not be read does not name none.
    expect(byName.get("pairInfo")?.why).toBe("no pair is known from pairs/list");
    expect(byName.get("reserves")?.change).toContain("rate");
  });

  it("does not blame an address that answers: a broken connection, a wrong compression, an empty list", async () => {
    const answers: Record<string, OwnAnswer> = {
      "/api/v1/exchange/list": {
        status: 200,
        body: '["BINANCE",',
        headers: { "content-length": "100", connection: "close" },
      },
      "/api/v1/pairs/list": {
        status: 200,
        body: '["ORN-USDT"]',
        headers: { "content-encoding": "gzip" },
      },
      "/api/v1/exchange/disabled": {
        status: 200,
        body: '{"status":"OK","payload":{"rows":[]}}',
      },
    };
    const { baseUrl } = await deploy({ ask: (path) => answers[path] ?? path });
    const { byName } = await probeWith(configFor(baseUrl));
    expect(byName.get("exchanges")).toMatchObject({
      message: expect.stringContaining("the connection broke"),
      change: expect.stringMatching(/^none: the connection was made, and broke/),
    });
    expect(byName.get("pairs")).toMatchObject({
      reason: "malformed",
      change: expect.stringMatching(
        /^none: the body is not compressed as its Content-Encoding says/,
      ),
    });
    expect(byName.get("disabled")?.no_map).toBe(
      '$.payload.rows is empty, and a map needs an entry: probe again while it has one; the body is {"status":"OK","payload":{"rows":[]}}',
    );
  });
});

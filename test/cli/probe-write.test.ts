/** Tests src/cli/probe: the config that it writes, and a base path that is wrong. */
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { findDeployment, type Deployment } from "../../src/simulator/deployment/deployment.ts";
import { DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import { USUAL_PREFIXES } from "../../src/io/probe/elsewhere.ts";
import { startServer } from "../io/local-server.ts";
import { commandLine } from "./command-line.ts";
import { configFor, startDeployment } from "./deployments.ts";

/** A server that speaks as a deployment does, and a directory for configs. */
async function deployed(name: string, change: Partial<Deployment> = {}) {
  const found = findDeployment(name);
  const deployment = found && { ...found, ...change };
  const simulator = createSimulator({
    seed: 1,
    clock: { now: () => Date.now() },
    ...(deployment && { deployment }),
  });
  simulator.control({ do: "start_swap", sender: DEFAULT_SENDERS[0], stuck: true });
  simulator.control({ do: "disable_pair", exchange: "BINANCE", pair: "ORN-USDT" });
  const server = await startServer(({ method, url, body }, response) => {
    const { pathname, searchParams } = new URL(url, "http://here");
    const query = Object.fromEntries(searchParams);
    const reply = simulator.handle({ method, path: pathname, query, headers: {}, body });
    if (reply.outcome === "silent") throw new Error("the simulator was told to be silent");
    response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
  });
  onTestFinished(server.close);
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-write-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = (own: string): string => join(directory, own);
  return {
    ...server,
    file,
    probe: async (...args: string[]) => await commandLine(["probe", ...args]),
  };
}

describe("aggwatch probe --write", () => {
  it("keeps the config and its comments, adds what it suggests, and is confirmed by the next probes", async () => {
    const { baseUrl, file, probe } = await deployed("snake");
    writeFileSync(
      file("aggwatch.yaml"),
      [
        "# Ours.",
        "aggregators:",
        "  - name: here # the first",
        `    base_url: ${baseUrl}`,
        `    watch: { senders: ["${DEFAULT_SENDERS[0]}"] }`,
        "    wire: { pairs: { success: [200] } }",
        "actions: { mode: shadow }",
      ].join("\n"),
    );
    const first = await probe("--config", file("aggwatch.yaml"), "--write", file("new.yaml"));
    expect(first.exitCode).toBe(1);
    expect(first.complained).toMatch(
      /^Wrote .*new\.yaml, with \d+ suggested settings\. Probe again/,
    );
    const written = readFileSync(file("new.yaml"), "utf8");
    expect(written).toMatch(/^# Written by aggwatch probe --write: check what the fields mean/);
    expect(written).toContain("# Ours.\naggregators:\n  - name: here # the first\n");
    expect(written).toContain("actions: { mode: shadow }");
    expect(written).toMatch(/success: \[ ?200 ?\]/);
    expect(written).toMatch(/swapHistory:\n +# It reads .*entr.* that came\.\n/);
    const again = await probe("--config", file("new.yaml"), "--write", file("new.yaml"));
    expect(again.complained).toContain("Wrote");
    const confirmed = await probe("--config", file("new.yaml"));
    expect(confirmed.printed).toContain("no enabled rule is blind to it.");
    expect(confirmed.exitCode).toBe(0);
    const text = readFileSync(file("new.yaml"), "utf8");
    expect(text.match(/Written by aggwatch probe/g)).toHaveLength(1);
    expect(text.match(/# Ours\./g)).toHaveLength(1);
  });

  it("keeps the query of a setting, and changes no other aggregator through a YAML alias", async () => {
    const { baseUrl, file, probe } = await deployed("snake");
    const own = (name: string, wire: string): string[] => [
      `  - name: ${name}`,
      `    base_url: ${baseUrl}`,
      `    watch: { senders: ["${DEFAULT_SENDERS[0]}"] }`,
      `    wire: ${wire}`,
    ];
    const wire =
      "&own { pairs: { success: [200] }, order: { query: { owner: null, network: BSC } } }";
    const config = ["aggregators:", ...own("one", wire), ...own("two", "*own")].join("\n");
    writeFileSync(file("aggwatch.yaml"), config);
    const made = await probe("--config", file("aggwatch.yaml"), "--write", file("new.yaml"));
    expect(made.complained).toContain("Wrote");
    const written: unknown = parse(readFileSync(file("new.yaml"), "utf8"));
    const query = { owner: null, network: "BSC", orderId: null, order_id: "{orderId}" };
    const both = { wire: { pairs: { success: [200] }, order: { query } } };
    expect(written).toMatchObject({ aggregators: [both, both] });
    expect((await probe("--config", file("new.yaml"))).exitCode).toBe(0);
  });

  it("leaves a map of one's own that reads the body, though another would fill more", async () => {
    const { file, probe } = await deployed("usual");
    const data = [
      { name: "BINANCE", internal: true },
      { name: "KUCOIN", internal: false },
    ];
    const server = await startDeployment({
      say: (body, path) => (path.endsWith("exchange/disabled") ? { data } : body),
    });
    onTestFinished(server.close);
    const map = '{ "exchanges": [data[$not(internal)].name], "pairs": [] }';
    const wire = `    wire: { disabled: { map: '${map}' } }`;
    writeFileSync(file("aggwatch.yaml"), configFor(server.baseUrl, wire));
    const made = await probe("--config", file("aggwatch.yaml"), "--write", file("new.yaml"));
    expect(made.complained).toContain("unchanged: there is nothing to suggest");
    expect(made.printed).toMatch(/disabled: GET .*\n +says more than your map reads of it/);
    const written: unknown = parse(readFileSync(file("new.yaml"), "utf8"));
    expect(written).toMatchObject({ aggregators: [{ wire: { disabled: { map } } }] });
  });

  it("improves the map that it made of an empty listing, once there is an entry", async () => {
    const { file, probe } = await deployed("usual");
    const swap = {
      sender: DEFAULT_SENDERS[0],
      status: "ACTIVE",
      created_at: Date.now(),
      lockOrder: { secretHash: "0xaa", expiration_time: Date.now() },
    };
    const result: object[] = [];
    const server = await startDeployment({
      say: (body, path) => (path.endsWith("history/current") ? { result } : body),
    });
    onTestFinished(server.close);
    writeFileSync(file("a.yaml"), configFor(server.baseUrl));
    const mapAfter = async (from: string, to: string): Promise<unknown> => {
      await probe("--config", file(from), "--write", file(to));
      const written = parse(readFileSync(file(to), "utf8")) as {
        readonly aggregators: readonly {
          readonly wire?: { readonly activeSwaps?: { readonly map?: string } };
        }[];
      };
      return written.aggregators[0]?.wire?.activeSwaps?.map;
    };
    const guess = await mapAfter("a.yaml", "b.yaml");
    expect(guess).toMatch(/^\$exists\(result\) \? \[result\] : /);
    expect(await mapAfter("b.yaml", "c.yaml")).toBe(guess);
    result.push(swap);
    const better = await mapAfter("c.yaml", "d.yaml");
    expect(better).toMatch(/"creationTime": created_at/);
    expect(better).toMatch(/"expiration": lockOrder\.expiration_time/);
    expect(await mapAfter("d.yaml", "e.yaml")).toBe(better);
  });

  it("needs no config, and writes one that names the aggregator", async () => {
    const { baseUrl, file, probe } = await deployed("seconds");
    await probe("--base-url", baseUrl, "--write", file("new.yaml"));
    const written = readFileSync(file("new.yaml"), "utf8");
    expect(written).toContain(`    base_url: ${baseUrl}\n`);
    expect(written).toContain(
      "    # All times in the replies are in this unit.\n    instants: seconds\n",
    );
    expect((await probe("--config", file("new.yaml"))).exitCode).toBe(0);
  });

  it("writes the address that the command line gave in place of the config's", async () => {
    const { baseUrl, file, probe } = await deployed("seconds");
    const old = "base_url: http://127.0.0.1:9/old # the first";
    writeFileSync(file("aggwatch.yaml"), `aggregators:\n  - name: here\n    ${old}\n`);
    const config = ["--config", file("aggwatch.yaml")];
    const made = await probe(...config, "--base-url", baseUrl, "--write", file("new.yaml"));
    expect(made.complained).toMatch(
      /^Wrote .*new\.yaml, with .* and the address that was probed\./,
    );
    expect(readFileSync(file("new.yaml"), "utf8")).toContain(`base_url: ${baseUrl} # the first\n`);
    expect((await probe("--config", file("new.yaml"))).exitCode).toBe(0);
  });

  it("writes over no file of somebody else's, and asks nothing then", async () => {
    const { baseUrl, file, probe, seen } = await deployed("wrapped");
    writeFileSync(file("own.yaml"), "aggregators: []\n");
    const refused = await probe("--base-url", baseUrl, "--write", file("own.yaml"));
    expect(refused.exitCode).toBe(1);
    expect(refused.complained).toMatch(/own\.yaml exists, and no probe has written it: .*--force/);
    expect(readFileSync(file("own.yaml"), "utf8")).toBe("aggregators: []\n");
    expect(seen).toHaveLength(0);
    await probe("--base-url", baseUrl, "--write", file("own.yaml"), "--force");
    expect(readFileSync(file("own.yaml"), "utf8")).toContain("wire:");
  });

  it("does not call unchanged what it writes without a config, though it suggests nothing", async () => {
    const { baseUrl, file, probe } = await deployed("usual");
    writeFileSync(file("own.yaml"), "aggregators: []\n");
    const made = await probe("--base-url", baseUrl, "--write", file("own.yaml"), "--force");
    expect(readFileSync(file("own.yaml"), "utf8")).toContain(`base_url: ${baseUrl}`);
    expect(made.complained).toMatch(
      /^Wrote .*own\.yaml, with the address alone: there is nothing to suggest\. Probe again: /m,
    );
  });

  it("writes over no file of somebody else's that appears while it asks", async () => {
    const { file } = await deployed("usual");
    const server = await startDeployment({
      say: (body) => {
        writeFileSync(file("new.yaml"), "theirs: true\n");
        return body;
      },
    });
    onTestFinished(server.close);
    const args = ["probe", "--base-url", server.baseUrl, "--write", file("new.yaml")];
    const refused = await commandLine(args);
    expect(refused.exitCode).toBe(1);
    expect(refused.complained).toMatch(/new\.yaml exists, and no probe has written it/);
    expect(readFileSync(file("new.yaml"), "utf8")).toBe("theirs: true\n");
  });

  it("puts a whole file in the place of the old one, so that a daemon never reads half of it", async () => {
    const { baseUrl, file, probe } = await deployed("wrapped");
    mkdirSync(file("real"));
    const own = `aggregators: [{ base_url: "${baseUrl}" }]\n`;
    writeFileSync(file("real/own.yaml"), own, { mode: 0o600 });
    symlinkSync("real/own.yaml", file("own.yaml"));
    const reading = openSync(file("own.yaml"), "r");
    onTestFinished(() => closeSync(reading));
    const config = ["--config", file("own.yaml")];
    const made = await probe(...config, "--write", file("own.yaml"), "--force");
    expect(made.complained).toContain("Wrote");
    expect(readFileSync(reading, "utf8")).toBe(own);
    expect(lstatSync(file("own.yaml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(file("real/own.yaml"), "utf8")).toContain("wire:");
    expect(statSync(file("real/own.yaml")).mode & 0o777).toBe(0o600);
    expect(readdirSync(file("real"))).toEqual(["own.yaml"]);
  });

  it.each(["a directory", "a link to nothing"])("leaves nothing behind at %s", async (what) => {
    const { baseUrl, file, probe } = await deployed("wrapped");
    if (what === "a directory") mkdirSync(file("new.yaml"));
    else symlinkSync("nothing", file("new.yaml"));
    const refused = await probe("--base-url", baseUrl, "--write", file("new.yaml"), "--force");
    expect(refused.exitCode).toBe(1);
    expect(refused.complained).toMatch(/new\.yaml cannot be written: /);
    expect(readdirSync(file("."))).toEqual(["new.yaml"]);
  });

  it("stays in the directory of the config, as the paths in it begin there", async () => {
    const { baseUrl, file, probe } = await deployed("wrapped");
    writeFileSync(file("aggwatch.yaml"), `aggregators: [{ base_url: "${baseUrl}" }]\n`);
    const elsewhere = join(tmpdir(), "elsewhere", "new.yaml");
    const refused = await probe("--config", file("aggwatch.yaml"), "--write", elsewhere);
    expect(refused.complained).toContain("must be in the directory of");
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe("a base path that is wrong", () => {
  it("is looked for among the usual ones by GET alone, and suggested with all that is found there", async () => {
    const { baseUrl, file, probe, seen } = await deployed("wrapped", { prefix: "/backend/v2" });
    const first = await probe("--base-url", baseUrl, "--write", file("new.yaml"));
    expect(first.exitCode).toBe(1);
    expect(first.printed).toContain("None of the paths that are set is known there");
    expect(first.printed).toContain("change   api_prefix: /backend/v2, which answers");
    expect(first.printed).toMatch(/exchanges +exchanges +200 .*mismatch/);
    const looked = seen.filter(({ url }) => /exchange.list/.test(url));
    expect(looked.map(({ method }) => method)).toEqual(looked.map(() => "GET"));
    // Once as set, once for each that is tried, and once with all else.
    expect(looked.length).toBeLessThanOrEqual(USUAL_PREFIXES.length + 1);
    const written = readFileSync(file("new.yaml"), "utf8");
    expect(written).toContain("api_prefix: /backend/v2");
    expect(written).toContain("map:");
    const again = await probe("--config", file("new.yaml"));
    expect(again.printed).not.toContain("None of the paths");
    expect(again.exitCode).toBe(0);
  });

  it("is said once, and not for each endpoint, if none of the usual ones answers", async () => {
    const { baseUrl, probe, seen } = await deployed("prefix", { prefix: "/of/its/own" });
    const { printed, exitCode } = await probe("--base-url", baseUrl);
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/None of the paths that are set is known there: .*\n +tried +GET /);
    for (const prefix of USUAL_PREFIXES.filter((one) => one !== "" && one !== "/api/v1"))
      expect(printed).toContain(prefix);
    expect(printed.match(/change +base_url or api_prefix/g)).toHaveLength(1);
    expect(printed).not.toContain("wire.");
    const paths = seen.map(({ url }) => url);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("is a slash in the config if there is none", async () => {
    const { baseUrl, file, probe } = await deployed("prefix", { prefix: "" });
    await probe("--base-url", baseUrl, "--write", file("new.yaml"));
    expect(readFileSync(file("new.yaml"), "utf8")).toMatch(/api_prefix: "?\/"?\n/);
    expect((await probe("--config", file("new.yaml"))).exitCode).toBe(0);
  });

  it("is not taken from a server that has a page for whatever is asked", async () => {
    const server = await startServer(({ url }, response) => {
      const isApi = url.includes("/api/v1/");
      response.writeHead(isApi ? 404 : 200, { "content-type": "text/html" });
      response.end("<html>Welcome</html>");
    });
    onTestFinished(server.close);
    const { printed, exitCode } = await commandLine(["probe", "--base-url", server.baseUrl]);
    expect(exitCode).toBe(1);
    expect(printed).toContain("change   base_url or api_prefix");
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, medianRatio, type Rounds } from "./measure.ts";
import { milliseconds, significant, type Row } from "./table.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");

/** Prints the most memory that a process had, in kB, when it ends. */
const REPORT =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('\\nRSS '+process.resourceUsage().maxRSS))";

type Cost = { readonly ms: number; readonly megabytes: number };

/**
 * How long a short command takes, which finds no daemon, and how long a daemon takes from its start to its first request;
 * beside the same without the cache of compiled modules, and beside Node that does nothing.
 */
export async function benchStart({ warmUps, rounds }: Rounds): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  const cached = { XDG_CACHE_HOME: join(folder, "cache") };
  const bare = { NODE_DISABLE_COMPILE_CACHE: "1" };
  const ways: Readonly<Record<string, (turn: number) => Promise<Cost>>> = {
    status: () => command(cached),
    "status without cache": () => command(bare),
    daemon: (turn) => firstRequest(cached, join(folder, `cached-${turn}`)),
    "daemon without cache": (turn) => firstRequest(bare, join(folder, `bare-${turn}`)),
    node: () => ran(["-e", "0"], {}),
  };
  const costs: Record<string, Cost[]> = {};
  try {
    for (let turn = -warmUps; turn < rounds; turn += 1) {
      for (const [name, run] of Object.entries(ways)) {
        const cost = await run(turn);
        if (turn >= 0) (costs[name] ??= []).push(cost);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const row = (name: string, ours: string, baseline: string, of: keyof Cost): Row => {
    const [own, base] = [ours, baseline].map((one) =>
      (costs[one] ?? []).map((cost) => cost[of]),
    ) as [number[], number[]];
    const show = of === "ms" ? milliseconds : (value: number) => `${significant(value)} MB`;
    const figures = { ours: show(median(own)), baseline: show(median(base)) };
    const note = `the baseline is ${baseline === "node" ? "`node -e 0`" : baseline}`;
    return {
      name: `start: ${name}`,
      size: rounds,
      ...figures,
      ratio: medianRatio(own, base),
      note,
    };
  };
  return [
    row("short command (`status`)", "status", "status without cache", "ms"),
    row("short command (`status`)", "status", "node", "ms"),
    row("memory of a short command", "status", "node", "megabytes"),
    row("daemon to its first request", "daemon", "daemon without cache", "ms"),
    row("daemon to its first request", "daemon", "node", "ms"),
  ];
}

type Variables = Readonly<Record<string, string>>;

async function command(variables: Variables): Promise<Cost> {
  return await ran([MAIN, "status", "--url", "http://127.0.0.1:1"], variables);
}

async function ran(args: readonly string[], variables: Variables): Promise<Cost> {
  const from = performance.now();
  const child = spawn(process.execPath, [REPORT, ...args], { env: environment(variables) });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await once(child, "close");
  const [, kilobytes = "NaN"] = /RSS (\d+)/.exec(text) ?? [];
  return { ms: performance.now() - from, megabytes: Number(kilobytes) / 1_024 };
}

async function firstRequest(variables: Variables, data: string): Promise<Cost> {
  const server = createServer((_request, response) => response.writeHead(503).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const from = performance.now();
  const own = { AGGWATCH_BASE_URL: `http://127.0.0.1:${port}`, ...variables };
  const args = [MAIN, "run", "--listen", "127.0.0.1:0", "--data", data];
  const child = spawn(process.execPath, args, { env: environment(own), stdio: "ignore" });
  await once(server, "request");
  const ms = performance.now() - from;
  child.kill("SIGTERM");
  await once(child, "close");
  server.close();
  server.closeAllConnections();
  return { ms, megabytes: Number.NaN };
}

/** Only what a program needs: the cache of whoever runs this does not count. */
function environment(variables: Variables): Variables {
  return { PATH: process.env["PATH"] ?? "", ...variables };
}

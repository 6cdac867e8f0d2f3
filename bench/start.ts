import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../tools/build.ts";
import { serve } from "./loopback.ts";
import { median, medianRatio, type Rounds } from "./measure.ts";
import { milliseconds, significant, type Row } from "./table.ts";

/**
 * Prints the most memory that a process had, in kB, when it ends. What `resourceUsage` gives may be that of the process
 * that started it: Linux carries it over.
 */
const REPORT = `--import=data:text/javascript,${encodeURIComponent(`import { readFileSync } from "node:fs";
process.on("exit", () => {
  const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"));
  process.stderr.write("\\nRSS " + kilobytes);
});`)}`;

type Cost = { readonly ms: number; readonly megabytes: number };

/** What a short command and a start are to keep. */
const LIMITS = { "short command": 250, memory: 90, "first request": 300 };

/**
 * How long a short command takes, which finds no daemon, how much memory it needs, and how long a daemon takes from its
 * start to its first request: of the package and from source, each with and without the cache of compiled modules, beside
 * Node that does nothing. The limits are the package's, with its cache.
 */
export async function benchStart({ warmUps, rounds }: Rounds): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  try {
    const directory = join(folder, "package");
    await build(directory);
    const ways = waysOf(folder, {
      package: join(directory, "lib/main.js"),
      "from source": join(import.meta.dirname, "../src/main.ts"),
    });
    const costs = new Map<string, Cost[]>();
    for (let turn = -warmUps; turn < rounds; turn += 1) {
      for (const [name, run] of ways) {
        const cost = await run(turn);
        if (turn >= 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
      }
    }
    return rowsOf(costs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NODE = "node -e 0";

type Way = (turn: number) => Promise<Cost>;

function waysOf(folder: string, programs: Readonly<Record<string, string>>): Map<string, Way> {
  const ways = new Map<string, Way>([[NODE, () => ran(["-e", "0"], {})]]);
  const caches = {
    "": { XDG_CACHE_HOME: join(folder, "cache") },
    ", no cache": { NODE_DISABLE_COMPILE_CACHE: "1" },
  };
  for (const [program, main] of Object.entries(programs)) {
    for (const [cache, variables] of Object.entries(caches)) {
      const name = `${program}${cache}`;
      ways.set(`short command, ${name}`, () =>
        ran([main, "status", "--url", "http://127.0.0.1:1"], variables),
      );
      ways.set(`first request, ${name}`, (turn) =>
        firstRequest(main, variables, join(folder, `${name} ${turn}`)),
      );
    }
  }
  return ways;
}

function rowsOf(costs: ReadonlyMap<string, readonly Cost[]>): Row[] {
  const of = (name: string, figure: keyof Cost): number[] =>
    (costs.get(name) ?? []).map((cost) => cost[figure]);
  const row = (name: string, figure: keyof Cost): Row => {
    const [own, base] = [of(name, figure), of(NODE, figure)];
    const show = figure === "ms" ? milliseconds : (value: number) => `${significant(value)} MB`;
    const what = figure === "ms" ? name : name.replace("short command", "memory");
    const limit = Object.entries(LIMITS).find(([start]) => what === `${start}, package`)?.[1];
    return {
      name: `start: ${what}`,
      size: own.length,
      ours: show(median(own)),
      baseline: show(median(base)),
      ratio: medianRatio(own, base),
      note: `the baseline is \`${NODE}\`${limit === undefined ? "" : `, the limit ${show(limit)}`}`,
    };
  };
  const names = [...costs.keys()].filter((name) => name !== NODE);
  return names.flatMap((name) => [
    row(name, "ms"),
    ...(name.startsWith("short") && !name.endsWith("no cache") ? [row(name, "megabytes")] : []),
  ]);
}

type Variables = Readonly<Record<string, string>>;

async function ran(args: readonly string[], variables: Variables): Promise<Cost> {
  const from = performance.now();
  const child = spawn(process.execPath, [REPORT, ...args], { env: environment(variables) });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await once(child, "close");
  const [, kilobytes = "NaN"] = /RSS (\d+)/.exec(text) ?? [];
  return { ms: performance.now() - from, megabytes: Number(kilobytes) / 1_024 };
}

async function firstRequest(main: string, variables: Variables, data: string): Promise<Cost> {
  const { server, url, close } = await serve((_request, response) => response.writeHead(503).end());
  const from = performance.now();
  const own = { AGGWATCH_BASE_URL: url, ...variables };
  const args = [main, "run", "--listen", "127.0.0.1:0", "--data", data];
  const child = spawn(process.execPath, args, { env: environment(own), stdio: "ignore" });
  await once(server, "request");
  const ms = performance.now() - from;
  child.kill("SIGTERM");
  await once(child, "close");
  await close();
  return { ms, megabytes: Number.NaN };
}

/** Only what a program needs: the cache of whoever runs this does not count. */
function environment(variables: Variables): Variables {
  return { PATH: process.env["PATH"] ?? "", ...variables };
}

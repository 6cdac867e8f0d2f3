import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stringify } from "yaml";
import { instructionOf } from "../../test/deploy/dockerfile.ts";
import { startProgram } from "../../test/e2e/start-demo.ts";
import { until } from "../../test/e2e/until.ts";
import { createCgroup, type Cgroup } from "../cgroup.ts";
import { addressesOf } from "../poll.ts";

export type Trial = {
  readonly senders: number;
  readonly mebibytes: number;
  readonly seconds: number;
};

export type Tried = {
  /** How the daemon did not live through it; undefined if it did. */
  readonly ended: string | undefined;
  readonly oomKills: number;
  readonly usedMebibytes: number;
  /** Those that were read, at the end. */
  readonly knownSenders: number;
  readonly checks: number;
  readonly failedChecks: number;
  readonly cgroup: 1 | 2;
};

const root = join(import.meta.dirname, "..", "..");
const MEBIBYTE = 1_048_576;
const CHECK_EVERY_MS = 10_000;
const PATIENCE = 3;

/**
 * Runs the daemon as the image does, with the image's own health check every ten seconds, both within the limit; the
 * simulated aggregator is a process outside of it.
 */
export async function tryMemory({ senders, mebibytes, seconds }: Trial): Promise<Tried> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-least-memory-"));
  const name = `aggwatch-${process.pid}-${mebibytes}`;
  const cgroup = createCgroup(name, mebibytes * MEBIBYTE);
  const addresses = addressesOf(senders);
  const scenario = join(folder, "scenario.yaml");
  writeFileSync(scenario, stringify({ name: "many", world: { senders: addresses }, steps: [] }));
  const simulator = startProgram(["simulator", "--port", "0", "--scenario", scenario]);
  let daemon: ChildProcess | undefined;
  try {
    const listen = `127.0.0.1:${await freePort()}`;
    const config = join(folder, "aggwatch.yaml");
    writeFileSync(config, stringify(configFor(await simulator.address, addresses)));
    daemon = start(cgroup, config, join(folder, "data"), listen);
    return await watch(daemon, { cgroup, listen, seconds, senders });
  } finally {
    if (daemon?.exitCode === null && daemon.signalCode === null) {
      daemon.kill("SIGTERM");
      await once(daemon, "exit");
    }
    await simulator.stop();
    rmSync(folder, { recursive: true });
    // The group is busy for a moment after its last process.
    await until("the group is empty", () => attempt(cgroup.remove));
  }
}

function attempt(remove: () => void): true | undefined {
  try {
    remove();
    return true;
  } catch {
    return undefined;
  }
}

/** A sweep of all senders takes 40 s of each minute. */
function configFor(baseUrl: string, addresses: readonly string[]): unknown {
  return {
    aggregators: [
      {
        base_url: baseUrl,
        rate: { requests_per_second: Math.max(50, addresses.length / 40), concurrency: 16 },
        schedules: { swaps: "0 * * * * *" },
        watch: {
          senders: addresses.map((address, index) => ({ address, alias: `desk-${index}` })),
        },
      },
    ],
  };
}

function start(cgroup: Cgroup, config: string, data: string, listen: string): ChildProcess {
  const paths = ["--config", config, "--data", data, "--rules", join(root, "rules")];
  const [program = "", ...args] = cgroup.within([
    process.execPath,
    join(root, "src/main.ts"),
    "run",
    "--listen",
    listen,
    ...paths,
  ]);
  return spawn(program, args, { env: { PATH: process.env["PATH"] }, stdio: "ignore" });
}

type Watching = Pick<Trial, "seconds" | "senders"> & {
  readonly cgroup: Cgroup;
  readonly listen: string;
};

async function watch(
  daemon: ChildProcess,
  { cgroup, listen, seconds, senders }: Watching,
): Promise<Tried> {
  const exit = once(daemon, "exit");
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  // On a busy machine the first sweep takes longer.
  const givenUpAt = startedAt + PATIENCE * seconds * 1_000;
  const seen = { checks: 0, failedChecks: 0, usedMebibytes: 0, knownSenders: 0 };
  let isUp = false;
  const goesOn = (): boolean =>
    performance.now() < (seen.knownSenders < senders ? givenUpAt : endsAt);
  while (goesOn() && isAlive(daemon)) {
    // oxlint-disable-next-line no-await-in-loop -- it watches in time
    const isHealthy = await check(cgroup, listen);
    isUp ||= isHealthy;
    if (isUp) seen.checks += 1;
    if (isUp && !isHealthy) seen.failedChecks += 1;
    seen.usedMebibytes = Math.max(seen.usedMebibytes, Math.round(cgroup.usedBytes() / MEBIBYTE));
    // oxlint-disable-next-line no-await-in-loop -- it watches in time
    seen.knownSenders = (await knownSenders(listen)) ?? seen.knownSenders;
    // oxlint-disable-next-line no-await-in-loop -- it watches in time
    await Promise.race([exit, pause(CHECK_EVERY_MS)]);
  }
  const oomKills = cgroup.oomKills();
  const { exitCode, signalCode } = daemon;
  return {
    ...seen,
    oomKills,
    cgroup: cgroup.version,
    ended: isAlive(daemon)
      ? problemOf(oomKills, seen, senders)
      : `ended (${signalCode ?? exitCode})`,
  };
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

type Seen = Pick<Tried, "failedChecks" | "knownSenders">;

function problemOf(
  oomKills: number,
  { failedChecks, knownSenders }: Seen,
  senders: number,
): string | undefined {
  if (oomKills > 0) return "a health check was killed";
  if (failedChecks > 0) return "a health check failed";
  return knownSenders < senders ? `only ${knownSenders} senders were read` : undefined;
}

/** The image's own health check, in the daemon's group as it is in a container. */
async function check(cgroup: Cgroup, listen: string): Promise<boolean> {
  const [, command = "[]"] = instructionOf("HEALTHCHECK").split(" CMD ");
  const [program = "", ...args] = cgroup.within(JSON.parse(command) as string[]);
  const env = { PATH: process.env["PATH"], AGGWATCH_LISTEN: listen };
  const child = spawn(program, args, { env, stdio: "ignore" });
  await once(child, "exit");
  return child.exitCode === 0;
}

/** Senders that were read. */
async function knownSenders(listen: string): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://${listen}/metrics`, { signal: AbortSignal.timeout(5_000) });
    const text = await answer.text();
    const count = /^aggwatch_entities\{.*kind="sender".*\} (\d+)$/m.exec(text)?.[1];
    return Number(count ?? 0);
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

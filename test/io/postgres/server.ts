import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { madeOnce } from "../../made-once.ts";
import { pem } from "../tls-front.ts";
import { copyCluster, makeCluster, NOBODY, packagedPrograms, startedIn } from "./cluster.ts";

/** A real PostgreSQL, on a free port of the loopback address, that goes with all it wrote. */
export type PostgresServer = {
  /** Of a new, empty database. */
  readonly makeDatabase: () => Promise<string>;
  readonly port: number;
  /** Sets what holds for all of its databases from then on. */
  readonly set: (name: string, value: string) => Promise<void>;
  /** Ends it without a word to who is connected, as a crash does; it recovers at the next start. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Stops its main process, and all that serve connections, where they stand; and lets them go on. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const run = promisify(execFile);

const SETTINGS = ["max_connections=60", "unix_socket_directories=", "log_min_messages=log"];

export type PostgresOptions = {
  /** The directory of another PostgreSQL's programs, as Debian's. */
  readonly bin?: string | undefined;
  /** It shows this certificate of test/fixtures/tls, and refuses who comes in the clear. */
  readonly certificate?: string | undefined;
  /** A death of the process loses nothing without it, and the machine is not to die: off, unless time is measured. */
  readonly fsync?: boolean | undefined;
};

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { bin, certificate, fsync = false } = options;
  const programs = bin ?? packagedPrograms();
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-postgres-"));
  const spawned = startedIn(directory);
  const data = join(directory, "data");
  const template = bin === undefined ? await madeOnce("cluster") : undefined;
  if (template === undefined) await makeCluster(programs, directory, data);
  else await copyCluster(template, data);
  const tls = certificate === undefined ? [] : speakTls(data, certificate);
  const settings = [...SETTINGS, `fsync=${fsync ? "on" : "off"}`, ...tls];
  let port = 0;
  let child: ChildProcess | undefined;
  let made = 0;

  const start = async (): Promise<void> => {
    const given = settings.flatMap((setting) => ["-c", setting]);
    const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...given];
    const started = spawn(join(programs, "postgres"), args, {
      ...spawned,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      started.once("error", reject);
      started.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
      started.stderr.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-10_000);
        if (said.includes("ready to accept connections")) resolve();
      });
    });
  };
  const kill = async (): Promise<void> => {
    const ending = child;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    await signalAll(ending, "SIGCONT");
    ending.kill("SIGQUIT");
    await ended;
  };
  const removeAll = (): void => {
    child?.kill("SIGQUIT");
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once("exit", removeAll);
  await onFreePort(async (free) => {
    port = free;
    await start();
  });
  const ask = async (...statements: readonly string[]): Promise<void> => {
    const ssl = certificate !== undefined && { rejectUnauthorized: false };
    const client = new pg.Client({ connectionString: urlOf(port, "postgres"), ssl });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  return {
    port,
    set: async (name, value) =>
      await ask(`ALTER SYSTEM SET ${name} = '${value}'`, "SELECT pg_reload_conf()"),
    kill,
    start,
    restart: async () => {
      await kill();
      await start();
    },
    pause: async () => signalAll(child, "SIGSTOP"),
    resume: async () => signalAll(child, "SIGCONT"),
    makeDatabase: async () => {
      made += 1;
      const name = `test_${made}`;
      await ask(`CREATE DATABASE ${name}`);
      return urlOf(port, name);
    },
    stop: async () => {
      await kill();
      process.off("exit", removeAll);
      removeAll();
    },
  };
}

/** Puts certificate and key where the server may read them, and gives its settings. */
function speakTls(data: string, certificate: string): readonly string[] {
  const files = { ssl_cert_file: certificate, ssl_key_file: "server-key" };
  for (const name of Object.values(files)) {
    const file = join(data, `${name}.pem`);
    writeFileSync(file, pem(name), { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(file, NOBODY, NOBODY);
  }
  const access = "hostssl all all 127.0.0.1/32 trust\n";
  writeFileSync(join(data, "pg_hba.conf"), access);
  return ["ssl=on", ...Object.entries(files).map(([name, file]) => `${name}=${file}.pem`)];
}

function urlOf(port: number, database: string): string {
  return `postgres://aggwatch@127.0.0.1:${port}/${database}`;
}

async function signalAll(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined) return;
  // First, as it would go on to make processes while they are listed.
  child.kill(signal);
  for (const pid of await serving(child)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // It has ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** The processes that serve the connections, and write behind them. */
async function serving({ pid }: ChildProcess): Promise<readonly number[]> {
  const found = await run("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }));
  return found.stdout.split("\n").filter(Boolean).map(Number);
}

/** Starts a server on a free port, and on another one if that was taken before the server had it. */
export async function onFreePort<Started>(
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  for (;;) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!String(error).includes("Address already in use")) throw error;
    }
  }
}

/**
 * One that is free, and stays so while its server is down: systems give those who ask for any port, and each connection
 * that goes out, one from 32768 on (Linux) or 49152 on.
 */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer();
  const isFree = await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return await freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "../child-environment.ts";
import { NOBODY } from "../io/postgres/cluster.ts";
import { onFreePort } from "../io/postgres/server.ts";

/** A real PgBouncer before a PostgreSQL. */
export type PgBouncer = {
  readonly port: number;
  readonly stop: () => Promise<void>;
};

/**
 * In transaction mode, and each connection to the server is closed after one transaction: whatever a session was to
 * keep, as a lock, a setting, a prepared statement or a LISTEN, is gone by the next.
 */
const settingsOf = (server: number, port: number, users: string): string => `
[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
server_lifetime = 0
`;

export async function startPgBouncer(program: string, server: number): Promise<PgBouncer> {
  return await onFreePort(async (port) => await startOn(port, program, server));
}

async function startOn(port: number, program: string, server: number): Promise<PgBouncer> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-pgbouncer-"));
  const [config, users] = [join(directory, "pgbouncer.ini"), join(directory, "users.txt")];
  writeFileSync(config, settingsOf(server, port, users));
  writeFileSync(users, '"aggwatch" ""\n');
  // It does not run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, config, users]) chownSync(path, NOBODY, NOBODY);
  const child = spawn(program, [config], {
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: directory,
    env: childEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let said = "";
  try {
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`PgBouncer ended with ${code}: ${said}`)));
      child.stderr.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-10_000);
        if (said.includes("process up")) resolve();
      });
    });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  return {
    port,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

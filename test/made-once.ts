import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { makeCluster, packagedPrograms } from "./io/postgres/cluster.ts";

/** What many test files need, and what takes seconds to make: it is made once a run, if it is asked for. */

const ROOT = join(import.meta.dirname, "..");

/** The program from source. */
export const SOURCE = join(ROOT, "src/main.ts");

/** Each makes its thing in a new directory, and gives its path. */
const MAKERS = {
  /** The program as the package and the container have it: it starts for two thirds of the processor time. */
  program: async (directory: string): Promise<string> => {
    await promisify(execFile)(process.execPath, [join(ROOT, "tools/build.ts"), directory]);
    return join(directory, "lib/main.js");
  },
  /** An empty cluster of the packaged PostgreSQL, to be copied. */
  cluster: async (directory: string): Promise<string> => {
    const data = join(directory, "data");
    await makeCluster(packagedPrograms(), directory, data);
    return data;
  },
};

type Made = keyof typeof MAKERS;

/** The variable that says where to ask; no process that a test starts gets it. */
const ASK_AT = "MADE_ONCE_URL";

/** The path of what was made; undefined outside of Vitest. */
export async function madeOnce(what: Made): Promise<string | undefined> {
  const url = process.env[ASK_AT];
  if (url === undefined) return undefined;
  const response = await fetch(`${url}/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`the ${what} cannot be made: ${text}`);
  return text;
}

/** Vitest's global setup: makes things for all workers, and makes them again if files have changed. */
export async function setup(project: TestProject): Promise<() => void> {
  const directories: string[] = [];
  const made = new Map<string, Promise<string>>();
  project.onTestsRerun(() => made.clear());
  const make = (what: string): Promise<string> => {
    const known = made.get(what);
    if (known !== undefined) return known;
    const directory = mkdtempSync(join(tmpdir(), `aggwatch-made-once-${what}-`));
    directories.push(directory);
    const making = MAKERS[what as Made](directory);
    made.set(what, making);
    return making;
  };
  const server = createServer((request, response) => {
    make((request.url ?? "").slice(1)).then(
      (path) => response.end(path),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.env[ASK_AT] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => {
    server.close();
    server.closeAllConnections();
    for (const directory of directories)
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  };
}

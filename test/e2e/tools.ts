import { existsSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The first of some programs that is in PATH, with its directory. Says so where none is. */
export function findTool(names: readonly string[], needs: string): string | undefined {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((path) => existsSync(path));
  if (found === undefined)
    process.stderr.write(`SKIPPED ${needs}: there is no ${names.join(" or ")} in PATH\n`);
  return found;
}

/** Debian keeps the servers of PostgreSQL, by version, where no PATH names them. */
const DEBIAN_POSTGRES = "/usr/lib/postgresql";

/** The directory with the programs of Debian's PostgreSQL, the newest version. Says so where there is none. */
export function findPostgres(needs: string): string | undefined {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  const found = versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN_POSTGRES, version, "bin"))
    .find((directory) => existsSync(join(directory, "initdb")));
  if (found !== undefined) return found;
  const inPath = findTool(["initdb"], needs);
  return inPath && dirname(inPath);
}

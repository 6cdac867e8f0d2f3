import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

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

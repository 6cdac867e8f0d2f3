import { basename } from "node:path";

/**
 * Where the program finds files of its own. There are two layouts: the source, and the package, in which
 * tools/build.ts puts all modules, and what lies beside them, into one folder `lib`.
 */
export const isSource = import.meta.url.endsWith(".ts");

/** A file of `src` that is read, or started as a thread, and not imported: `io/journal/check-thread.ts`. */
export function ownModule(path: string): URL {
  return isSource
    ? new URL(`../../${path}`, import.meta.url)
    : new URL(basename(path).replace(/\.ts$/, ".js"), import.meta.url);
}

/** A file or folder that comes with the program, by its path from the root of the repository: `deploy/demo/`. */
export function shippedFile(path: string): URL {
  return new URL(isSource ? `../../../${path}` : `../${path}`, import.meta.url);
}

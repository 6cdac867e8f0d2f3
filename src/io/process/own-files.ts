import { basename } from "node:path";

/**
 * Whether the program runs from source. In the package, tools/build.ts puts all modules, and the files beside them,
 * into one folder `lib`.
 */
export const isSource = import.meta.url.endsWith(".ts");

/** A file of `src` that is read or started as a thread, not imported, such as `io/journal/check-thread.ts`. */
export function ownModule(path: string): URL {
  return isSource
    ? new URL(`../../${path}`, import.meta.url)
    : new URL(basename(path).replace(/\.ts$/, ".js"), import.meta.url);
}

/** A file or folder that comes with the program, by its path in the repository, such as `deploy/demo/`. */
export function shippedFile(path: string): URL {
  return new URL(isSource ? `../../../${path}` : `../${path}`, import.meta.url);
}

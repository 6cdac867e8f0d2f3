import { posix } from "node:path";
import type { Scanned } from "./scan.ts";

export type Import = {
  readonly line: number;
  /** As written: `../domain/time.ts`, `node:fs`, `got`. */
  readonly specifier: string;
  /** It imports types alone, and is gone when those are stripped. */
  readonly isType: boolean;
  /** It is loaded when the code comes to it: `await import("…")`. */
  readonly isLater: boolean;
  /** The file it names, from the root of the repository; undefined for a library. */
  readonly path: string | undefined;
};

const IMPORT =
  /(?:\bimport\b|\bexport\b)(?:\s+type\b)?\s*[\w\s{},*$]*\bfrom\s*["']|\bimport\s*\(?\s*["']/g;

/** Every import and re-export of a file, those of types too. */
export function importsOf(file: Scanned): readonly Import[] {
  return [...file.code.matchAll(IMPORT)].map((match) => {
    const start = match.index + match[0].length;
    const quote = file.text.charAt(start - 1);
    const specifier = file.text.slice(start, file.text.indexOf(quote, start));
    const isFile = specifier.startsWith(".");
    return {
      line: file.lineOf(start),
      specifier,
      isType: /^(?:import|export)\s+type\b/.test(match[0]),
      isLater: match[0].includes("("),
      path: isFile ? posix.join(posix.dirname(file.path), specifier) : undefined,
    };
  });
}

/** The name of the package that a specifier belongs to: `@noble/hashes/sha3` → `@noble/hashes`. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The files and packages that a file loads, and those that they load: at once, or with what is loaded later. */
export function loadedBy(
  path: string,
  files: readonly Scanned[],
  when: "at once" | "ever" = "ever",
): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const seen = new Set([path]);
  const packages = new Set<string>();
  for (const one of seen) {
    const file = byPath.get(one);
    for (const imported of file === undefined ? [] : importsOf(file)) {
      const { path: next, specifier, isType, isLater } = imported;
      if (isType || (isLater && when === "at once")) continue;
      if (next === undefined) packages.add(packageOf(specifier));
      else seen.add(next);
    }
  }
  return { files: [...seen], packages: [...packages] };
}

/** Circles of files that import each other, each once, as paths that end where they began. */
export function cycles(files: readonly Scanned[]): readonly (readonly string[])[] {
  const graph = new Map(files.map((file) => [file.path, pathsFrom(file)]));
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt !== -1) found.push([...trail.slice(seenAt), path]);
    if (seenAt !== -1 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

function pathsFrom(file: Scanned): readonly string[] {
  return importsOf(file).flatMap(({ path }) => (path === undefined ? [] : [path]));
}

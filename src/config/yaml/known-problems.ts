import { suggest } from "../suggest.ts";
import type { ShapeProblem } from "./shape-problem.ts";
import type { YamlPath } from "./yaml-source.ts";

/** Asks what is known to be wrong already, so that nothing is reported that only follows from it. */
type Known = { readonly known: readonly ShapeProblem[] };

/** What is at that path is not what was written, but a replacement for it. */
export function isStandIn({ known }: Known, path: YamlPath): boolean {
  return known.some((problem) => startsWith(path, problem.path));
}

/** The same of what is at that path, or of something in it. */
export function isBroken(work: Known, path: YamlPath): boolean {
  return isStandIn(work, path) || work.known.some((problem) => startsWith(problem.path, path));
}

/** A key that is not there is perhaps written and broken, or misspelt. */
export function isMisspelt(work: Known, path: YamlPath): boolean {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1));
  const isNear = ({ id, path: other }: ShapeProblem): boolean =>
    UNKNOWN_KEYS.has(id) &&
    other.length === path.length &&
    startsWith(other, parent) &&
    (other.at(-1) === MERGE_KEY || suggest(String(other.at(-1)), [key]) !== undefined);
  return isBroken(work, path) || work.known.some(isNear);
}

/** Merges another mapping in, by YAML 1.1; YAML 1.2 has no such key. It may stand for any key. */
export const MERGE_KEY = "<<";

const UNKNOWN_KEYS: ReadonlySet<string> = new Set([
  "config/unknown-key",
  "config/secret-in-config",
]);

export function startsWith(path: YamlPath, start: YamlPath): boolean {
  return start.length <= path.length && start.every((step, index) => path[index] === step);
}

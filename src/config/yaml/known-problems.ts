import type { ShapeProblem } from "./check-shape.ts";
import { pathText, type YamlPath } from "./yaml-source.ts";

/** Something is wrong at that path already, so what follows from it is not said as well. */
export function isKnown(
  work: { readonly known: readonly ShapeProblem[] },
  path: YamlPath,
): boolean {
  const start = pathText(path);
  return work.known.some((problem) => pathText(problem.path).startsWith(start));
}

import type { CelLanguage } from "../cel/environment.ts";
import { clausesOf, partsOf } from "./clauses.ts";
import { conditionsOf } from "./conditions.ts";
import type { LintCheck } from "./lint-check.ts";
import { contradictionIn } from "./satisfiable.ts";

export const alwaysTrue: LintCheck = {
  id: "lint/always-true",
  severity: "warning",
  means: "A condition, or a part of it, is true of every entity.",
  why: "A condition that is always true fires for every entity; a part that is always true has no effect, and hides what was meant.",
  mend: "Remove the part, or write the limit that was meant.",
  find: (linted) =>
    conditionsOf(linted).flatMap(({ path, ast }) => {
      const parts = partsOf(ast, "&&");
      return parts.flatMap((part) => {
        const ways = clausesOf(part, false);
        const found = ways?.map((clause) => contradictionIn(clause, linted.language));
        // A pair that is listed at all is disabled: to say so is not a mistake.
        if (found?.includes(undefined) !== false || isOnlyWord(found, linted.language)) return [];
        const what = parts.length > 1 ? "this part" : "the condition";
        const range = { start: part.start, end: part.end };
        return [{ path, range, message: `${what} is always true` }];
      });
    }),
};

/** The fact has only one possible word, so that naming it only says that the entity is there. */
function isOnlyWord(
  found: ReadonlyArray<string | undefined>,
  { kind, facts }: CelLanguage,
): boolean {
  return found.every((name) => facts[name?.slice(kind.length + 1) ?? ""]?.values?.length === 1);
}

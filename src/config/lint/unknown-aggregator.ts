import { suggestionHint } from "../suggest.ts";
import type { LintCheck, LintFinding } from "./lint-check.ts";

export const unknownAggregator: LintCheck = {
  id: "lint/unknown-aggregator",
  severity: "warning",
  means: "A rule names an aggregator that the config does not have.",
  why: "Of a misspelled aggregator nothing is judged by the rule, and nobody is told.",
  mend: "Write the name as in the config (`aggregators[].name`), or take it off.",
  look: ({ rules, aggregators }) => {
    if (aggregators.length === 0) return [];
    const known = aggregators.map(({ name }) => name);
    return rules.flatMap((linted) =>
      (linted.rule.aggregators ?? []).flatMap((name, index): LintFinding[] => {
        if (known.includes(name)) return [];
        const hint = suggestionHint(name, known);
        const message = `no aggregator is named "${name}"`;
        const path = ["aggregators", index];
        return [{ in: linted, path, message, ...(hint === undefined ? {} : { hint }) }];
      }),
    );
  },
};

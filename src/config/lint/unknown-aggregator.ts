import { hintFor } from "../suggest.ts";
import type { LintCheck } from "./lint-check.ts";

export const unknownAggregator: LintCheck = {
  id: "lint/unknown-aggregator",
  severity: "warning",
  means: "A rule names an aggregator that the config does not have.",
  why: "If the name is misspelt, the rule silently judges nothing of the aggregator that was meant.",
  mend: "Write the name as it is in the config (`aggregators[].name`), or remove it.",
  find: ({ rule }, { aggregators }) => {
    if (aggregators.length === 0) return [];
    const known = aggregators.map(({ name }) => name);
    return (rule.aggregators ?? []).flatMap((name, index) =>
      known.includes(name)
        ? []
        : [
            {
              path: ["aggregators", index],
              message: `no aggregator is named "${name}"`,
              hint: hintFor(name, known),
            },
          ],
    );
  },
};

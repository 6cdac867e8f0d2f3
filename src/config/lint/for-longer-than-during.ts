import { formatDuration } from "../../domain/time.ts";
import { longestStretch } from "../rules/during.ts";
import type { LintCheck } from "./lint-check.ts";

export const forLongerThanDuring: LintCheck = {
  id: "lint/for-longer-than-during",
  severity: "warning",
  means: "The hours of `during` are shorter than the rule's `for`.",
  why: "Outside `during` the rule is ok, and a pending alert is dropped. `for` starts again each time, so the alert never fires.",
  mend: "Write a shorter `for`, or longer hours. Write hours that cross midnight as one span, such as `22:00-06:00`.",
  find: ({ rule: { forMs, during } }) => {
    const longest = during === undefined ? Infinity : longestStretch(during);
    if (forMs < longest) return [];
    return [
      {
        path: ["for"],
        message: `for: ${formatDuration(forMs)} never passes, since "during" lasts ${formatDuration(longest)} at most: the alert never fires`,
        hint: `write a for of less than ${formatDuration(longest)}, or longer hours`,
      },
    ];
  },
};

import { formatDuration } from "../../domain/time.ts";
import { longestStretch } from "../rules/during.ts";
import type { LintCheck } from "./lint-check.ts";

export const forLongerThanDuring: LintCheck = {
  id: "lint/for-longer-than-during",
  severity: "warning",
  means: "The hours in which a rule is judged end before its `for` can have passed.",
  why: "Outside of `during` the rule is ok, and a pending alert is dropped: each time it begins again, and the alert never fires.",
  mend: "Write a shorter `for`, or longer hours; hours that are to go on over midnight are one span, such as `22:00-06:00`.",
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

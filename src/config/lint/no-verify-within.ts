import { isWritten, type LintCheck } from "./lint-check.ts";

export const noVerifyWithin: LintCheck = {
  id: "lint/no-verify-within",
  severity: "warning",
  means: "An action does not say how soon its effect must be seen.",
  why: "An action counts as failed if its effect is not seen within `verify_within`. The right time differs between deployments, so choose it deliberately.",
  mend: "Write `verify_within`, at least as long as two polls of the kind that the rule judges.",
  find: (linted) =>
    linted.rule.act === undefined || isWritten(linted, ["act", "verify_within"])
      ? []
      : [
          {
            path: ["act"],
            message: "the action does not say how soon its effect must be seen",
            hint: "write verify_within: 1m",
          },
        ],
};

import { isWritten, type LintCheck } from "./lint-check.ts";

export const noVerifyWithin: LintCheck = {
  id: "lint/no-verify-within",
  severity: "warning",
  means: "An action does not say how long its effect may take to be seen.",
  why: "An action counts as failed when its effect is not seen within `verify_within`. How long that may take differs from deployment to deployment, so somebody should have thought about it.",
  mend: "Write `verify_within`, at least as long as two polls of the kind that the rule judges.",
  find: (linted) =>
    linted.rule.act === undefined || isWritten(linted, ["act", "verify_within"])
      ? []
      : [
          {
            path: ["act"],
            message: "the action does not say within which time its effect must be seen",
            hint: "write verify_within: 1m",
          },
        ],
};

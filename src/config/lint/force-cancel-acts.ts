import type { LintCheck } from "./lint-check.ts";

export const forceCancelActs: LintCheck = {
  id: "lint/force-cancel-acts",
  severity: "warning",
  means: "An action that cannot be undone is carried out without a person.",
  why: "A forced cancel of an order stays. If data misleads the rule, there is no one to say no.",
  mend: "Write `mode: propose`, or say in an ignore comment who decided that it acts by itself.",
  find: ({ rule: { act } }, { actions }) =>
    act?.mode === "act" && actions.get(act.action)?.irreversible === true
      ? [
          {
            path: ["act", "mode"],
            message: `"${act.action}" cannot be undone, and needs no approval`,
            hint: "write mode: propose",
          },
        ]
      : [],
};

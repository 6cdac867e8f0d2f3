import type { LintCheck } from "./lint-check.ts";

export const forceCancelActs: LintCheck = {
  id: "lint/force-cancel-acts",
  severity: "warning",
  means: "An action that cannot be undone is sent without an approval.",
  why: "A forced cancel is final. If the data is misleading, it cannot be stopped.",
  mend: "Write `mode: propose`, or say in an ignore comment who decided that no approval is needed.",
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

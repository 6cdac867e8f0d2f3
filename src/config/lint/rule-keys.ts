import type { LintCheck } from "./lint-check.ts";

export const noRunbook: LintCheck = {
  id: "lint/no-runbook",
  severity: "warning",
  means: "A rule has no runbook, or names one that does not exist.",
  why: "Whoever is woken by the alert needs to know what it means and what to do.",
  mend: "Write the annotation `runbook_url`: a URL, or the path of a file. A path may be relative to the directory of the rule's file, to the directory above it, or to the one in which `aggwatch check` runs. The shipped runbooks, `docs/runbooks/NAME.md`, are always found: the daemon serves them as `/runbooks/NAME`.",
  find: ({ rule }, { fileExists }) => {
    const url = rule.annotations["runbook_url"]?.source.trim() ?? "";
    if (url === "")
      return [
        {
          path: ["alert"],
          message: `"${rule.alert}" has no runbook`,
          hint: "write annotations: { runbook_url: … }",
        },
      ];
    const isFile = !/^[a-z][a-z0-9+.-]*:/i.test(url) && !url.includes("{{");
    const path = url.replace(/[#?].*$/, "");
    if (!isFile || fileExists(path, rule.file)) return [];
    const message = `there is no runbook "${path}"`;
    return [{ path: ["annotations", "runbook_url"], message }];
  },
};

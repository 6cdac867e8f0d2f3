import type { LintCheck } from "./lint-check.ts";

export const noRunbook: LintCheck = {
  id: "lint/no-runbook",
  severity: "warning",
  means: "A rule has no runbook, or one that is not there.",
  why: "A person who is woken by an alert needs to know what it means and what to do.",
  mend: "Write the annotation `runbook_url`: a URL, or the path of a file. A path may start at the rule's file, at the directory above it, or where `aggwatch check` runs. The shipped ones, `docs/runbooks/NAME.md`, are always found: the daemon serves them as `/runbooks/NAME`.",
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

import { SEVERITIES, type Severity } from "../../domain/shown/severity.ts";
import { hintFor } from "../suggest.ts";
import type { LintCheck } from "./lint-check.ts";

export const unknownSeverity: LintCheck = {
  id: "lint/unknown-severity",
  severity: "warning",
  means: "A rule's `severity` is not `info`, `warning` or `critical`.",
  why: "Any other word counts as `critical` in notifications and on the page, so a misspelt `warning` wakes people.",
  mend: "Write one of the three. If you want a word of your own, which labels the metric and each notification, ignore this lint with the reason.",
  find: ({ rule: { severity } }) =>
    SEVERITIES.includes(severity as Severity)
      ? []
      : [
          {
            path: ["labels", "severity"],
            message: `the severity "${severity}" is not info, warning or critical, and counts as critical`,
            hint: hintFor(severity, SEVERITIES),
          },
        ],
};

import { SEVERITIES, type Severity } from "../../domain/shown/severity.ts";
import { hintFor } from "../suggest.ts";
import type { LintCheck } from "./lint-check.ts";

export const unknownSeverity: LintCheck = {
  id: "lint/unknown-severity",
  severity: "warning",
  means: "A rule's `severity` is none of `info`, `warning` and `critical`.",
  why: "It counts as `critical` in notifications and on the page, so that a misspelt `warning` wakes people.",
  mend: "Write one of the three, or say here why the word is your own: it labels the metric and each notification.",
  find: ({ rule: { severity } }) =>
    SEVERITIES.includes(severity as Severity)
      ? []
      : [
          {
            path: ["labels", "severity"],
            message: `the severity "${severity}" is none of ours, and counts as critical`,
            hint: hintFor(severity, SEVERITIES),
          },
        ],
};

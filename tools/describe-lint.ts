import { FUNCTIONS } from "../src/config/cel/functions.ts";
import { CONFIG_LINTS } from "../src/config/config-lints.ts";
import { lintChecks } from "../src/config/lint/index.ts";
import { severityOf } from "../src/config/lint/lint-check.ts";
import { PROBLEM_IDS } from "./problem-ids.ts";

/** Sections for docs/lint.md and docs/rules.md, made from the lists themselves. */

/** One section for each lint, with what it means, why it matters, and how to fix it. */
export function describeLint(): string {
  return lintChecks
    .map((check) => {
      const { id, means, why, mend } = check;
      const about = `*${severityOf(check)}* · ${means}`;
      return [`### ${id}`, about, `**Why.** ${why}`, `**Fix.** ${mend}`].join("\n\n");
    })
    .join("\n\n");
}

/** Every lint of the config. */
export function describeConfigLints(): string {
  const rows = Object.entries(CONFIG_LINTS).map(([id, means]) => `| \`${id}\` | ${means} |`);
  return ["| Id | Meaning |", "| --- | --- |", ...rows].join("\n");
}

/** Every problem that keeps aggwatch from running. */
export function describeProblems(): string {
  const rows = Object.entries(PROBLEM_IDS).map(([id, means]) => `| \`${id}\` | ${means} |`);
  return ["| Id | Meaning |", "| --- | --- |", ...rows].join("\n");
}

/** Every function that an expression may call. */
export function describeFunctions(): string {
  return Object.values(FUNCTIONS)
    .map((means) => `- ${means.endsWith(".") ? means : `${means}.`}`)
    .join("\n");
}

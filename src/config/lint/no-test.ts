import type { LintCheck } from "./lint-check.ts";

export const noTest: LintCheck = {
  id: "lint/no-test",
  severity: "warning",
  means: "No rule test in the folder of the rules names the alert.",
  why: "A rule that was never tested may never fire, or act when it should not.",
  mend: "Write a `*.test.yaml` beside the rule with a case that fires, one that does not, and one with missing data.",
  find: ({ rule: { alert } }, { tested }) =>
    tested.has(alert) ? [] : [{ path: ["alert"], message: `no rule test names "${alert}"` }],
};

/** The names in the texts of test files, where a key is expected: `ExchangeDisabled: BINANCE`. */
export function testedNames(texts: readonly string[]): ReadonlySet<string> {
  const keys = /(?:^|[\s{,"'-])([A-Za-z_][A-Za-z0-9_]*)["']?\s*:/gm;
  return new Set(
    texts.flatMap((text) => {
      const uncommented = text.replace(/(^|\s)#.*$/gm, "");
      return [...uncommented.matchAll(keys)].map((match) => match[1] ?? "");
    }),
  );
}

import type { LintCheck } from "./lint-check.ts";
import { pollerOfKind, pollerSettings } from "./watching.ts";

export const pollerOff: LintCheck = {
  id: "lint/poller-off",
  severity: "warning",
  means: "A rule judges a kind whose poller is off everywhere.",
  why: "The rule is never asked, and whoever reads it thinks that something is watched.",
  mend: "Give the poller a schedule in the config, or write `enabled: false` on the rule.",
  look: ({ rules, aggregators }) =>
    aggregators.length === 0
      ? []
      : rules.flatMap((linted) => {
          const poller = pollerOfKind(linted.rule.kind);
          // One that is off until it is asked for is told as one that watches nothing.
          if (poller?.defaultSchedule === undefined) return [];
          if (pollerSettings(aggregators, poller.name).length > 0) return [];
          const message = `the poller "${poller.name}", which gives ${linted.rule.kind}, is off everywhere`;
          return [{ in: linted, path: ["each"], message }];
        }),
};

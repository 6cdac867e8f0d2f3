import type { LintCheck } from "./lint-check.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import { judgedBy, pollerSettings } from "./poller-settings.ts";

export const pollerOff: LintCheck = {
  id: "lint/poller-off",
  severity: "warning",
  means: "A rule judges a kind whose poller is off for every aggregator that the rule judges.",
  why: "The rule is never judged, although a reader believes that something is watched.",
  mend: "Give the poller a schedule in the config, or write `enabled: false` on the rule.",
  find: ({ rule }, { aggregators }) => {
    const { kind } = rule;
    const poller = pollerOfKind(kind);
    const judged = judgedBy(rule, aggregators);
    // lint/watches-nothing reports one that is off until it has a schedule.
    if (poller?.defaultSchedule === undefined || judged.length === 0) return [];
    if (pollerSettings(judged, poller.name).length > 0) return [];
    const message = `the poller "${poller.name}", which gives ${kind}, is off for every aggregator that the rule judges`;
    return [{ path: ["each"], message }];
  },
};

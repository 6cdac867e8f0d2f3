import type { LintCheck } from "./lint-check.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import { judgedBy, pollerSettings } from "./poller-settings.ts";

export const watchesNothing: LintCheck = {
  id: "lint/watches-nothing",
  severity: "note",
  means: "A rule judges a kind, and no entity of that kind is watched.",
  why: "Swaps and liquidation orders are requested one by one, so without a watch list their rules are never judged. This is only a note, since the shipped rules cover all kinds.",
  mend: "List what to watch in the config (`watch.senders`, `watch.liquidations`), give the poller a schedule, or remove the rule.",
  find: ({ rule }, { aggregators }) => {
    const { kind } = rule;
    const poller = pollerOfKind(kind);
    const judged = judgedBy(rule, aggregators);
    if (poller === undefined || judged.length === 0) return [];
    const watching = judged.filter(
      (aggregator) => pollerSettings([aggregator], poller.name).length > 0,
    );
    const name = `the poller "${poller.name}", which gives ${kind},`;
    if (watching.length === 0)
      return poller.defaultSchedule === undefined
        ? [{ path: ["each"], message: `${name} is off until a schedule is given` }]
        : [];
    // What files and lists over HTTP say may be another thing tomorrow.
    const mayWatch = watching.some(
      ({ watch, watchSources: { files, http } }) =>
        files.length + http.length > 0 || poller.plan(watch).length > 0,
    );
    return mayWatch ? [] : [{ path: ["each"], message: `${name} watches nothing` }];
  },
};

import { formatInstant } from "../../domain/time.ts";
import { actsOf, nameAct, partOf } from "./acts.ts";
import { onStep } from "./checker.ts";

/** Which endpoints say that an action is wanted. */
const ENDPOINTS = {
  enable_exchange: ["exchanges", "disabled"],
  enable_pair: ["exchanges", "disabled"],
  force_cancel_order: ["liquidation"],
} as const;

/**
 * No action on evidence that contradicts itself or is a part only: by what the aggregator put on the wire while the
 * reading was under way that confirmed the action, and not by what was read in it.
 */
export const wholeEvidence = onStep("10 whole evidence", (step, { served }) =>
  actsOf(step).flatMap((act) => {
    const { made } = act;
    const askedAt = partOf(step, made.surface)?.askedAt;
    if (askedAt === undefined) return [];
    // The daemon's clock may be wrong, and measures the length of a reading all the same.
    const from = step.at - (step.stampedAt - askedAt);
    return ENDPOINTS[made.action].flatMap((endpoint) => {
      const mark = served.markWithin(made.entity.aggregator, endpoint, from, step.at);
      const isAbout = mark !== "contradiction" || made.action === "enable_exchange";
      if (mark === undefined || !isAbout) return [];
      return [
        `${nameAct(act)} rests on a reading asked at ${formatInstant(askedAt)} that ${endpoint} answered with ${mark}`,
      ];
    });
  }),
);

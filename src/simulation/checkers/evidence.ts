import { formatInstant } from "../../domain/time.ts";
import { actsOf, nameAct, partOf } from "./acts.ts";
import { on } from "./checker.ts";

/** The endpoints that an action's evidence comes from. */
const ENDPOINTS = {
  enable_exchange: ["exchanges", "disabled"],
  enable_pair: ["exchanges", "disabled"],
  force_cancel_order: ["liquidation"],
} as const;

/**
 * No action on evidence that contradicts itself or is incomplete. It is judged by what the aggregator put on the wire
 * during the reading that confirmed the action, and not by what the daemon read in it.
 */
export const wholeEvidence = on("step", "10 whole evidence", (step, { served }) =>
  actsOf(step).flatMap((act) => {
    const { made } = act;
    const askedAt = partOf(step, made.surface)?.askedAt;
    if (askedAt === undefined) return [];
    // The daemon's clock may be wrong, but measures the length of a reading correctly.
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

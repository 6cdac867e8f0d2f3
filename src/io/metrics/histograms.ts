import { notifyHistograms } from "./notify-metrics.ts";
import { wideHistograms } from "./wide-gauges.ts";
import { isSettled } from "../../domain/remediation.ts";
import { SECOND } from "../../domain/time.ts";
import { actions, OUTCOMES, pollers } from "./counters.ts";
import type { HistogramDefinition } from "./definition.ts";

export const histograms: readonly HistogramDefinition[] = [
  {
    name: "aggwatch_poll_duration_seconds",
    help: "How long polls took, from the first request to the last answer.",
    labels: ["aggregator", "poller"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    start: pollers,
    observe: (finding) =>
      finding.type === "polled" && finding.origin === "poll"
        ? [{ aggregator: finding.aggregator, poller: finding.poller }, finding.durationMs / SECOND]
        : undefined,
  },
  {
    name: "aggwatch_remediation_duration_seconds",
    help: "How long remediations took, from the decision to send until they were settled, by outcome.",
    labels: ["aggregator", "action", "outcome"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    start: (policy) =>
      actions(policy).flatMap((labels) => OUTCOMES.map((outcome) => ({ ...labels, outcome }))),
    observe: (finding) => {
      if (finding.type !== "remediation" || !isSettled(finding.remediation)) return undefined;
      const { entity, action, state, requestedAt, settledAt = requestedAt } = finding.remediation;
      const labels = { aggregator: entity.aggregator, action, outcome: state };
      return [labels, (settledAt - requestedAt) / SECOND];
    },
  },
  {
    name: "aggwatch_detection_delay_seconds",
    help: "How long alerts took to fire, from when the entity was first seen to be bad; the rule's `for` is part of it.",
    labels: ["aggregator", "alertname"],
    buckets: [0.1, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400],
    start: (policy) =>
      policy.aggregators.flatMap(({ name: aggregator }) =>
        [...policy.rules.keys()].map((alertname) => ({ aggregator, alertname })),
      ),
    observe: (finding) => {
      if (finding.type !== "alert" || finding.change !== "firing") return undefined;
      const { entity, rule, startedAt, firedAt = startedAt } = finding.alert;
      const labels = { aggregator: entity.aggregator, alertname: rule };
      return [labels, (firedAt - startedAt) / SECOND];
    },
  },
  ...wideHistograms,
  ...notifyHistograms,
];

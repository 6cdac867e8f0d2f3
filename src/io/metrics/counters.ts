import { POLL_OUTCOMES } from "../../domain/observation.ts";
import { SUPPRESSION_REASONS } from "../../domain/guard.ts";
import { isSettled } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import type { CounterDefinition, Labels } from "./definition.ts";
import { notifyCounters } from "./notify-metrics.ts";

export const OUTCOMES = ["verified", "unverified", "rejected"] as const;

export const counters: readonly CounterDefinition[] = [
  {
    name: "aggwatch_polls_total",
    help: "Polls by outcome; probes (single readings around an action) are not polls.",
    labels: ["aggregator", "poller", "outcome"],
    start: pollsByOutcome,
    count: (finding) =>
      finding.type === "polled" && finding.origin === "poll"
        ? { aggregator: finding.aggregator, poller: finding.poller, outcome: finding.outcome }
        : undefined,
  },
  {
    name: "aggwatch_probes_total",
    help: "Readings right before an action, or to verify one, by outcome.",
    labels: ["aggregator", "poller", "outcome"],
    start: pollsByOutcome,
    count: (finding) =>
      finding.type === "polled" && finding.origin === "probe"
        ? { aggregator: finding.aggregator, poller: finding.poller, outcome: finding.outcome }
        : undefined,
  },
  {
    name: "aggwatch_remediations_requested_total",
    help: "Remediations committed to the journal in order to be sent.",
    labels: ["aggregator", "action"],
    start: actions,
    count: (finding) =>
      finding.type === "remediation" && finding.remediation.state === "requested"
        ? {
            aggregator: finding.remediation.entity.aggregator,
            action: finding.remediation.action,
          }
        : undefined,
  },
  {
    name: "aggwatch_remediations_total",
    help: "Remediations that are settled, by outcome.",
    labels: ["aggregator", "action", "outcome"],
    start: (policy) =>
      actions(policy).flatMap((labels) => OUTCOMES.map((outcome) => ({ ...labels, outcome }))),
    count: (finding) =>
      finding.type === "remediation" && isSettled(finding.remediation)
        ? {
            aggregator: finding.remediation.entity.aggregator,
            action: finding.remediation.action,
            outcome: finding.remediation.state,
          }
        : undefined,
  },
  {
    name: "aggwatch_remediations_suppressed_total",
    help: "Times that a guard began to hold a remediation back, by the guard's reason.",
    labels: ["aggregator", "action", "reason"],
    start: (policy) =>
      actions(policy).flatMap((labels) =>
        SUPPRESSION_REASONS.map((reason) => ({ ...labels, reason })),
      ),
    count: (finding) =>
      finding.type === "suppressed"
        ? {
            aggregator: finding.entity.aggregator,
            action: finding.action,
            reason: finding.reason,
          }
        : undefined,
  },
  {
    name: "aggwatch_remediations_unconfirmed_total",
    help: "Remediations dropped because the reading right before did not confirm them.",
    labels: ["aggregator", "action"],
    start: actions,
    count: (finding) =>
      finding.type === "unconfirmed"
        ? { aggregator: finding.entity.aggregator, action: finding.action }
        : undefined,
  },
  ...notifyCounters,
];

function pollsByOutcome(policy: Policy): Labels[] {
  return pollers(policy).flatMap((labels) =>
    POLL_OUTCOMES.map((outcome) => ({ ...labels, outcome })),
  );
}

export function pollers(policy: Policy): Labels[] {
  return policy.aggregators.flatMap(({ name, pollers: own }) =>
    own.map((poller) => ({ aggregator: name, poller: poller.name })),
  );
}

export function actions(policy: Policy): Labels[] {
  return policy.aggregators.flatMap(({ name }) =>
    [...policy.actions.keys()].map((action) => ({ aggregator: name, action })),
  );
}

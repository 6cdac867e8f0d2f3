import { ALERT_STATES } from "../../../domain/alert.ts";
import { UNCONFIRMED_REASONS } from "../../../domain/finding.ts";
import { SUPPRESSION_REASONS } from "../../../core/act/guards/index.ts";
import { isSettled, SETTLED_STATES } from "../../../domain/remediation.ts";
import { SECOND } from "../../../domain/time.ts";
import { counter, countGauge, histogram } from "../builders.ts";
import type { Metric } from "../definition.ts";
import { ACTION, AGGREGATOR, ALERTNAME, oneOf, SEVERITY } from "../labels.ts";

const SETTLED_OUTCOME = oneOf("outcome", SETTLED_STATES);
const UNRESOLVED = ALERT_STATES.filter((state) => state !== "resolved");

/** Alerts and remediations. */
export const alertMetrics: readonly Metric[] = [
  countGauge({
    name: "aggwatch_alerts",
    help: "Alerts by rule and state; every rule has a series.",
    labels: [AGGREGATOR, ALERTNAME, SEVERITY, oneOf("state", UNRESOLVED)],
    table: "alert",
    *items({ state }) {
      for (const { entity, rule, severity, state: own } of state.tables.alert.values()) {
        if (own === "resolved") continue;
        yield { aggregator: entity.aggregator, alertname: rule, severity, state: own };
      }
    },
  }),
  countGauge({
    name: "aggwatch_rule_undecided_entities",
    help: "Entities that were read and that the rule cannot judge, because a fact that it reads is not known; every rule has a series.",
    labels: [AGGREGATOR, ALERTNAME],
    items: ({ state }) =>
      state.undecided
        .entries()
        .flatMap(([alertname, entities]) =>
          entities.keys().map((key) => ({ ...aggregatorOf(key), alertname })),
        ),
  }),
  histogram({
    name: "aggwatch_detection_delay_seconds",
    help: "How long alerts took to fire, from when the entity was first seen to be bad; the rule's `for` is part of it.",
    labels: [AGGREGATOR, ALERTNAME],
    from: "alert",
    buckets: [0.1, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400],
    sample: ({ change, alert: { entity, rule, startedAt, firedAt = startedAt } }) =>
      change === "firing"
        ? [{ aggregator: entity.aggregator, alertname: rule }, (firedAt - startedAt) / SECOND]
        : undefined,
  }),
  countGauge({
    name: "aggwatch_proposals",
    help: "Remediations that wait for a person's approval.",
    labels: [AGGREGATOR],
    items: ({ state }) =>
      [...state.tables.proposal.values()]
        .filter(({ denial, withdrawn }) => denial === undefined && withdrawn === undefined)
        .map(({ entity: { aggregator } }) => ({ aggregator })),
  }),
  countGauge({
    name: "aggwatch_remediations_in_flight",
    help: "Remediations that are not settled yet.",
    labels: [AGGREGATOR],
    items: ({ state }) => [...state.unsettled.keys()].map(aggregatorOf),
  }),
  counter({
    name: "aggwatch_remediations_requested_total",
    help: "Remediations committed to the journal in order to be sent.",
    labels: [AGGREGATOR, ACTION],
    from: "remediation",
    labelsOf: ({ remediation: { state, entity, action } }) =>
      state === "requested" ? { aggregator: entity.aggregator, action } : undefined,
  }),
  counter({
    name: "aggwatch_remediations_total",
    help: "Remediations that are settled, by outcome.",
    labels: [AGGREGATOR, ACTION, SETTLED_OUTCOME],
    from: "remediation",
    labelsOf: ({ remediation, corrected }) =>
      isSettled(remediation) && corrected !== true
        ? {
            aggregator: remediation.entity.aggregator,
            action: remediation.action,
            outcome: remediation.state,
          }
        : undefined,
  }),
  histogram({
    name: "aggwatch_remediation_duration_seconds",
    help: "How long remediations took, from the decision to send until they were settled, by outcome.",
    labels: [AGGREGATOR, ACTION, SETTLED_OUTCOME],
    from: "remediation",
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    sample: ({ remediation, corrected }) => {
      if (!isSettled(remediation) || corrected === true) return undefined;
      const { entity, action, state, requestedAt, settledAt = requestedAt } = remediation;
      const labels = { aggregator: entity.aggregator, action, outcome: state };
      return [labels, (settledAt - requestedAt) / SECOND];
    },
  }),
  counter({
    name: "aggwatch_remediations_suppressed_total",
    help: "Times that a guard began to hold a remediation back, by the guard's reason.",
    labels: [AGGREGATOR, ACTION, oneOf("reason", SUPPRESSION_REASONS)],
    from: "suppressed",
    labelsOf: ({ entity: { aggregator }, action, reason }) => ({ aggregator, action, reason }),
  }),
  counter({
    name: "aggwatch_remediations_unconfirmed_total",
    help: "Remediations dropped because the reading right before did not confirm them, by why: the entity was well, or the reading failed or was late.",
    labels: [AGGREGATOR, ACTION, oneOf("why", UNCONFIRMED_REASONS)],
    from: "unconfirmed",
    labelsOf: ({ entity: { aggregator }, action, why }) => ({ aggregator, action, why }),
  }),
];

/** The aggregator in the key of an entity. */
function aggregatorOf(key: string): { readonly aggregator: string } {
  return { aggregator: key.slice(0, key.indexOf("/")) };
}

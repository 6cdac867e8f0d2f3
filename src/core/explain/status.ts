import { toEnd } from "../../domain/slices.ts";
import { isOfWatching } from "../observe/poller-health.ts";
import type { Entity, KindDefinition } from "../../domain/entity.ts";
import type { Mode } from "../../domain/action.ts";
import type { Hold, Silence } from "../../domain/hold.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { Kill, State } from "../state.ts";
import {
  proposalsOf,
  quarantinesOf,
  stormsOf,
  type ProposalStatus,
  type QuarantineStatus,
  type StormStatus,
} from "./status-acting.ts";
import { coverageOf, type RuleCoverage } from "./coverage.ts";
import { channelsOf, type ChannelStatus } from "./status-notify.ts";
import { alertsNow, alertStatusOf, type AlertStatus } from "./alert-status.ts";

/** What is known now, for page, API and command line: copies, so that no caller can change state. */
export type Status = Overview & {
  readonly aggregators: readonly AggregatorStatus[];
  readonly alerts: readonly AlertStatus[];
  /** Newest first. */
  readonly remediations: readonly Remediation[];
};

/** All of it that stays short, however much is watched. */
export type Overview = {
  readonly at: Instant;
  readonly startedAt: Instant;
  readonly mode: Mode;
  /** Why no action is sent at all; empty if actions may be sent. */
  readonly killed: readonly Kill[];
  readonly proposals: readonly ProposalStatus[];
  readonly holds: readonly Hold[];
  readonly silences: readonly Silence[];
  readonly quarantines: readonly QuarantineStatus[];
  readonly storms: readonly StormStatus[];
  readonly channels: readonly ChannelStatus[];
  /** What the facts of each kind mean: which of them are timestamps, for one. */
  readonly kinds: ReadonlyMap<string, KindDefinition>;
};

export type AggregatorStatus = {
  readonly name: string;
  readonly pollers: readonly EntityStatus[];
  /** All kinds but `poller`, in the order of kind and id. */
  readonly entities: readonly EntityStatus[];
  /** How far each rule can judge what it has. */
  readonly coverage: readonly RuleCoverage[];
};

export type EntityStatus = Readonly<
  Pick<Entity, "kind" | "id" | "parent" | "facts" | "firstSeen" | "since" | "unknownSince">
>;

export function statusOf(policy: Policy, state: State): Status {
  const { alert: alerts, silence: silences, entity: entities, remediation } = state.tables;
  const alertStatus = alertStatusOf({
    at: state.at,
    rules: policy.rules,
    alerts,
    silences,
    entities,
    remediations: remediation,
    alertsNow: alertsNow(policy, state),
  });
  return {
    ...overviewOf(policy, state),
    aggregators: policy.aggregators.map(({ name }) => ({
      ...aggregatorStatus(state, name),
      coverage: toEnd(coverageOf(policy, state, name)),
    })),
    alerts: [...alerts.values()].map(alertStatus),
    remediations: [...remediation.values()].map((one) => ({ ...one })).toReversed(),
  };
}

export function overviewOf(policy: Policy, state: State): Overview {
  return {
    at: state.at,
    startedAt: state.startedAt,
    mode: policy.acting.mode,
    killed: [...state.tables.kill.values()],
    proposals: proposalsOf(policy, state),
    holds: [...state.tables.hold.values()].map((one) => ({ ...one })),
    silences: [...state.tables.silence.values()].map((one) => ({ ...one })),
    quarantines: quarantinesOf(state),
    storms: stormsOf(policy, state),
    channels: channelsOf(policy, state),
    kinds: policy.kinds,
  };
}

function aggregatorStatus(state: State, name: string): Omit<AggregatorStatus, "coverage"> {
  // The keys of the table are in the order that is wanted: aggregator, kind, id.
  const own = [...state.tables.entity]
    .filter(([, entity]) => entity.aggregator === name)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, entity]) => entity);
  return {
    name,
    pollers: own.filter((entity) => entity.kind === "poller").map(entityStatus),
    entities: own.filter((entity) => !isOfWatching(entity.kind)).map(entityStatus),
  };
}

function entityStatus(entity: Entity): EntityStatus {
  const { kind, id, facts, firstSeen, since } = entity;
  return {
    kind,
    id,
    facts,
    firstSeen,
    since,
    ...(entity.parent === undefined ? {} : { parent: entity.parent }),
    ...(entity.unknownSince === undefined ? {} : { unknownSince: entity.unknownSince }),
  };
}

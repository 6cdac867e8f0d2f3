import { POLLER_KIND } from "../../domain/lease.ts";
import { eachInSlices, mapInSlices, toEnd, type Slices } from "../../domain/slices.ts";
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

/** All of the status at once. */
export function statusOf(policy: Policy, state: State): Status {
  return toEnd(statusInSlices(policy, state));
}

/** In slices, as there may be very many rows. Those may be of later instants than the rest, but each of them is whole. */
export function* statusInSlices(policy: Policy, state: State): Slices<Status> {
  const { alert: alerts, silence: silences, entity: entities, remediation } = state.tables;
  const overview = overviewOf(policy, state);
  const aggregators: AggregatorStatus[] = [];
  for (const { name } of policy.aggregators)
    aggregators.push({
      ...(yield* aggregatorStatus(state, name)),
      coverage: yield* coverageOf(policy, state, name),
    });
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
    ...overview,
    aggregators,
    alerts: yield* mapInSlices(alerts.values(), alertStatus),
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

function* aggregatorStatus(state: State, name: string): Slices<Omit<AggregatorStatus, "coverage">> {
  const own: Array<readonly [string, Entity]> = [];
  yield* eachInSlices(state.tables.entity, (row) => {
    if (row[1].aggregator === name) own.push(row);
  });
  // The keys of the table are in the order that is wanted: aggregator, kind, id.
  own.sort(([one], [other]) => (one < other ? -1 : 1));
  const pollers: EntityStatus[] = [];
  const entities: EntityStatus[] = [];
  yield* eachInSlices(own, ([, entity]) => {
    if (entity.kind === POLLER_KIND) pollers.push(entityStatus(entity));
    else if (!isOfWatching(entity.kind)) entities.push(entityStatus(entity));
  });
  return { name, pollers, entities };
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

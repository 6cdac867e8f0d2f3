import type { RandomChoices } from "./random-choices.ts";
import type { ScheduledEvent } from "../plan.ts";
import { ACTION_FAULTS } from "./actions.ts";
import type { FaultKind, FaultContext } from "./fault-kind.ts";
import { MACHINE_FAULTS, POWER_FAULTS } from "./machine.ts";
import { AGGREGATOR_FAULTS, RARE_AGGREGATOR_FAULTS } from "./aggregator.ts";
import { OPERATOR_EVENTS } from "./operators.ts";
import { PROPOSAL_FAULTS } from "./proposals.ts";
import { LOSSES } from "./losses.ts";
import { REPLICA_FAULTS } from "./replicas.ts";
import { RECEIVER_FAULTS } from "./receiver.ts";
import { REPLY_FAULTS } from "./replies.ts";

/** Kinds of faults that a seed chooses from. docs/simulation.md lists them. */
type FaultGroup = {
  readonly where: string;
  readonly kinds: readonly FaultKind[];
  /** The most kinds of the group in a seed; if undefined, every seed has all. */
  readonly most?: number;
  /** A scenario takes their place. */
  readonly ofAggregators?: boolean;
  /** Only if replicas share a database. */
  readonly replicas?: boolean;
  /** Only if one process runs alone, with a disk of its own. */
  readonly alone?: boolean;
  /** Drawn separately, so that a seed without any of it is the same as if the group did not exist. */
  readonly apart?: boolean;
};

export const FAULT_GROUPS: readonly FaultGroup[] = [
  { where: "aggregators, always", kinds: AGGREGATOR_FAULTS, ofAggregators: true },
  { where: "aggregators", kinds: RARE_AGGREGATOR_FAULTS, most: 2, ofAggregators: true },
  { where: "replies and network", kinds: REPLY_FAULTS, most: 4 },
  { where: "machine and disk", kinds: MACHINE_FAULTS, most: 3 },
  { where: "power of the machine", kinds: POWER_FAULTS, most: 1, alone: true, apart: true },
  { where: "database of replicas", kinds: REPLICA_FAULTS, most: 4, replicas: true },
  { where: "commits of replicas", kinds: LOSSES, most: 1, replicas: true, apart: true },
  { where: "operators", kinds: OPERATOR_EVENTS, most: 3 },
  { where: "proposals", kinds: PROPOSAL_FAULTS, most: 1 },
  { where: "actions", kinds: ACTION_FAULTS, most: 2 },
  { where: "receiver of notifications", kinds: RECEIVER_FAULTS, most: 1 },
];

/** The events of a seed in the order of their times: a few kinds of faults, each at its own rate. */
export function scheduleOf(
  random: RandomChoices,
  randomApart: RandomChoices,
  around: FaultContext,
): ScheduledEvent[] {
  const draw = (from: RandomChoices, isApart: boolean): ScheduledEvent[] =>
    FAULT_GROUPS.filter(({ apart = false }) => apart === isApart)
      .flatMap((group) => kindsOf(from, around, group))
      .flatMap((kind) => eventsOfKind(from, around, kind));
  return [...draw(random, false), ...draw(randomApart, true)]
    .filter(({ at }) => at < around.until)
    .toSorted((one, other) => one.at - other.at);
}

function kindsOf(
  random: RandomChoices,
  around: FaultContext,
  { kinds, most, ofAggregators = false, replicas = false, alone = false }: FaultGroup,
): readonly FaultKind[] {
  if (alone && around.hasReplicas) return [];
  if (replicas && !around.hasReplicas) return [];
  if (ofAggregators && around.hasScenario) return [];
  if (most === undefined) return kinds;
  return random.some(kinds, random.between(0, most));
}

function eventsOfKind(
  random: RandomChoices,
  around: FaultContext,
  kind: FaultKind,
): ScheduledEvent[] {
  const every = kind.every * random.oneOf([0.5, 1, 1, 2]);
  const events: ScheduledEvent[] = [];
  const until = around.until - kind.lasts;
  for (let at = random.upTo(2 * every); at < until; at += 100 + random.upTo(2 * every)) {
    for (const one of kind.make({ ...around, random, member: random.oneOf(around.fleet) }))
      events.push({ ...one, at: Math.round(at + (one.at ?? 0)) });
  }
  return events;
}

import { MINUTE, SECOND } from "../../domain/time.ts";
import type { DatabaseFaults } from "../plan.ts";
import { fault, forAWhile, someVariant, type FaultKind } from "./fault-kind.ts";

/**
 * An owner that never begins is dropped after three minutes, its lease runs out 15 s later, and if no other replica
 * takes the lease, it asks again after 15 s more.
 */
const NEVER_BEGINS = 4 * MINUTE;

const database = (faults: DatabaseFaults) => ({ do: "database", faults }) as const;

/** Faults between replicas and the database that they share. */
export const REPLICA_FAULTS: readonly FaultKind[] = [
  fault("a replica that is cut off from the database only", 3 * MINUTE, ({ random }) => [
    {
      do: "partition",
      whom: random.chance(0.8) ? "owner" : "standby",
      length: random.oneOf([1, 4, 10, 15, 16, 17, 18, 30, 120]) * SECOND,
    },
  ]),
  fault("a slow database", 4 * MINUTE, ({ random }) => {
    const delay = { least: 10, most: random.oneOf([100, 500, 2_000, 4_000]) };
    const readingTakes = random.oneOf([0, 2, 8]) * SECOND;
    const length = 5 * SECOND + random.upTo(2 * MINUTE);
    return forAWhile(database({ delay, readingTakes }), length);
  }),
  fault("commits with an unknown outcome, or that arrive late", 3 * MINUTE, ({ random }) => {
    const faults = {
      requestLost: random.oneOf([0, 0.1, 0.3]),
      replyLost: random.oneOf([0, 0.1, 0.3]),
      late: random.oneOf([0, 0.1, 0.3]),
    };
    return forAWhile(database(faults), 5 * SECOND + random.upTo(MINUTE));
  }),
  fault(
    "queries that hang, without an answer or a time-out",
    3 * MINUTE,
    ({ random }) =>
      forAWhile(
        database({ hangs: random.oneOf([0.3, 0.6, 1]) }),
        random.oneOf([1, 3, 10]) * SECOND,
      ),
    NEVER_BEGINS,
  ),
  fault(
    "commits that hang while the lease is renewed",
    3 * MINUTE,
    ({ random }) => forAWhile(database({ commitsHang: 1 }), random.oneOf([1, 3, 10]) * SECOND),
    NEVER_BEGINS,
  ),
  fault(
    "a replica that is suspended and wakes around the end of its lease",
    3 * MINUTE,
    ({ random }) => [{ do: "stall", ...random.stall([4, 10, 14, 15, 16, 20, 60]) }],
  ),
  fault("the same, while the next owner is slow to read the rows", 3 * MINUTE, ({ random }) => [
    ...forAWhile(database({ readingTakes: 8 * SECOND }), 30 * SECOND),
    { do: "stall", ...random.stall([16, 17, 18, 19, 20, 21, 22]) },
  ]),
  fault("a replica that is suspended while an action is committed", 2 * MINUTE, ({ random }) => [
    { do: "stall_at_action", ...random.stall([1, 4, 7, 14, 16, 20]) },
  ]),
  fault("a crash of the owner, so that another takes over", 4 * MINUTE, (scene) => [
    {
      do: "crash",
      boundary: scene.random.oneOf(["now", "before_commit_of_action", "after_commit_of_action"]),
      downFor: Math.round(scene.random.upTo(2 * MINUTE)),
      variant: someVariant(scene),
    },
  ]),
];

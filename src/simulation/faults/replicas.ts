import { MINUTE, SECOND } from "../../domain/time.ts";
import { after, now, type FaultKind } from "./fault-kind.ts";

/** Faults between replicas and the database that they share. */
export const REPLICA_FAULTS: readonly FaultKind[] = [
  {
    name: "a replica that is cut off from the database only",
    every: 3 * MINUTE,
    make: (random) => [
      now({
        do: "partition",
        whom: random.chance(0.8) ? "owner" : "standby",
        length: random.oneOf([1, 4, 10, 15, 16, 17, 18, 30, 120]) * SECOND,
      }),
    ],
  },
  {
    name: "a slow database",
    every: 4 * MINUTE,
    make: (random) => [
      now({
        do: "database",
        faults: {
          delay: { least: 10, most: random.oneOf([100, 500, 2_000, 4_000]) },
          readingTakes: random.oneOf([0, 2, 8]) * SECOND,
        },
      }),
      after(5 * SECOND + random.upTo(2 * MINUTE), { do: "database", faults: {} }),
    ],
  },
  {
    name: "commits with an unknown outcome, or that arrive late",
    every: 3 * MINUTE,
    make: (random) => [
      now({
        do: "database",
        faults: {
          requestLost: random.oneOf([0, 0.1, 0.3]),
          replyLost: random.oneOf([0, 0.1, 0.3]),
          late: random.oneOf([0, 0.1, 0.3]),
        },
      }),
      after(5 * SECOND + random.upTo(MINUTE), { do: "database", faults: {} }),
    ],
  },
  {
    name: "queries that hang, without an answer or a time-out",
    every: 3 * MINUTE,
    // An owner that never begins is dropped after three minutes, its lease runs out 15 s later, and if no other replica
    // takes the lease, it asks again after 15 s more.
    lasts: 4 * MINUTE,
    make: (random) => [
      now({ do: "database", faults: { hangs: random.oneOf([0.3, 0.6, 1]) } }),
      after(random.oneOf([1, 3, 10]) * SECOND, { do: "database", faults: {} }),
    ],
  },
  {
    name: "commits that hang while the lease is renewed",
    every: 3 * MINUTE,
    // As above.
    lasts: 4 * MINUTE,
    make: (random) => [
      now({ do: "database", faults: { commitsHang: 1 } }),
      after(random.oneOf([1, 3, 10]) * SECOND, { do: "database", faults: {} }),
    ],
  },
  {
    name: "a replica that is suspended and wakes around the end of its lease",
    every: 3 * MINUTE,
    make: (random) => [
      now({
        do: "stall",
        length: random.oneOf([4, 10, 14, 15, 16, 20, 60]) * SECOND,
        asleep: random.chance(0.5),
      }),
    ],
  },
  {
    name: "the same, while the next owner is slow to read the rows",
    every: 3 * MINUTE,
    make: (random) => [
      now({ do: "database", faults: { readingTakes: 8 * SECOND } }),
      now({
        do: "stall",
        length: (16 + random.between(0, 6)) * SECOND,
        asleep: random.chance(0.5),
      }),
      after(30 * SECOND, { do: "database", faults: {} }),
    ],
  },
  {
    name: "a replica that is suspended while an action is committed",
    every: 2 * MINUTE,
    make: (random) => [
      now({
        do: "stall_at_action",
        length: random.oneOf([1, 4, 7, 14, 16, 20]) * SECOND,
        asleep: random.chance(0.5),
      }),
    ],
  },
  {
    name: "a crash of the owner, so that another takes over",
    every: 4 * MINUTE,
    make: (random, _member, { variants }) => [
      now({
        do: "crash",
        boundary: random.oneOf(["now", "before_commit_of_action", "after_commit_of_action"]),
        downFor: Math.round(random.upTo(2 * MINUTE)),
        variant: random.between(0, variants - 1),
      }),
    ],
  },
];

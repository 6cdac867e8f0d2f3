import { SECOND } from "../../../domain/time.ts";
import { plainGauge, scrapedCounter } from "../builders.ts";
import type { Metric } from "../definition.ts";

/** Replicas. There are no series if the journal is a file. */
export const replicaMetrics: readonly Metric[] = [
  plainGauge({
    name: "aggwatch_replica_owner",
    help: "1 if this replica has the lease and acts, 0 if it stands by, hangs or its lease has run out; absent if the journal is a file.",
    value: ({ replica }) => replica && Number(replica.isOwner),
  }),
  plainGauge({
    name: "aggwatch_replica_database_up",
    help: "1 if the database answered when it was last asked for the lease, else 0.",
    value: ({ replica }) => replica && Number(replica.isDatabaseUp),
  }),
  plainGauge({
    name: "aggwatch_lease_epoch",
    help: "The epoch of the lease, which grows with each take-over; absent at a standby.",
    value: ({ replica }) => replica?.lease?.epoch,
  }),
  plainGauge({
    name: "aggwatch_lease_left_seconds",
    help: "How much of the lease is left, in seconds: no action is sent that could outlast it. Absent at a standby.",
    value: ({ replica }) => replica?.lease && replica.lease.leftMs / SECOND,
  }),
  scrapedCounter({
    name: "aggwatch_takeovers_total",
    help: "How often this process took the lease; the first time counts.",
    labels: [],
    read: ({ replica }) => (replica === undefined ? [] : [[{}, replica.takeOvers] as const]),
  }),
];

import type { ReplicaReading } from "../../io/metrics/definition.ts";

/** What a replica is to the others, as `/readyz` says it; `holder` is who else was last seen with the lease. */
export function roleOf(
  name: string,
  { isOwner, lease }: Pick<ReplicaReading, "isOwner" | "lease">,
  holder: string | undefined,
): string {
  if (isOwner) return `owner: ${name}, epoch ${lease?.epoch ?? 0}`;
  if (lease?.leftMs === 0)
    return `standby: ${name}; its lease, epoch ${lease.epoch}, has run out, and another may have it`;
  // It reads the rows, or hangs.
  if (lease !== undefined)
    return `standby: ${name}; it has the lease, epoch ${lease.epoch}, and does not act`;
  // It has not asked since it lost it, or the database does not answer.
  if (holder === undefined) return `standby: ${name}; who has the lease is not known`;
  return `standby: ${name}; ${holder} has the lease`;
}

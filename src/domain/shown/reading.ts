import type { Facts } from "../entity.ts";

/** Whether a poller reads: one that is stale does not, though its last poll succeeded, as that was too long ago. */
export function isReading({ facts }: { readonly facts: Facts }): boolean {
  return facts["up"] === true && facts["stale"] !== true;
}

import type { Poller } from "../data/answers.ts";

/** Whether it has polled at all, here or elsewhere: one that never read anything has no last success. */
export function wasPolled({
  entity: { facts },
}: {
  readonly entity: Pick<Poller["entity"], "facts">;
}): boolean {
  return facts["up"] !== undefined || facts["last_success"] !== undefined;
}

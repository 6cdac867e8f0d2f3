import { SECOND, type Millis } from "../../domain/time.ts";
import type { GapDetector } from "../../io/process/gap.ts";
import { settleWithin } from "../../io/process/settle-within.ts";
import type { Effects } from "../effects.ts";
import type { Lease } from "../replica/lease.ts";

/** How long a shutdown waits for answers to requests that are under way. */
type ShutdownGrace = { readonly notificationsMs: Millis; readonly actionsMs: Millis };

const ALONE: ShutdownGrace = { notificationsMs: SECOND, actionsMs: 3 * SECOND };
/** With a lease it is short: another replica waits for it. What is not answered by then is in doubt, or sent again. */
const HANDING_OVER: ShutdownGrace = { notificationsMs: 200, actionsMs: 400 };

/** Less, if there is a lease to be handed over. */
export function shutdownGrace(lease: Lease | undefined): ShutdownGrace {
  return lease === undefined ? ALONE : HANDING_OVER;
}

/** Waits for answers to actions, and then aborts those that have none. */
export async function endActions(
  { settle }: Pick<Effects, "settle">,
  graceMs: Millis,
  abort: () => void,
  gaps: GapDetector | undefined,
): Promise<void> {
  // The loop ticks no more, and without an event an answer that comes late would look like a gap.
  const noteRunning = (): void => gaps?.noteRunning();
  noteRunning();
  const noting = setInterval(noteRunning, SECOND);
  await settleWithin([settle()], graceMs);
  abort();
  await settle();
  clearInterval(noting);
}

import { SECOND, type Millis } from "../../domain/time.ts";
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

import { SECOND, type Millis } from "../../domain/time.ts";
import type { Lease } from "../replica/lease.ts";

/** How long a shutdown waits for the answers of what is under way. */
export type AnswersGet = { readonly notificationsMs: Millis; readonly actionsMs: Millis };

const ALONE: AnswersGet = { notificationsMs: SECOND, actionsMs: 3 * SECOND };
/** Another replica waits for the lease, and has it within a second. What is not answered by then is in doubt, or sent again. */
const HANDING_OVER: AnswersGet = { notificationsMs: 200, actionsMs: 400 };

/** Less, if there is a lease to be handed over. */
export function answersGet(lease: Lease | undefined): AnswersGet {
  return lease === undefined ? ALONE : HANDING_OVER;
}

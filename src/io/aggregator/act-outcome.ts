import type { ActionReply } from "../../domain/action.ts";
import type { HttpReply } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { SendFailure } from "../http/send-failure.ts";
import { failureOfReply, isSuccess } from "../http/reply-failure.ts";

/**
 * The outcome of an action. It is rejected only if it surely had no effect: the server refused it, or it was never
 * sent. Any other failure is in doubt, and only an observation settles it.
 */
export function outcomeOf(
  sent: Result<HttpReply, SendFailure>,
  success: readonly number[] | undefined,
  now: Instant,
  redact: (text: string) => string,
): ActionReply {
  if (!sent.ok) {
    const { reason, message, neverSent, isOutdated, status } = sent.problem;
    if (isOutdated === true) return { outcome: "unsent", detail: `not sent: ${message}` };
    // The status refuses, whatever becomes of the body.
    if (status !== undefined && isRefusal(status))
      return { outcome: "rejected", detail: `status ${status} (${reason}: ${message})` };
    return neverSent
      ? { outcome: "rejected", detail: `never sent: ${reason}: ${message}` }
      : { outcome: "in_doubt", detail: `${reason}: ${message}` };
  }
  const { status } = sent.value;
  if (isSuccess(status, success)) return { outcome: "acknowledged", detail: `status ${status}` };
  const detail = failureOfReply(sent.value, now, redact).message;
  return { outcome: isRefusal(status) ? "rejected" : "in_doubt", detail };
}

/**
 * 408 is the server's own time-out, and 5xx may come from a proxy after the server has acted. A server may act, and then
 * point to the result, by 303 and in practice by 301 and 302; only 307 and 308 ask for the same request elsewhere, so
 * that it was not carried out here (RFC 9110, 15.4).
 */
function isRefusal(status: number): boolean {
  if (status < 400) return status === 307 || status === 308;
  return status < 500 && status !== 408;
}

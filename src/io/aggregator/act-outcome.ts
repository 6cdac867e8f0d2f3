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
    const { reason, message, neverSent, isOutdated } = sent.problem;
    if (isOutdated === true) return { outcome: "unsent", detail: `not sent: ${message}` };
    return neverSent
      ? { outcome: "rejected", detail: `never sent: ${reason}: ${message}` }
      : { outcome: "in_doubt", detail: `${reason}: ${message}` };
  }
  const { status } = sent.value;
  if (isSuccess(status, success)) return { outcome: "acknowledged", detail: `status ${status}` };
  const detail = failureOfReply(sent.value, now, redact).message;
  // 408 is the server's own time-out, and 5xx may come from a proxy after the server has acted.
  const isRefusal = status >= 300 && status < 500 && status !== 408;
  return { outcome: isRefusal ? "rejected" : "in_doubt", detail };
}

import type { ActionReply } from "../../domain/action.ts";
import type { HttpReply } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { SendFailure } from "../http/http-send.ts";
import { failureOfReply, isSuccess } from "../http/reply-failure.ts";

/**
 * Reads what became of an action. Rejected only where it is sure that nothing was done: the server
 * said no, or nothing was sent. Whatever else is not a success is in doubt, and only seeing settles it.
 */
export function outcomeOf(
  sent: Result<HttpReply, SendFailure>,
  success: readonly number[] | undefined,
  now: Instant,
  redact: (text: string) => string,
): ActionReply {
  if (!sent.ok) {
    const { reason, message, neverSent } = sent.problem;
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

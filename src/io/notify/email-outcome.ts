import type { NodemailerError, SMTPSentMessageInfo } from "nodemailer";
import type { Delivery, DeliveryOutcome } from "../../domain/notification.ts";
import { classify } from "../http/send-failure.ts";
import { tlsFailure } from "../http/tls-failure.ts";

/** How a server took an email. What it said is in the detail as it came. */
export type EmailAttempt = Pick<Delivery, "outcome" | "detail">;

/** It was delivered to some; a failed recipient is named, as the others are not to get it twice. */
export function acceptedAttempt(info: SMTPSentMessageInfo): EmailAttempt {
  const { response, accepted, rejected, rejectedErrors = [] } = info;
  if (rejected.length === 0) return { outcome: "delivered", detail: response };
  const refusals = rejectedErrors.map((error) => `${error.recipient ?? ""} ${saidIn(error)}`);
  const all = accepted.length + rejected.length;
  return {
    outcome: "delivered",
    detail: `${response}; ${rejected.length} of ${all} recipients refused: ${refusals.join("; ")}`,
  };
}

export function failedAttempt(error: unknown): EmailAttempt {
  if (!(error instanceof Error)) return { outcome: "failed", detail: "an error while sending" };
  const known: NodemailerError = error;
  // Refused recipients have an error each; one that may be accepted later is reason enough to try again.
  const all = [known, ...(known.rejectedErrors ?? [])];
  const answered = all.filter(({ responseCode }) => responseCode !== undefined);
  if (answered.length > 0) {
    const outcomes = answered.map(outcomeOf);
    const outcome = outcomes.find((one) => one === "failed") ?? outcomes[0] ?? "failed";
    const hint = known.command === "STARTTLS" ? "; it offers no TLS: starttls, url" : "";
    return { outcome, detail: `${known.command ?? ""} ${saidIn(known)}${hint}`.trim() };
  }
  if (known.code === "ETIMEDOUT")
    return { outcome: "failed", detail: `timeout: ${known.timeoutType ?? "no answer"}` };
  if (known.code === "EAUTH" || known.code === "ENOAUTH")
    return { outcome: "denied", detail: `auth: ${known.message}` };
  const notTrusted = tlsFailure(known.originalCode ?? "", [known]);
  if (notTrusted !== undefined)
    return { outcome: "failed", detail: `connect: ${notTrusted.message}` };
  const { reason, message } = classify(known);
  return reason === "internal"
    ? { outcome: "failed", detail: `connect: ${known.message}` }
    : { outcome: "failed", detail: `${reason}: ${message}` };
}

/** What a server says of one message is about that alone; of a sender, a password or a recipient, about all. */
function outcomeOf({ responseCode = 0, command }: NodemailerError): DeliveryOutcome {
  // 503: the session was out of step, so a new one may do.
  if (responseCode < 500 || responseCode === 503) return "failed";
  return command === "DATA" || responseCode === 552 ? "refused" : "denied";
}

function saidIn({ response, message }: NodemailerError): string {
  return response ?? message;
}

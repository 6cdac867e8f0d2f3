import type { NodemailerError, SMTPSentMessageInfo } from "nodemailer";
import type { Delivery, DeliveryOutcome } from "../../domain/notification.ts";
import { classify } from "../http/send-failure.ts";
import { tlsFailure } from "../http/tls-failure.ts";

/** A server's answer to an email; `detail` has its words unchanged. */
export type EmailAttempt = Pick<Delivery, "outcome" | "detail">;

/** Delivered to at least one recipient. Refused ones are only named: a retry would reach the others twice. */
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
  // Refused recipients have an error each; if one may be accepted later, the email is sent again.
  const all = [known, ...(known.rejectedErrors ?? [])];
  const answered = all.filter(({ responseCode }) => responseCode !== undefined);
  if (answered.length > 0) {
    const outcomes = answered.map(outcomeOf);
    const outcome = outcomes.find((one) => one === "failed") ?? outcomes[0] ?? "failed";
    const hint =
      known.command === "STARTTLS" ? "; the server offers no TLS: see starttls and url" : "";
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

/** A refusal of a message is about that alone; one of a sender, a password, a recipient or a mailbox, about all. */
function outcomeOf(error: NodemailerError): DeliveryOutcome {
  const { responseCode = 0, command } = error;
  // 503: the commands were out of step, so a new session may work.
  if (responseCode < 500 || responseCode === 503) return "failed";
  return command === "DATA" && !isMailboxFull(saidIn(error)) ? "refused" : "denied";
}

/** By its enhanced status code: the basic one, 552, is also said of a message that is too large. */
function isMailboxFull(said: string): boolean {
  return /^\d{3}[ -]5\.2\.2\b/.test(said);
}

function saidIn({ response, message }: NodemailerError): string {
  return response ?? message;
}

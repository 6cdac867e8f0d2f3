import type { Delivery } from "../../domain/notification.ts";
import { messageOf } from "../../domain/error-message.ts";
import { SECOND, type Clock, type Millis } from "../../domain/time.ts";
import type { EmailRequest, NotifierRequest, PostRequest } from "../../notifiers/notifier.ts";
import type { Sender } from "../http/http-send.ts";
import { retryDelayMs, tryAgain, type Retries } from "../http/read-retry.ts";
import { failureOfReply, parseRetryAfter } from "../http/reply-failure.ts";
import type { EmailAttempt } from "./email-outcome.ts";

/** Sends HTTP requests and emails. */
export type ChannelSender = Pick<Sender, "send"> & {
  readonly sendEmail: (request: EmailRequest, signal: AbortSignal) => Promise<EmailAttempt>;
};

export type DeliveryWorld = {
  readonly sender: ChannelSender;
  readonly clock: Clock;
  readonly random: () => number;
  /** Removes secrets from a receiver's reply. */
  readonly redact: (text: string) => string;
  /** Aborts the delivery. */
  readonly signal: AbortSignal;
};

/** Called for each attempt: settings and journal may have changed. Undefined if there is nothing to send. */
export type ComposeRequest = () => NotifierRequest | undefined;

/** Retries within one delivery. The core waits longer between deliveries, and starts each with newer notifications. */
export const QUICK_RETRIES: Retries = {
  limit: 2,
  firstDelayMs: SECOND,
  longestDelayMs: 4 * SECOND,
};
/** If a receiver asks for a longer wait, the delivery ends, and the core sends again. */
const LONGEST_WAIT = 10 * SECOND;

type Attempt = Omit<Delivery, "durationMs">;

/**
 * Sends a batch of notifications, and again soon if that may help. It has connections of its own, and cannot reach an
 * aggregator's credentials. Undefined if there was nothing to send, or it was aborted and its outcome is unknown. Never
 * throws.
 */
export async function deliver(
  compose: ComposeRequest,
  world: DeliveryWorld,
  retries: Retries = QUICK_RETRIES,
): Promise<Delivery | undefined> {
  const { clock, random, signal } = world;
  const startedAt = clock.now();
  let last: Attempt | undefined;
  const send = async (): Promise<Attempt | undefined> => (last = await attempt(compose, world));
  const delayAfter = (sent: Attempt | undefined, tries: number): Millis | undefined => {
    if (sent?.outcome !== "failed" || tries > retries.limit) return undefined;
    const delayMs = retryDelayMs(tries, sent, retries, random);
    return delayMs <= LONGEST_WAIT ? delayMs : undefined;
  };
  try {
    if (!signal.aborted) await tryAgain(send, delayAfter, signal);
  } catch {
    // A bug in sending it; `last` holds the outcome before that.
  }
  if (signal.aborted || last === undefined) return undefined;
  return { ...last, durationMs: clock.now() - startedAt };
}

async function attempt(
  compose: ComposeRequest,
  world: DeliveryWorld,
): Promise<Attempt | undefined> {
  let request: NotifierRequest | undefined;
  try {
    request = compose();
  } catch (error) {
    // A bug, or one that a later version put into the journal: it must not hold the others back.
    const detail = `aggwatch cannot write it: ${messageOf(error)}`;
    return { outcome: "unwritten", detail: snippet(detail, world.redact) };
  }
  if (request === undefined) return undefined;
  if (!("envelope" in request)) return await post(request, world);
  const sent = await world.sender.sendEmail(request, world.signal);
  return { ...sent, detail: snippet(sent.detail, world.redact) };
}

async function post(
  request: PostRequest,
  { sender, clock, redact, signal }: DeliveryWorld,
): Promise<Attempt | undefined> {
  const sent = await sender.send(
    {
      method: "POST",
      url: new URL(request.url),
      headers: { "content-type": "application/json", ...request.headers },
      body: JSON.stringify(request.body),
    },
    signal,
  );
  if (!sent.ok) {
    const { reason, message, status } = sent.problem;
    if (reason === "cancelled") return undefined;
    const detail = `${reason}: ${message}`;
    // The status says what becomes of the notification; the body is only shown.
    return status === undefined
      ? { outcome: "failed", detail }
      : { outcome: outcomeOf(status), detail: `status ${status}: ${detail}` };
  }
  const { status, headers, body } = sent.value;
  if (status >= 300 && status < 400) {
    const { message } = failureOfReply(sent.value, clock.now(), redact);
    return { outcome: outcomeOf(status), detail: `${message}; redirects are not followed` };
  }
  const said = snippet(body, redact);
  const detail = `status ${status}${said === "" ? "" : `: ${said}`}`;
  const outcome = outcomeOf(status);
  const retryAfterMs = parseRetryAfter(headers["retry-after"], clock.now());
  return { outcome, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** A failure that no retry fixes is about this message (`refused`) or about the sender (`denied`). */
function outcomeOf(status: number): Delivery["outcome"] {
  if (status >= 200 && status < 300) return "delivered";
  if (status >= 500 || status === 408 || status === 425 || status === 429) return "failed";
  return status === 400 || status === 413 || status === 422 ? "refused" : "denied";
}

const LONGEST_SNIPPET = 200;

function snippet(body: string, redact: (text: string) => string): string {
  return redact(body.slice(0, 10_000))
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, LONGEST_SNIPPET);
}

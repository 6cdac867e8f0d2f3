import type { Args } from "../../aggregator/endpoints/definition.ts";
import { asksToWait } from "../../aggregator/pace.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import type { Failure, HttpReply, HttpRequest } from "../../domain/http.ts";
import type { RawReply } from "../../domain/reply.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Clock, Instant } from "../../domain/time.ts";
import type { createSharedLinks } from "../http/linked-signal.ts";
import type { Retries } from "../http/read-retry.ts";
import { retryRead } from "../http/read-retry.ts";
import { failureOfReply, isSuccess } from "../http/reply-failure.ts";
import type { CachedBody } from "./cache.ts";
import type { BodyForm } from "./decode-body.ts";
import type { Limiter } from "./limiter.ts";
import { PRIORITY } from "./slots.ts";
import { PAUSED, type RequestSender } from "./request-sender.ts";

export type ReadOptions = {
  readonly signal: AbortSignal;
  /** A probe goes before polls, and always requests the whole body; a poll is the default. */
  readonly origin?: "poll" | "probe";
  /** A retry that could not end before this does not begin. */
  readonly deadlineAt?: Instant;
  /** Whether a dropped value need not be read again, because the reading made of it is known. */
  readonly isRead?: ((value: unknown) => boolean) | undefined;
  /** Called each time the request leaves, after its wait for a slot. */
  readonly onSent?: (at: Instant) => void;
};

/** Called with each reply that has a body; the reader does not know its aggregator. */
export type KeepReply = (reply: Omit<RawReply, "aggregator">) => void;

/** What reads are sent by. */
export type ReadParts = {
  readonly settings: { readonly retries: Retries; readonly conditionalReads: boolean };
  readonly profile: WireProfile;
  readonly clock: Clock;
  readonly random: () => number;
  readonly keepReply?: KeepReply | undefined;
  readonly sender: Pick<RequestSender, "send" | "redactor">;
  readonly limiter: Pick<Limiter, "pausedUntil" | "mayRetry">;
  readonly closed: AbortSignal;
};

/** A request to read, with the last reply to it, if that is cached. */
export type Query = BodyForm & {
  readonly args: Args;
  readonly request: HttpRequest;
  readonly isProbe: boolean;
  readonly key: string;
  readonly known: CachedBody | undefined;
  /** Its `If-None-Match`. */
  readonly condition: string | undefined;
};

/** Sends the request of a query, again after failures that may pass. */
export async function sendWithRetries(
  query: Query,
  options: ReadOptions,
  retries: Retries,
  parts: ReadParts & { readonly link: ReturnType<typeof createSharedLinks> },
): Promise<Result<HttpReply, Failure>> {
  const { signal, unlink } = parts.link(options.signal);
  let wasSent = false;
  const onSent = (at: Instant): void => {
    wasSent = true;
    options.onSent?.(at);
  };
  const linked = { ...options, signal, onSent, read: Symbol(query.endpoint) };
  const attempt = async (): Promise<Result<HttpReply, Failure>> => {
    wasSent = false;
    return await send(query, linked, parts);
  };
  // Probes are few, and no action is sent without them.
  const mayRetry = (failure: Failure): boolean =>
    query.isProbe || parts.limiter.mayRetry(query.endpoint, failure);
  const wasHeld = (): boolean => !wasSent;
  try {
    return await retryRead(attempt, { ...parts, ...linked, retries, mayRetry, wasHeld });
  } finally {
    unlink();
  }
}

/** No cache on the way is to answer by itself. */
const WHOLE = { "cache-control": "no-cache" };
/** With `no-cache`, some servers (Express) never answer 304; this requests the same of caches. */
const REVALIDATED = { "cache-control": "max-age=0" };

/** Sends the request once. A 304 is valid only for a conditional request; otherwise it is as wrong as any redirect. */
async function send(
  query: Query,
  { signal, onSent, read }: ReadOptions & { readonly read: symbol },
  parts: ReadParts,
): Promise<Result<HttpReply, Failure>> {
  const { profile, clock, sender, limiter } = parts;
  const { endpoint, request, condition, isProbe } = query;
  const pausedUntil = (): Instant | undefined => limiter.pausedUntil(endpoint);
  const fresh = condition === undefined ? WHOLE : { ...REVALIDATED, "if-none-match": condition };
  const sent = await sender.send(
    { ...request, headers: { ...fresh, ...request.headers } },
    {
      purpose: "read",
      priority: isProbe ? PRIORITY.probe : PRIORITY.poll,
      endpoint,
      read,
      signal,
      onSent,
    },
  );
  if (!sent.ok && sent.problem === PAUSED) return fail(notAsked(pausedUntil(), clock.now()));
  const isWanted = (status: number): boolean =>
    (condition !== undefined && status === 304) || isSuccess(status, profile[endpoint].success);
  const refused = (reply: HttpReply, note = ""): Failure => {
    const failure = failureOfReply(reply, clock.now(), sender.redactor.redact);
    const noted = { ...failure, message: `${failure.message}${note}` };
    return isProbe ? noted : afterPause(noted, pausedUntil(), clock.now());
  };
  if (sent.ok) {
    const reply = sent.value;
    if (isWanted(reply.status)) return succeed(reply);
    const failure = refused(reply);
    keep(query, reply, failure, parts);
    return fail(failure);
  }
  const { reason, message, status, headers = {} } = sent.problem;
  // A status that refuses says more than the length of its body.
  if (reason === "too_large" && status !== undefined && !isWanted(status))
    return fail(refused({ status, headers, body: "" }, ` (${message})`));
  return fail({ reason, message });
}

/** Keeps a reply for people, with the reason if it could not be read. */
export function keep(
  { endpoint, args }: Query,
  { status, body }: HttpReply,
  failure: Failure | undefined,
  {
    sender: {
      redactor: { redact },
    },
    clock,
    keepReply,
  }: ReadParts,
): void {
  keepReply?.({
    at: clock.now(),
    endpoint,
    args: JSON.stringify(args),
    status,
    failure: failure && redact(`${failure.reason}: ${failure.message}`).slice(0, 400),
    body: redact(body),
  });
}

/** A poll that met a 429 or 503 is not tried again before the pause that follows from it has ended. */
function afterPause(failure: Failure, until: Instant | undefined, now: Instant): Failure {
  const leftMs = until === undefined || !asksToWait(failure) ? 0 : until - now;
  if (leftMs <= (failure.retryAfterMs ?? 0)) return failure;
  return { ...failure, retryAfterMs: leftMs };
}

/** The failure looks like the aggregator's own 429, so that callers wait in the same way. */
function notAsked(until: Instant = 0, now: Instant): Failure {
  const retryAfterMs = Math.max(0, until - now);
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `not asked: the aggregator wants to be left alone for ${seconds} s more`;
  return { reason: "status", status: 429, message, retryAfterMs };
}

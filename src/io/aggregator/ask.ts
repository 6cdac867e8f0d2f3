import { leaveAloneUntil } from "../../aggregator/pace.ts";
import type { ReadEndpoint } from "../../aggregator/endpoints.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import type { Args } from "../../aggregator/request.ts";
import type { Failure, HttpReply, HttpRequest } from "../../domain/http.ts";
import type { RawReply } from "../../domain/reply.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import type { Client } from "./client.ts";
import type { LastAnswer } from "./last-answers.ts";
import { linkSignals } from "../http/linked-signal.ts";
import { PRIORITY } from "../http/limiter.ts";
import type { Retries } from "../http/read-retry.ts";
import { retryRead } from "../http/read-retry.ts";
import { failureOfReply, isSuccess, parseRetryAfter } from "../http/reply-failure.ts";

/** The putting of one question to an aggregator: with retries, when its turn comes, and as a good guest. */

export type ReadOptions = {
  readonly signal: AbortSignal;
  /** A probe goes before polls, and always asks for the whole body; a poll is the default. */
  readonly origin?: "poll" | "probe";
  /** No retry begins that could not end before it. */
  readonly deadlineAt?: Instant;
  /** Called each time the request really leaves, after it has waited for its turn. */
  readonly onSent?: (at: Instant) => void;
};

export type AskParts = {
  readonly client: Client;
  readonly profile: WireProfile;
  readonly retries: Retries;
  /** `Retry-After` is not heeded for longer. */
  readonly longestPauseMs: Millis;
  /** Sends `If-None-Match` where there was an `ETag`. */
  readonly conditionalReads: boolean;
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
  /** Given each reply that has a body, for people to look at later. */
  readonly keepReply?: KeepReply | undefined;
};

/** Of which aggregator it is, the reader does not know. */
export type KeepReply = (reply: Omit<RawReply, "aggregator">) => void;

/** One question: what is asked, and what was answered to it before. */
export type Question = {
  readonly name: ReadEndpoint;
  readonly args: Args;
  readonly key: string;
  readonly request: HttpRequest;
  readonly known: LastAnswer | undefined;
  readonly isProbe: boolean;
  /** The `ETag` that is sent along. */
  readonly condition: string | undefined;
};

/** Asks, with retries; a poll does not ask where the aggregator wants to be left alone. */
export async function askPatiently(
  question: Question,
  options: ReadOptions,
  parts: AskParts,
  leftAlone: Map<ReadEndpoint, Instant>,
): Promise<Result<HttpReply, Failure>> {
  const { client, clock, retries, random } = parts;
  const link = linkSignals(options.signal, client.closed);
  const isHeldBack = (): boolean =>
    !question.isProbe && clock.now() < (leftAlone.get(question.name) ?? -Infinity);
  const turn = {
    priority: question.isProbe ? PRIORITY.probe : PRIORITY.poll,
    kind: question.name,
    onSent: options.onSent ?? (() => undefined),
    isHeldBack,
    onReply: ({ status, headers }: HttpReply): void => {
      const now = clock.now();
      const retryAfterMs = parseRetryAfter(headers["retry-after"], now);
      const until = leaveAloneUntil({ status, retryAfterMs }, now, parts.longestPauseMs);
      if (until !== undefined)
        leftAlone.set(question.name, Math.max(until, leftAlone.get(question.name) ?? 0));
    },
  };
  const ask = async (): Promise<Result<HttpReply, Failure>> => {
    if (isHeldBack()) return fail(notAsked(leftAlone.get(question.name) ?? 0, clock.now()));
    const answer = await askOnce(question, options.signal, turn, parts);
    if (answer.ok) return answer;
    // What waited for its turn meanwhile.
    if (answer.problem.reason === "cancelled" && isHeldBack() && !link.signal.aborted)
      return fail(notAsked(leftAlone.get(question.name) ?? 0, clock.now()));
    return answer;
  };
  const { deadlineAt } = options;
  const reply = await retryRead(ask, { retries, signal: link.signal, deadlineAt, clock, random });
  link.unlink();
  return reply;
}

async function askOnce(
  question: Question,
  signal: AbortSignal,
  turn: Parameters<Client["carry"]>[3],
  parts: AskParts,
): Promise<Result<HttpReply, Failure>> {
  const { client, profile, clock } = parts;
  const { name, request, condition } = question;
  const headers =
    condition === undefined ? request.headers : { ...request.headers, "if-none-match": condition };
  const sent = await client.carry("read", { ...request, headers }, signal, turn);
  if (!sent.ok) return fail({ reason: sent.problem.reason, message: sent.problem.message });
  const reply = sent.value;
  if (isNotModified(question, reply) || isSuccess(reply.status, profile[name].success))
    return succeed(reply);
  const failure = failureOfReply(reply, clock.now(), client.redact);
  keep(question, reply, failure, parts);
  return fail(failure);
}

/** Shows a reply to who keeps them, with why nothing was read in it. */
export function keep(
  { name, args }: Question,
  { status, body }: HttpReply,
  failure: Failure | undefined,
  { client: { redact }, clock, keepReply }: AskParts,
): void {
  keepReply?.({
    at: clock.now(),
    endpoint: name,
    args: JSON.stringify(args),
    status,
    failure: failure && redact(`${failure.reason}: ${failure.message}`).slice(0, 400),
    body: redact(body),
  });
}

/** 304 is an answer to a condition alone; unasked it is as wrong as any other redirect. */
export function isNotModified({ condition }: Question, { status }: HttpReply): boolean {
  return condition !== undefined && status === 304;
}

/** As the aggregator's own answer was, so that it is waited for in the same way. */
function notAsked(until: Instant, now: Instant): Failure {
  const retryAfterMs = Math.max(0, until - now);
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `not asked: the aggregator wants to be left alone for ${seconds} s more`;
  return { reason: "status", status: 429, message, retryAfterMs };
}

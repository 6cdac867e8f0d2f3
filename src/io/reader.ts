import { leaveAloneUntil } from "../aggregator/pace.ts";
import type { Decoded } from "../aggregator/decoders/index.ts";
import { decoders } from "../aggregator/decoders/index.ts";
import type { SiftingDecoder } from "../aggregator/decoders/odd-entries.ts";
import type { ReadEndpoint } from "../aggregator/endpoints.ts";
import { READ_ENDPOINTS } from "../aggregator/endpoints.ts";
import type { WireProfile } from "../aggregator/profile.ts";
import type { Args } from "../aggregator/request.ts";
import { buildRequest } from "../aggregator/request.ts";
import type { Failure, HttpReply, HttpRequest } from "../domain/http.ts";
import type { Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";
import type { Clock, Instant, Millis } from "../domain/time.ts";
import type { Courier } from "./courier.ts";
import type { LastAnswer, LastAnswers } from "./last-answers.ts";
import { conditionOf, createLastAnswers, fingerprintOf, usableEtag } from "./last-answers.ts";
import { linkSignals } from "./linked-signal.ts";
import { PRIORITY } from "./rate-limit.ts";
import type { Read } from "./read-answer.ts";
import { readAnswer } from "./read-answer.ts";
import type { Retries } from "./read-retry.ts";
import { retryRead } from "./read-retry.ts";
import { failureOfReply, isSuccess, parseRetryAfter } from "./reply-failure.ts";
import type { WireMap } from "./wire-map.ts";
import { compileWireMap } from "./wire-map.ts";

/** The asking of an aggregator: with retries, and as a good guest. */

export type ReadOptions = {
  readonly signal: AbortSignal;
  /** A probe goes before polls, and always asks for the whole body; a poll is the default. */
  readonly origin?: "poll" | "probe";
  /** No retry begins that could not end before it. */
  readonly deadlineAt?: Instant;
  /** Called each time the request really leaves, after it has waited for its turn. */
  readonly onSent?: (at: Instant) => void;
};

export type Reader = {
  /** Asks, and gives the decoded reply. Never throws. */
  readonly read: <Name extends ReadEndpoint>(
    endpoint: Name,
    args: Args,
    options: ReadOptions,
  ) => Promise<Read<Decoded[Name]>>;
  /** Until when polls leave the endpoint alone, as the aggregator asked; undefined: they do not. */
  readonly leftAloneUntil: (endpoint: ReadEndpoint) => Instant | undefined;
  /** Some endpoint is left alone now. */
  readonly isLeftAlone: () => boolean;
  readonly unchanged: () => Unchanged;
};

/** Reads whose body was the one before, since the start. */
export type Unchanged = {
  /** The same bytes came. */
  readonly sameBody: number;
  /** The aggregator said so, by 304. */
  readonly notModified: number;
};

export type ReaderParts = {
  readonly courier: Courier;
  readonly profile: WireProfile;
  readonly retries: Retries;
  /** `Retry-After` is not heeded for longer. */
  readonly longestPauseMs: Millis;
  /** Sends `If-None-Match` where there was an `ETag`. */
  readonly conditionalReads: boolean;
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
};

/** One question: what is asked, and what was answered to it before. */
type Question = {
  readonly name: ReadEndpoint;
  readonly key: string;
  readonly request: HttpRequest;
  readonly known: LastAnswer | undefined;
  readonly isProbe: boolean;
  /** The `ETag` that is sent along. */
  readonly condition: string | undefined;
};

type AnyRead = (name: ReadEndpoint, args: Args, options: ReadOptions) => Promise<Read<unknown>>;

export function createReader(parts: ReaderParts): Reader {
  const { courier, profile, clock } = parts;
  const { redact } = courier;
  const maps = compileMaps(profile);
  const answers = createLastAnswers();
  const leftAlone = new Map<ReadEndpoint, Instant>();
  const unchanged = { sameBody: 0, notModified: 0 };

  /** The same body, or word of it: what was decoded of it before stands. */
  const take = async (question: Question, reply: HttpReply): Promise<Read<unknown>> => {
    const { name, key, known } = question;
    const now = clock.now();
    const isWord = isNotModified(question, reply);
    const fingerprint = isWord ? "" : fingerprintOf(reply.body);
    if (known !== undefined && (isWord || known.fingerprint === fingerprint)) {
      unchanged[isWord ? "notModified" : "sameBody"] += 1;
      const etag = usableEtag(reply.headers["etag"]) ?? (isWord ? known.etag : undefined);
      const bodyAt = isWord ? known.bodyAt : now;
      const seenTwice = known.seenTwice || !question.isProbe;
      answers.renew(key, { ...known, etag, bodyAt, seenTwice }, now);
      return known.read;
    }
    const decoder = decoders[name] as SiftingDecoder<unknown>;
    const reading = { endpoint: name, map: maps.get(name), decoder, redact };
    const read = await readAnswer(reply.body, reading);
    if (!read.ok) return read;
    const etag = usableEtag(reply.headers["etag"]);
    answers.keep(
      key,
      { fingerprint, read, etag, bodyAt: now, seenTwice: false },
      reply.body.length,
      now,
    );
    return read;
  };

  const read: AnyRead = async (name, args, options) => {
    const request = buildRequest(profile, name, args);
    if (!request.ok) return request;
    const asked = { name, args, request: request.value, isProbe: options.origin === "probe" };
    const question = questionOf(asked, answers, parts);
    const reply = await askPatiently(question, options, parts, leftAlone);
    return reply.ok ? await take(question, reply.value) : reply;
  };

  return {
    read: async (name, args, options) => {
      const answer = await read(name, args, options);
      // The decoder of the endpoint made it, now or before.
      if (answer.ok) return answer as Read<Decoded[typeof name]>;
      const message = redact(answer.problem.message).slice(0, 400);
      return fail({ ...answer.problem, endpoint: name, message });
    },
    leftAloneUntil: (endpoint) => leftAlone.get(endpoint),
    isLeftAlone: () => [...leftAlone.values()].some((until) => clock.now() < until),
    unchanged: () => ({ ...unchanged }),
  };
}

/** The question with what is known of its answer, and the tag that goes along, if one may. */
function questionOf(
  { name, args, request, isProbe }: Pick<Question, "name" | "request" | "isProbe"> & { args: Args },
  answers: LastAnswers,
  { conditionalReads, clock }: ReaderParts,
): Question {
  const key = `${name} ${JSON.stringify(args)}`;
  const known = answers.get(key);
  const mayCondition = conditionalReads && !isProbe && request.method === "GET";
  const condition = mayCondition ? conditionOf(known, clock.now()) : undefined;
  return { name, key, request, known, isProbe, condition };
}

/** Asks, with retries; a poll does not ask where the aggregator wants to be left alone. */
async function askPatiently(
  question: Question,
  options: ReadOptions,
  parts: ReaderParts,
  leftAlone: Map<ReadEndpoint, Instant>,
): Promise<Result<HttpReply, Failure>> {
  const { courier, clock, retries, random } = parts;
  const link = linkSignals(options.signal, courier.closed);
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
  turn: Parameters<Courier["carry"]>[3],
  { courier, profile, clock }: ReaderParts,
): Promise<Result<HttpReply, Failure>> {
  const { name, request, condition } = question;
  const headers =
    condition === undefined ? request.headers : { ...request.headers, "if-none-match": condition };
  const sent = await courier.carry("read", { ...request, headers }, signal, turn);
  if (!sent.ok) return fail({ reason: sent.problem.reason, message: sent.problem.message });
  const reply = sent.value;
  if (isNotModified(question, reply) || isSuccess(reply.status, profile[name].success))
    return succeed(reply);
  return fail(failureOfReply(reply, clock.now(), courier.redact));
}

/** 304 is an answer to a condition alone; unasked it is as wrong as any other redirect. */
function isNotModified({ condition }: Question, { status }: HttpReply): boolean {
  return condition !== undefined && status === 304;
}

/** As the aggregator's own answer was, so that it is waited for in the same way. */
function notAsked(until: Instant, now: Instant): Failure {
  const retryAfterMs = Math.max(0, until - now);
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `not asked: the aggregator wants to be left alone for ${seconds} s more`;
  return { reason: "status", status: 429, message, retryAfterMs };
}

function compileMaps(profile: WireProfile): ReadonlyMap<ReadEndpoint, WireMap> {
  return new Map(
    READ_ENDPOINTS.flatMap((name): [ReadEndpoint, WireMap][] => {
      const { map } = profile[name];
      return map === undefined ? [] : [[name, compileWireMap(map)]];
    }),
  );
}

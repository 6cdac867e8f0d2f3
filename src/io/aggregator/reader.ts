import type { Decoded } from "../../aggregator/decoders/index.ts";
import { decoders } from "../../aggregator/decoders/index.ts";
import type { SiftingDecoder } from "../../aggregator/decoders/malformed-entries.ts";
import type { ReadEndpoint } from "../../aggregator/endpoints.ts";
import { READ_ENDPOINTS } from "../../aggregator/endpoints.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import type { Args } from "../../aggregator/request.ts";
import { buildRequest } from "../../aggregator/request.ts";
import type { HttpReply } from "../../domain/http.ts";
import { fail } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import { askPatiently, isNotModified, keep } from "./ask.ts";
import type { AskParts, Question, ReadOptions } from "./ask.ts";
import type { LastAnswers } from "./last-answers.ts";
import { conditionOf, createLastAnswers, fingerprintOf, usableEtag } from "./last-answers.ts";
import type { Read } from "./read-answer.ts";
import { readAnswer } from "./read-answer.ts";
import type { WireMap } from "./wire-map.ts";
import { compileWireMap } from "./wire-map.ts";

/** From a question to what was read, which the same bytes need not be read for again. */

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

type AnyRead = (name: ReadEndpoint, args: Args, options: ReadOptions) => Promise<Read<unknown>>;

export function createReader(parts: AskParts): Reader {
  const { client, profile, clock } = parts;
  const { redact } = client;
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
      if (!isWord) keep(question, reply, undefined, parts);
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
    keep(question, reply, read.ok ? undefined : read.problem, parts);
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
  { name, args, request, isProbe }: Pick<Question, "name" | "args" | "request" | "isProbe">,
  answers: LastAnswers,
  { conditionalReads, clock }: AskParts,
): Question {
  const key = `${name} ${JSON.stringify(args)}`;
  const known = answers.get(key);
  const mayCondition = conditionalReads && !isProbe && request.method === "GET";
  const condition = mayCondition ? conditionOf(known, clock.now()) : undefined;
  return { name, args, key, request, known, isProbe, condition };
}

function compileMaps(profile: WireProfile): ReadonlyMap<ReadEndpoint, WireMap> {
  return new Map(
    READ_ENDPOINTS.flatMap((name): [ReadEndpoint, WireMap][] => {
      const { map } = profile[name];
      return map === undefined ? [] : [[name, compileWireMap(map)]];
    }),
  );
}

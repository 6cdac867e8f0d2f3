import jsonata, { type Expression } from "jsonata";
import { mismatchFailure, type Mismatch } from "../../aggregator/decoding/decode.ts";
import type { InstantUnit } from "../../aggregator/decoding/decode.ts";
import { isListing } from "../../aggregator/endpoints/definition.ts";
import {
  READ_ENDPOINTS,
  readEndpoints,
  type ReadEndpoint,
} from "../../aggregator/endpoints/index.ts";
import type {
  MalformedEntries,
  SiftingDecoder,
} from "../../aggregator/decoding/malformed-entries.ts";
import type { WireEndpoint, WireProfile } from "../../aggregator/profile.ts";
import { describeMapError } from "../../aggregator/map-syntax.ts";
import { marksOfBody } from "../../aggregator/decoding/partial-marks.ts";
import type { Failure } from "../../domain/http.ts";
import type { Doubt } from "../../domain/observation.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { parseJsonBody, shareItems } from "../http/json-body.ts";
import type { BodyItems } from "../http/json-items.ts";
import { createTimeSlice, inSlices } from "../process/time-slice.ts";
import type { Redactor } from "../redact/redactor.ts";

/** Decodes the body of a reply. */

/** A decoded body, with the entries that were left out of it, or why there is none. */
export type Decoded<Value> = Result<Value, BodyProblem> & {
  readonly malformed?: MalformedEntries;
  /** How many entries the lists of the body have, before any map; undefined if it has no list. */
  readonly entries?: number | undefined;
  /** Why nothing must act on the body; never what the settings ignore. */
  readonly doubt?: Doubt | undefined;
  /** The code that came with entries, and so means a success; beside a doubt, the code that must be accepted to lift it. */
  readonly code?: string | undefined;
  /** The items of the decoded value, if the body is long enough to be compared with the next. */
  readonly items?: BodyItems | undefined;
};

export type BodyProblem = {
  readonly failure: Failure;
  /** How the body differs from the default shape, if it is JSON. */
  readonly mismatch?: Mismatch;
};

/** The endpoint of a body, and the unit of its instants. */
export type ReadForm = { readonly endpoint: ReadEndpoint; readonly instants: InstantUnit };

/** A body's form, the doubts that its settings ignore, and the items of the last body, if they are kept. */
export type BodyForm = ReadForm & {
  readonly ignore: WireEndpoint["ignore"];
  readonly before?: BodyItems | undefined;
  /** Codes that came with entries from the same aggregator. */
  readonly accepted?: ReadonlySet<string>;
};

/** Turns a deployment's body, of so many bytes, into our default shape; the problem is one line for people. */
export type WireMap = (body: Json, bytes?: number) => Promise<Result<Json, string>>;

/**
 * Parses, maps and decodes a body. Secrets that it repeats are removed first, so that nothing made of it holds them: an
 * entry named by a secret has a malformed name. An item with the same text as in the last body is not decoded again.
 */
export async function decodeBody(
  { endpoint, instants, ignore, before, accepted }: BodyForm,
  body: string,
  map: WireMap | undefined,
  redactor: Redactor,
): Promise<Decoded<unknown>> {
  const json = parseJsonBody(body, map === undefined ? before : undefined);
  if (!json.ok)
    return fail({ failure: { ...json.problem, message: redactor.redact(json.problem.message) } });
  const value = withoutSecrets(json.value, body, redactor);
  const mapped = map === undefined ? succeed(value) : await map(value, Buffer.byteLength(body));
  if (!mapped.ok) return fail({ failure: { reason: "mismatch", message: mapped.problem } });
  // A map may join pieces to a secret. A body without its secrets has other items.
  const { value: sound, items } =
    map === undefined
      ? { value, items: value === json.value ? json.items : undefined }
      : shareItems(redactor.redactJson(mapped.value), before);
  const { reply } = readEndpoints[endpoint];
  const { decode }: { readonly decode: SiftingDecoder<unknown> } = readEndpoints[endpoint];
  // Most items of the next body will be the same objects as those of this one.
  if (items !== undefined && before === undefined && decode.ahead !== undefined)
    await inSlices(decode.ahead(sound), createTimeSlice());
  const decoded = decode(sound, instants);
  if (decoded.ok) {
    const listed = { hasEntries: hasEntries(decoded.value), accepted };
    const marks = marksOfBody(value, ignore, isListing(reply) ? listed : undefined);
    const isAmbiguous = json.isAmbiguous === true && !ignore.includes("duplicate_key");
    const ambiguous = isAmbiguous ? { doubt: DUPLICATE_KEY, code: undefined } : {};
    return { ...decoded, ...marks, ...ambiguous, items };
  }
  const mismatch = decoded.problem;
  return fail({ failure: mismatchFailure(endpoint, mismatch), mismatch });
}

/** Whether a decoded listing, which is a list or an object of lists, has any entry. */
function hasEntries(listing: unknown): boolean {
  const lists = Array.isArray(listing) ? [listing] : Object.values(Object(listing));
  return lists.some((one) => Array.isArray(one) && one.length > 0);
}

/** The value of a body without secrets. All its texts stand in the body, so mostly only the body is searched. */
export function withoutSecrets(value: Json, body: string, redactor: Redactor): Json {
  return redactor.redact(body) === body ? value : redactor.redactJson(value);
}

const DUPLICATE_KEY: Doubt = {
  reason: "duplicate_key",
  detail: "an object of the body has one key twice",
};

/** Bounds of one evaluation. An expression that passes them is mostly a mistake in the settings. */
const LIMITS = { stack: 200, sequence: 1_000_000 };
/** Of wall time, which passes faster than work on a busy machine: so long for each megabyte that was begun. */
const LIMIT_PER_MEGABYTE: Millis = 2 * SECOND;
const MEGABYTE = 1_000_000;
const TIMED_OUT = "D1012";

/** Compiles `wire.<endpoint>.map` once. A text that cannot be read throws: config checks it first. */
export function compileWireMap(text: string): WireMap {
  // A limit belongs to an expression, and there are few limits.
  const expressions = new Map<Millis, Expression>();
  const within = (timeout: Millis): Expression => {
    const expression = expressions.get(timeout) ?? jsonata(text, { ...LIMITS, timeout });
    expressions.set(timeout, expression);
    return expression;
  };
  within(LIMIT_PER_MEGABYTE);
  return async (body, bytes = Buffer.byteLength(JSON.stringify(body))) => {
    const limitMs = LIMIT_PER_MEGABYTE * Math.ceil(bytes / MEGABYTE);
    try {
      const value: unknown = await within(limitMs).evaluate(body);
      return value === undefined ? fail("the map gave nothing") : plainJson(value);
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== TIMED_OUT)
        return fail(`the map failed: ${describeMapError(error)}`);
      const problem = `the map took longer than ${formatDuration(limitMs)} for a body of ${bytes} bytes`;
      return fail(`${problem}: simplify it, or the machine is busy`);
    }
  };
}

/** The map of each endpoint that has one. Throws as `compileWireMap` does. */
export function compileWireMaps(profile: WireProfile): ReadonlyMap<ReadEndpoint, WireMap> {
  return new Map(
    READ_ENDPOINTS.flatMap((name): [ReadEndpoint, WireMap][] => {
      const { map } = profile[name];
      return map === undefined ? [] : [[name, compileWireMap(map)]];
    }),
  );
}

/** JSONata marks its lists with properties of their own, and may give functions; JSON has neither. */
function plainJson(value: unknown): Result<Json, string> {
  try {
    return succeed(JSON.parse(JSON.stringify(value)) as Json);
  } catch {
    return fail("the map gave something that is not JSON");
  }
}

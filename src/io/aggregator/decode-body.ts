import jsonata from "jsonata";
import { mismatchFailure, type Mismatch } from "../../aggregator/decoding/decode.ts";
import { readEndpoints, type ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type {
  MalformedEntries,
  SiftingDecoder,
} from "../../aggregator/decoding/malformed-entries.ts";
import { describeMapError } from "../../aggregator/map-syntax.ts";
import type { Failure } from "../../domain/http.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import { parseJsonBody } from "../http/json-body.ts";

/** From the body of a reply to its decoded value. */

/** A decoded body, with the entries that were left out of it, or why there is none. */
export type Decoded<Value> = Result<Value, BodyProblem> & { readonly malformed?: MalformedEntries };

export type BodyProblem = {
  readonly failure: Failure;
  /** How the body differs from the default shape, if it is JSON. */
  readonly mismatch?: Mismatch;
};

/** Turns a deployment's body into our default shape; the problem is one line for people. */
export type WireMap = (body: Json) => Promise<Result<Json, string>>;

const NOT_SHOWN = "not shown, as the body repeats a credential";

/** Parses, maps and decodes a body. What is said of it repeats no credential. */
export async function decodeBody(
  endpoint: ReadEndpoint,
  body: string,
  map: WireMap | undefined,
  redact: (text: string) => string,
): Promise<Decoded<unknown>> {
  const decoded = await decode(endpoint, body, map);
  // A piece of the body that was cut inside a credential could not be redacted any more.
  if (redact(body) === body) return decoded;
  if (decoded.ok) {
    const { malformed } = decoded;
    return malformed === undefined
      ? decoded
      : { ...decoded, malformed: { ...malformed, shown: [NOT_SHOWN] } };
  }
  const { failure, mismatch } = decoded.problem;
  return fail({
    failure: { ...failure, message: "the body repeats a credential, and is not shown" },
    ...(mismatch === undefined ? {} : { mismatch: { ...mismatch, received: NOT_SHOWN } }),
  });
}

async function decode(
  endpoint: ReadEndpoint,
  body: string,
  map: WireMap | undefined,
): Promise<Decoded<unknown>> {
  const json = parseJsonBody(body);
  if (!json.ok) return fail({ failure: json.problem });
  const mapped = map === undefined ? json : await map(json.value);
  if (!mapped.ok) return fail({ failure: { reason: "mismatch", message: mapped.problem } });
  const decoded: ReturnType<SiftingDecoder<unknown>> = readEndpoints[endpoint].decode(mapped.value);
  if (decoded.ok) return decoded;
  const mismatch = decoded.problem;
  return fail({ failure: mismatchFailure(endpoint, mismatch), mismatch });
}

/** Bounds of one evaluation. An expression that passes them is a mistake in the settings. */
const LIMITS = { timeout: 2_000, stack: 200, sequence: 1_000_000 };

/** Compiles `wire.<endpoint>.map` once. A text that cannot be read throws: config checks it first. */
export function compileWireMap(text: string): WireMap {
  const expression = jsonata(text, LIMITS);
  return async (body) => {
    try {
      const value: unknown = await expression.evaluate(body);
      return value === undefined ? fail("the map gave nothing") : plainJson(value);
    } catch (error) {
      return fail(`the map failed: ${describeMapError(error)}`);
    }
  };
}

/** JSONata marks its lists with properties of their own, and may give functions; JSON has neither. */
function plainJson(value: unknown): Result<Json, string> {
  try {
    return succeed(JSON.parse(JSON.stringify(value)) as Json);
  } catch {
    return fail("the map gave something that is not JSON");
  }
}

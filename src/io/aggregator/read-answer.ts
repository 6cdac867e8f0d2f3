import { mismatchFailure } from "../../aggregator/decoders/decode.ts";
import type {
  MalformedEntries,
  SiftingDecoder,
} from "../../aggregator/decoders/malformed-entries.ts";
import type { ReadEndpoint } from "../../aggregator/endpoints.ts";
import type { Failure } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import { fail } from "../../domain/result.ts";
import { parseJsonBody } from "../http/json-body.ts";
import type { WireMap } from "./wire-map.ts";

/** From the body of an answer to its decoded value. */

/** A decoded reply, with the entries that were left out of it, or why there is none. */
export type Read<Value> = Result<Value, Failure> & { readonly malformed?: MalformedEntries };

export type AnswerReading<Value> = {
  readonly endpoint: ReadEndpoint;
  readonly map: WireMap | undefined;
  readonly decoder: SiftingDecoder<Value>;
  /** Takes the credentials out of a text for people. */
  readonly redact: (text: string) => string;
};

/** Parses, maps and decodes a body. What is told of it repeats no credential. */
export async function readAnswer<Value>(
  body: string,
  { endpoint, map, decoder, redact }: AnswerReading<Value>,
): Promise<Read<Value>> {
  const decoded = await decodeBody(endpoint, body, map, decoder);
  return decoded.ok
    ? withoutEcho(decoded, body, redact)
    : fail(withoutCredential(decoded.problem, body, redact));
}

async function decodeBody<Value>(
  name: ReadEndpoint,
  body: string,
  map: WireMap | undefined,
  decoder: SiftingDecoder<Value>,
): Promise<Read<Value>> {
  const json = parseJsonBody(body);
  if (!json.ok) return json;
  const mapped = map === undefined ? json : await map(json.value);
  if (!mapped.ok) return fail({ reason: "mismatch", message: mapped.problem });
  const decoded = decoder(mapped.value);
  return decoded.ok ? decoded : fail(mismatchFailure(name, decoded.problem));
}

/** An odd name may repeat a credential, cut so that it could not be redacted any more. */
function withoutEcho<Value>(
  read: Read<Value> & { readonly ok: true },
  body: string,
  redact: (text: string) => string,
): Read<Value> {
  if (read.malformed === undefined || redact(body) === body) return read;
  return {
    ...read,
    malformed: { ...read.malformed, shown: ["not shown, as the body repeats a credential"] },
  };
}

/** A piece of the body that was cut inside a credential could not be redacted any more. */
function withoutCredential(
  failure: Failure,
  body: string,
  redact: (text: string) => string,
): Failure {
  if (redact(body) === body) return failure;
  return { ...failure, message: "the body repeats a credential, and is not shown" };
}

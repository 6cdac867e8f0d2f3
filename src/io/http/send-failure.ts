import { TimeoutError, RequestError } from "got";
import type { FailureReason, HttpReply } from "../../domain/http.ts";
import { errorCode, NOT_HTTP } from "./error-code.ts";
import { hadTls } from "./tls-breaks.ts";
import { tlsFailure } from "./tls-failure.ts";

export type SendFailure = {
  readonly reason: FailureReason;
  /** Written by us: an error of the library may repeat the URL or the headers. */
  readonly message: string;
  /** Surely no byte of the request reached the server. */
  readonly neverSent: boolean;
  /** Of an answer whose head came, but not its whole body. */
  readonly status?: number;
  readonly headers?: HttpReply["headers"];
  /** It was held back, because its reason was outdated, or was to be before it got a slot. */
  readonly isOutdated?: true;
};

export function outdatedFailure(message: string): SendFailure {
  return { reason: "cancelled", message, neverSent: true, isOutdated: true };
}

/** An error that carries its own failure through the library. */
export class SendError extends Error {
  readonly failure: SendFailure;
  constructor(failure: SendFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const BEFORE_SENDING = new Set(["lookup", "connect", "secureConnect"]);
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"]);

/** Puts an error of the library into the closed list of reasons. */
export function classify(error: unknown): SendFailure {
  if (error instanceof TimeoutError) {
    const message = `timed out (${error.event})`;
    return { reason: "timeout", message, neverSent: BEFORE_SENDING.has(error.event) };
  }
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof SendError);
  if (own !== undefined) return own.failure;
  const code = errorCode(causes);
  if (NOT_HTTP.test(code))
    return { reason: "malformed", message: `not a valid answer (${code})`, neverSent: false };
  if (NOT_CONNECTED.has(code))
    return { reason: "connect", message: `cannot connect (${code})`, neverSent: true };
  const refused = tlsFailure(code, causes);
  if (refused !== undefined && !(refused.neverSent && hadTls(causes)))
    return { reason: "connect", ...refused };
  if (error instanceof RequestError)
    return { reason: "connect", message: `the connection broke (${code})`, neverSent: false };
  return { reason: "internal", message: "an error while sending", neverSent: false };
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    causes.push(current);
    current = current.cause;
  }
  return causes;
}

import { errorCode } from "../../io/http/error-code.ts";
import { tlsFailure } from "../../io/http/tls-failure.ts";
import { messageOf } from "../../domain/error-message.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { interruptedBy } from "../context.ts";

/** Undefined if it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether an answer is a refusal by aggwatch. All of those say why, and none has a status that only proxies give. */
export function isRefusal({ status }: { readonly status: number }, decoded: unknown): boolean {
  const { error }: { error?: unknown } = Object(decoded);
  return typeof error === "string" && status !== 502 && status !== 504;
}

const MAYBE_DONE = "; it may have been done";
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT)/;

/** The CAs that Node trusts besides the public ones; no command shows a certificate of its own. */
const TLS_NAMES = { ca: "NODE_EXTRA_CA_CERTS", cert: "commands have none" };

type Asked = {
  readonly base: string;
  /** It changes nothing. */
  readonly reads: boolean;
  readonly within: Millis;
  readonly signal: AbortSignal;
};

/** Why a request has no answer, in one line. What was to be changed may have been, unless it cannot have arrived. */
export function noAnswer(error: unknown, { base, reads, within, signal }: Asked): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const causes = cause instanceof Error ? [cause] : [];
  const code = errorCode(causes);
  const tls = tlsFailure(code, causes, TLS_NAMES)?.message;
  const maybeDone = reads || tls !== undefined || NOT_CONNECTED.test(code) ? "" : MAYBE_DONE;
  if (signal.aborted) return interruptedBy({ signal }) + maybeDone;
  if (cause instanceof Error && cause.name === "TimeoutError")
    return `no answer from ${base} within ${within / SECOND} s${maybeDone}`;
  if (maybeDone !== "")
    return `the answer of ${base} did not arrive (${messageOf(cause)})${maybeDone}`;
  return `no aggwatch answers at ${base} (${tls ?? messageOf(cause)}). Does it run? --url says where.`;
}

/** What a proxy answers if what is behind it cannot be reached, or does not answer in time. */
export function mayBeProxy({ status }: { readonly status: number }): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** What an answer says that is not of aggwatch. */
export function otherAnswer(
  status: number,
  isJson: boolean,
  { base, reads }: Pick<Asked, "base" | "reads">,
): string {
  if (mayBeProxy({ status })) {
    const maybeDone = reads ? "" : " It may have been done.";
    return `what answers at ${base} is not aggwatch (status ${status}): does a proxy stand there that cannot reach aggwatch?${maybeDone}`;
  }
  if (!isJson) return `${base} is not aggwatch: its reply is not JSON`;
  return `${base} is not aggwatch, or one of another version: status ${status}`;
}

import http from "node:http";
import https from "node:https";
import type { Got, Progress } from "got";
import got, { RequestError, TimeoutError } from "got";
import type { FailureReason, HttpReply } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";
import { linkSignals } from "./linked-signal.ts";

export type Timeouts = {
  /** Name look-up, connecting and the TLS handshake: each may take so long. */
  readonly connectMs: Millis;
  /** From the request being sent to the first byte of the answer. */
  readonly responseMs: Millis;
  /** The whole of it, with the last byte of the body. */
  readonly requestMs: Millis;
};

/** A request with everything on it, as it leaves. */
export type Outgoing = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type SendFailure = {
  readonly reason: FailureReason;
  /** Written by us: an error of the library may repeat the URL or the headers. */
  readonly message: string;
  /** It is sure that no byte of the request reached the server. */
  readonly neverSent: boolean;
};

export type Sender = {
  readonly send: (
    outgoing: Outgoing,
    signal: AbortSignal,
  ) => Promise<Result<HttpReply, SendFailure>>;
  readonly close: () => void;
};

export type SenderOptions = {
  readonly timeouts: Timeouts;
  readonly maxBodyBytes: number;
  readonly connections: number;
  /**
   * Reads keep connections. An action has a fresh one each: on a kept one that the server closes
   * just then, it could not be told whether the action was carried out.
   */
  readonly keepAlive: boolean;
};

/** Makes what puts requests on the wire; a simulated world has its own. */
export type CreateSender = (options: SenderOptions) => Sender;

/** Sends one request, once: no retries, no redirects, and a cap on the decompressed body. */
export function createSender(options: SenderOptions): Sender {
  const agentOptions = { keepAlive: options.keepAlive, maxSockets: options.connections };
  const agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) };
  const client = createClient(agents, options.timeouts);
  return {
    send: (outgoing, signal) => sendCapped(client, outgoing, signal, options.maxBodyBytes),
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function createClient(
  agent: { readonly http: http.Agent; readonly https: https.Agent },
  { connectMs, responseMs, requestMs }: Timeouts,
): Got {
  return got.extend({
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: true,
    headers: { "user-agent": "aggwatch", accept: "application/json" },
    timeout: {
      lookup: connectMs,
      connect: connectMs,
      secureConnect: connectMs,
      response: responseMs,
      request: requestMs,
    },
  });
}

async function sendCapped(
  client: Got,
  outgoing: Outgoing,
  signal: AbortSignal,
  maxBodyBytes: number,
): Promise<Result<HttpReply, SendFailure>> {
  const link = linkSignals(signal);
  let isTooLarge = false;
  // `transferred` counts decompressed bytes, so that a small bomb is cut as well.
  const guard = ({ total, transferred }: Progress) => {
    if (Math.max(total ?? 0, transferred) <= maxBodyBytes) return;
    isTooLarge = true;
    link.abort();
  };
  try {
    const request = client(outgoing.url, {
      method: outgoing.method,
      headers: { ...outgoing.headers },
      signal: link.signal,
      ...(outgoing.body === undefined ? {} : { body: outgoing.body }),
    });
    const response = await request.on("downloadProgress", guard);
    const headers = plainHeaders(response.headers);
    return succeed({ status: response.statusCode, headers, body: response.body });
  } catch (error) {
    if (isTooLarge) {
      const message = `the body is larger than ${maxBodyBytes} bytes`;
      return fail({ reason: "too_large", message, neverSent: false });
    }
    if (signal.aborted)
      return fail({ reason: "cancelled", message: "given up before it ended", neverSent: false });
    return fail(classify(error));
  } finally {
    link.unlink();
  }
}

function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

const BEFORE_SENDING = new Set(["lookup", "connect", "secureConnect"]);
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"]);
const TLS_REFUSED =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|HOSTNAME_MISMATCH)/;
const NOT_HTTP = /^(HPE_|Z_|ERR_ENCODING)/;

/** Puts an error of the library into the closed list of reasons. */
export function classify(error: unknown): SendFailure {
  if (error instanceof TimeoutError) {
    const message = `timed out (${error.event})`;
    return { reason: "timeout", message, neverSent: BEFORE_SENDING.has(error.event) };
  }
  const code = errorCode(error);
  if (NOT_HTTP.test(code))
    return { reason: "malformed", message: `not a valid answer (${code})`, neverSent: false };
  if (NOT_CONNECTED.has(code))
    return { reason: "connect", message: `cannot connect (${code})`, neverSent: true };
  if (TLS_REFUSED.test(code))
    return { reason: "connect", message: `TLS is not trusted (${code})`, neverSent: true };
  if (error instanceof RequestError)
    return { reason: "connect", message: `the connection broke (${code})`, neverSent: false };
  return { reason: "internal", message: "an error while sending", neverSent: false };
}

/** The most telling code of an error or of its causes: the library's own ones say little. */
function errorCode(error: unknown): string {
  const codes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const { code } = current as { readonly code?: unknown };
    if (typeof code === "string") codes.push(code);
    current = current.cause;
  }
  return codes.find((code) => NOT_HTTP.test(code)) ?? codes[0] ?? "no code";
}

import nodeHttp, { type RequestOptions } from "node:http";
import nodeHttps from "node:https";
import type { Socket } from "node:net";
import type { Got, Request, RequestFunction } from "got";
import got from "got";
import type { HttpReply } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";
import { createAgents, type Agents } from "./agents.ts";
import { takeLastLook } from "./last-look.ts";
import { onAbort } from "./linked-signal.ts";
import type { OpenRoute } from "./route.ts";
import { classify, outdatedFailure, SendError, type SendFailure } from "./send-failure.ts";

export type Timeouts = {
  /** Name look-up, connecting and the TLS handshake: each may take so long. */
  readonly connectMs: Millis;
  /** From the request being sent to the first byte of the answer. */
  readonly responseMs: Millis;
  /** The whole request, until the last byte of the body. */
  readonly requestMs: Millis;
};

/** A complete request, as it leaves. */
export type Outgoing = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type Sender = {
  readonly send: (
    outgoing: Outgoing,
    signal: AbortSignal,
    /** Called right before the first byte leaves; returns why it must not leave, or undefined. */
    outdated?: () => string | undefined,
  ) => Promise<Result<HttpReply, SendFailure>>;
  readonly close: () => void;
};

export type SenderOptions = {
  readonly timeouts: Timeouts;
  readonly maxBodyBytes: number;
  readonly connections: number;
  /**
   * Reads keep connections. Each action has a fresh one: if the server closed a kept one just then, the outcome of the
   * action would be unknown.
   */
  readonly keepAlive: boolean;
  /** By default straight to the server, whose certificate a public CA must have signed. */
  readonly route?: OpenRoute | undefined;
};

/** Makes a sender of requests; the simulation has its own. */
export type CreateSender = (options: SenderOptions) => Sender;

/** Sends one request, once: no retries, no redirects, and a cap on the decompressed body. */
export function createSender(options: SenderOptions): Sender {
  const { keepAlive, connections, timeouts, maxBodyBytes, route = {} } = options;
  const newAgents = (): Agents =>
    createAgents({ keepAlive, connections, connectMs: timeouts.connectMs, route });
  const agents = newAgents();
  const client = createClient(agents, timeouts);
  return {
    send: async (outgoing, signal, outdated) => {
      if (outdated === undefined) return await sendCapped(client, outgoing, signal, maxBodyBytes);
      const own = newAgents();
      const heldBack = takeLastLook(own, outdated);
      try {
        const sent = await sendCapped(createClient(own, timeouts), outgoing, signal, maxBodyBytes);
        const problem = heldBack();
        return problem === undefined ? sent : fail(outdatedFailure(problem));
      } finally {
        own.close();
      }
    },
    close: agents.close,
  };
}

function createClient(
  { http, https }: Agents,
  { connectMs, responseMs, requestMs }: Timeouts,
): Got {
  return got.extend({
    agent: { http, https },
    request: requestPlainly,
    // got copies each list for each request.
    retry: { limit: 0, methods: [], statusCodes: [], errorCodes: [] },
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

/**
 * Passes only the options that matter: got gives Node forty, most of them undefined, and Node copies all of them three
 * times. The agent has the TLS options.
 */
const requestPlainly: RequestFunction = (url, { agent, method, headers }, callback) => {
  const { protocol, port, pathname, search } = url;
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const options = {
    protocol,
    hostname,
    port,
    path: `${pathname}${search}`,
    agent,
    method,
    headers,
  };
  return (protocol === "https:" ? nodeHttps : nodeHttp).request(
    options as RequestOptions,
    callback,
  );
};

async function sendCapped(
  client: Got,
  { method, url, headers, body }: Outgoing,
  signal: AbortSignal,
  maxBodyBytes: number,
): Promise<Result<HttpReply, SendFailure>> {
  if (signal.aborted) return fail(GIVEN_UP);
  const request = client.stream(url, { method, headers, body });
  // Otherwise got would wait for a body.
  if (body === undefined && method !== "GET") request.end();
  const unfollow = onAbort(signal, () => request.destroy());
  let isTooLarge = false;
  // `transferred` counts decompressed bytes, so that this also stops a decompression bomb.
  request.on("downloadProgress", ({ total, transferred }) => {
    if (Math.max(total ?? 0, transferred) <= maxBodyBytes) return;
    isTooLarge = true;
    request.destroy();
  });
  try {
    return succeed(await receive(request));
  } catch (error) {
    const failure = isTooLarge
      ? tooLarge(maxBodyBytes)
      : signal.aborted
        ? GIVEN_UP
        : classify(error);
    const { response } = request;
    return fail(response === undefined ? failure : { ...failure, ...headOf(response) });
  } finally {
    unfollow();
  }
}

function tooLarge(maxBodyBytes: number): SendFailure {
  const message = `the body is larger than ${maxBodyBytes} bytes`;
  return { reason: "too_large", message, neverSent: false };
}

const GIVEN_UP: SendFailure = {
  reason: "cancelled",
  message: "given up before it ended",
  neverSent: false,
};

const SWITCHED: SendFailure = {
  reason: "malformed",
  message: "the server switches to another protocol (status 101)",
  neverSent: false,
};

const utf8 = new TextDecoder();

/**
 * Collects the answer to a request; rejects if that does not end. Of got's two ways this is the stream, not the
 * promise. V8 allocates in the old space each function that is written straight into a property. got's promise has
 * three of them, which lead to the answer, and each stream of Node's has one, which leads to its listeners: what they
 * hold is kept until the next major garbage collection, so they hold nothing once it has ended. To destroy it then
 * would write one more such function, and end nothing: got has ended its timers.
 */
function receive(request: Request): Promise<HttpReply> {
  let waiting: PromiseWithResolvers<HttpReply> | undefined = Promise.withResolvers();
  const { promise } = waiting;
  let head: Omit<HttpReply, "body"> | undefined;
  const chunks: Uint8Array[] = [];
  request.on("response", (response) => {
    head = headOf(response);
  });
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  request.on("end", () => {
    const body = utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    chunks.length = 0;
    if (head === undefined) return;
    waiting?.resolve({ ...head, body });
    waiting = undefined;
  });
  const failed = (error: Error): void => {
    waiting?.reject(error);
    waiting = undefined;
  };
  request.on("error", failed);
  // Node gives such a connection away, so nothing else closes it, or listens for its error.
  request.on("upgrade", (_: unknown, socket: Socket) => {
    socket.destroy();
    failed(new SendError(SWITCHED));
    request.destroy();
  });
  request.on("close", () => {
    if (waiting !== undefined) failed(new Error("closed before it ended"));
  });
  return promise;
}

function headOf({
  statusCode,
  headers,
}: {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): Pick<HttpReply, "status" | "headers"> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  return { status: statusCode, headers: plain };
}

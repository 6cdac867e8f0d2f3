import { joinUrl, parseBaseUrl } from "../../aggregator/base-url.ts";
import type { HttpReply, HttpRequest, Purpose } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Clock, Instant } from "../../domain/time.ts";
import type { CredentialHeaders, OpenCredential } from "../http/credentials.ts";
import { credentialHeaders } from "../http/credentials.ts";
import type { CreateSender, Outgoing, Sender, Timeouts } from "../http/http-send.ts";
import { createSender } from "../http/http-send.ts";
import type { OpenRoute } from "../http/route.ts";
import { outdatedFailure, type SendFailure } from "../http/send-failure.ts";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { gateProblem } from "./last-gate.ts";
import type { Limiter } from "./limiter.ts";
import type { Rate, SlotOptions } from "./slots.ts";
import { NoSlotError, PRIORITY } from "./slots.ts";

export type SenderSettings = {
  readonly baseUrl: string;
  readonly auth: Readonly<Record<Purpose, OpenCredential>>;
  /** The same for reads and actions. */
  readonly route?: OpenRoute;
  readonly rate: Rate;
  readonly timeouts: Timeouts;
  /** Of the decompressed body. */
  readonly maxBodyBytes: number;
};

export type SendOptions = SlotOptions & {
  readonly purpose: Purpose;
  /** Of a read: the same for all its tries. */
  readonly read?: symbol | undefined;
  /** Called when the request leaves, after its wait for a slot. */
  readonly onSent?: ((at: Instant) => void) | undefined;
  /** Called when it has a slot and when it is connected; returns why it must not leave any more, or undefined. */
  readonly outdated?: (() => string | undefined) | undefined;
};

export type RequestSender = {
  /** Sends one request once, when a slot is free and the gate lets it pass. Never throws. */
  readonly send: (
    request: HttpRequest,
    options: SendOptions,
  ) => Promise<Result<HttpReply, SendFailure>>;
  /** Knows the credentials, as an answer may repeat them. */
  readonly redactor: Redactor;
  readonly close: () => void;
};

/** A poll of a paused endpoint: it is not sent. */
export const PAUSED: SendFailure = { reason: "cancelled", message: "paused", neverSent: true };

/**
 * Puts the purpose's credential on requests to one aggregator, asks the gate, waits for a slot, and sends.
 * Settings that cannot be used throw: the config checks them first, with `senderProblems`.
 */
export function createRequestSender(
  settings: SenderSettings,
  limiter: Limiter,
  clock: Clock,
  newSender: CreateSender = createSender,
  redactor: Redactor = createRedactor(),
): RequestSender {
  const target = targetOf(settings);
  if (!target.ok) throw new Error(target.problem.map(({ message }) => message).join("; "));
  const { base, credentials } = target.value;
  redactor.learn([...credentials.read.secrets, ...credentials.act.secrets]);
  const { timeouts, maxBodyBytes, rate, route } = settings;
  const limits = { timeouts, maxBodyBytes, connections: rate.concurrency, route };
  const senders: Readonly<Record<Purpose, Sender>> = {
    read: newSender({ ...limits, keepAlive: true }),
    act: newSender({ ...limits, keepAlive: false }),
  };
  const isPaused = ({ priority, endpoint = "" }: SendOptions): boolean =>
    priority === PRIORITY.poll && clock.now() < (limiter.pausedUntil(endpoint) ?? -Infinity);
  return {
    send: async (request, options) => {
      const { purpose, endpoint, read, signal, outdated } = options;
      const outgoing = prepare(request, base, credentials[purpose], purpose);
      if (!outgoing.ok) return outgoing;
      if (isPaused(options)) return fail(PAUSED);
      let hasStarted = false;
      const task = async (): Promise<Result<HttpReply, SendFailure>> => {
        // What was sent meanwhile may have met a rate limit.
        if (isPaused(options)) return fail(PAUSED);
        const problem = outdated?.();
        if (problem !== undefined) return fail(outdatedFailure(problem));
        hasStarted = true;
        const sentAt = clock.now();
        options.onSent?.(sentAt);
        const sent = await senders[purpose].send(outgoing.value, signal, outdated);
        limiter.learn(sent, { endpoint, sentAt, read });
        return sent;
      };
      try {
        return await limiter.run(task, options);
      } catch (error) {
        return fail(failureOf(error, hasStarted, signal.aborted));
      }
    },
    redactor,
    close: () => {
      senders.read.close();
      senders.act.close();
    },
  };
}

type Target = {
  readonly base: URL;
  readonly credentials: Readonly<Record<Purpose, CredentialHeaders>>;
};

type SettingProblem = { readonly path: readonly string[]; readonly message: string };

function targetOf({
  baseUrl,
  auth,
}: Pick<SenderSettings, "baseUrl" | "auth">): Result<Target, readonly SettingProblem[]> {
  const base = parseBaseUrl(baseUrl);
  const read = credentialHeaders(auth.read);
  const act = credentialHeaders(auth.act);
  if (base.ok && read.ok && act.ok)
    return succeed({ base: base.value, credentials: { read: read.value, act: act.value } });
  const checks = [
    { path: ["base_url"], result: base },
    { path: ["auth", "read"], result: read },
    { path: ["auth", "act"], result: act },
  ];
  return fail(
    checks.flatMap(({ path, result }) =>
      result.ok ? [] : [{ path, message: `${path.join(".")}: ${result.problem}` }],
    ),
  );
}

/**
 * What keeps settings from being used, for the config's own report: `createRequestSender` would throw. The
 * path is in the keys of an aggregator's settings; no message repeats a value.
 */
export function senderProblems(
  settings: Pick<SenderSettings, "baseUrl" | "auth">,
): readonly SettingProblem[] {
  const target = targetOf(settings);
  return target.ok ? [] : target.problem;
}

function failureOf(error: unknown, hasStarted: boolean, isAborted: boolean): SendFailure {
  // Before the task, the limiter rejects for the longest wait and the signal alone.
  if (error instanceof NoSlotError) return outdatedFailure("no slot was free in time");
  if (!hasStarted)
    return { reason: "cancelled", message: "given up before it was sent", neverSent: true };
  if (isAborted)
    return { reason: "cancelled", message: "given up before it ended", neverSent: false };
  const name = error instanceof Error ? error.name : "unknown";
  return { reason: "internal", message: `a bug while sending (${name})`, neverSent: false };
}

/** Puts everything on a request, and asks the gate whether it may leave. */
function prepare(
  request: HttpRequest,
  base: URL,
  credential: CredentialHeaders,
  purpose: Purpose,
): Result<Outgoing, SendFailure> {
  const url = joinUrl(base, request.path, request.query);
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) own[name.toLowerCase()] = value;
  const hasBody = request.body !== undefined;
  const headers = {
    ...(hasBody ? { "content-type": "application/json" } : {}),
    ...own,
    ...credential.headers,
  };
  const problem = gateProblem({ ...request, headers, url }, base, purpose);
  if (problem !== undefined)
    return fail({ reason: "internal", message: `refused: ${problem}`, neverSent: true });
  return succeed({
    method: request.method as Outgoing["method"],
    url,
    headers,
    body: hasBody ? JSON.stringify(request.body) : undefined,
  });
}

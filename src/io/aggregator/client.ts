import { joinUrl, parseBaseUrl } from "../../aggregator/base-url.ts";
import { fullPace, paceAfter, pressureOf } from "../../aggregator/pace.ts";
import type { HttpReply, HttpRequest, Purpose } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import type { Auth, Credential } from "../http/credentials.ts";
import { credentialOf, redactor } from "../http/credentials.ts";
import type { CreateSender, Outgoing, Sender, SendFailure, Timeouts } from "../http/http-send.ts";
import { createSender } from "../http/http-send.ts";
import { gateProblem } from "./last-gate.ts";
import { linkSignals } from "../http/linked-signal.ts";
import type { Limiter, Priority, Rate } from "../http/limiter.ts";
import { createLimiter } from "../http/limiter.ts";

export type ClientSettings = {
  readonly baseUrl: string;
  readonly auth: Readonly<Record<Purpose, Auth>>;
  readonly rate: Rate;
  readonly timeouts: Timeouts;
  /** Of the decompressed body. */
  readonly maxBodyBytes: number;
};

export type Turn = {
  readonly priority: Priority;
  /** The endpoint of a poll: one request to each may be under way, however pressed the aggregator is. */
  readonly kind?: string;
  /** Called when the request really leaves. */
  readonly onSent: (at: Instant) => void;
  /** Not sent at all if its turn does not come within this time. */
  readonly waitAtMostMs?: Millis;
  /** Asked right before it would leave: true, and it is not sent after all. */
  readonly isHeldBack?: () => boolean;
  /** Called with the answer before anything else gets its turn. */
  readonly onReply?: (reply: HttpReply) => void;
};

export type Client = {
  /** Sends one request once, when its turn comes and the gate lets it pass. Never throws. */
  readonly carry: (
    purpose: Purpose,
    request: HttpRequest,
    signal: AbortSignal,
    turn: Turn,
  ) => Promise<Sent>;
  /** The most polls at once: the setting, or less while the aggregator is pressed. */
  readonly pollLimit: () => number;
  /** Takes the credentials out of a text for people. */
  readonly redact: (text: string) => string;
  /** Aborted by `close`. */
  readonly closed: AbortSignal;
  readonly close: () => void;
};

type Sent = Result<HttpReply, SendFailure>;

const HELD_BACK = { reason: "cancelled", message: "held back", neverSent: true } as const;

/**
 * Carries requests to one aggregator: puts the purpose's credential on them, asks the gate, waits for
 * a turn, and sends. Settings that cannot be used throw: the config checks them first, with
 * `parseBaseUrl` and `credentialOf`.
 */
export function createClient(
  settings: ClientSettings,
  clock: Clock,
  newSender: CreateSender = createSender,
): Client {
  const base = demand(parseBaseUrl(settings.baseUrl), "base_url");
  const credentials: Readonly<Record<Purpose, Credential>> = {
    read: demand(credentialOf(settings.auth.read), "auth.read"),
    act: demand(credentialOf(settings.auth.act), "auth.act"),
  };
  const { timeouts, maxBodyBytes, rate } = settings;
  const limits = { timeouts, maxBodyBytes, connections: rate.concurrency };
  const senders: Readonly<Record<Purpose, Sender>> = {
    read: newSender({ ...limits, keepAlive: true }),
    act: newSender({ ...limits, keepAlive: false }),
  };
  const limiter = createLimiter(rate);
  const pacing = createPacing(limiter, rate.concurrency, clock);
  const closing = new AbortController();
  return {
    carry: async (purpose, request, signal, turn) => {
      const outgoing = prepare(request, base, credentials[purpose], purpose);
      if (!outgoing.ok) return outgoing;
      const givenUp = linkSignals(signal, closing.signal);
      // Aborted only before it is sent, as the timer is cleared then.
      const timer =
        turn.waitAtMostMs === undefined ? undefined : setTimeout(givenUp.abort, turn.waitAtMostMs);
      let hasStarted = false;
      const task = async (): Promise<Sent> => {
        if (turn.isHeldBack?.() === true) return fail(HELD_BACK);
        hasStarted = true;
        clearTimeout(timer);
        const sentAt = clock.now();
        turn.onSent(sentAt);
        const sent = await senders[purpose].send(outgoing.value, givenUp.signal);
        pacing.learn(sent, sentAt);
        if (sent.ok) turn.onReply?.(sent.value);
        return sent;
      };
      try {
        return await limiter.run(task, { ...turn, signal: givenUp.signal });
      } catch (error) {
        return fail(describe(error, hasStarted, givenUp.signal.aborted));
      } finally {
        clearTimeout(timer);
        givenUp.unlink();
      }
    },
    pollLimit: pacing.limit,
    redact: redactor([...credentials.read.secrets, ...credentials.act.secrets]),
    closed: closing.signal,
    close: () => {
      closing.abort();
      senders.read.close();
      senders.act.close();
    },
  };
}

/** Sets the limiter's limit of polls by how the answers come. */
function createPacing(
  limiter: Limiter,
  most: number,
  clock: Clock,
): { readonly learn: (sent: Sent, sentAt: Instant) => void; readonly limit: () => number } {
  let pace = fullPace(most);
  return {
    learn: (sent, sentAt) => {
      const pressure = pressureOf(sent.ok ? sent.value : sent.problem);
      pace = paceAfter(pace, pressure, sentAt, clock.now(), most);
      limiter.limitPolls(pace.limit);
    },
    limit: () => Math.floor(pace.limit),
  };
}

/**
 * What keeps settings from being used, for the config's own report: `createClient` would throw. The
 * path is in the keys of an aggregator's settings; no message repeats a value.
 */
export function clientProblems(
  settings: Pick<ClientSettings, "baseUrl" | "auth">,
): ReadonlyArray<{ readonly path: readonly string[]; readonly message: string }> {
  const checks = [
    { path: ["base_url"], result: parseBaseUrl(settings.baseUrl) },
    { path: ["auth", "read"], result: credentialOf(settings.auth.read) },
    { path: ["auth", "act"], result: credentialOf(settings.auth.act) },
  ];
  return checks.flatMap(({ path, result }) =>
    result.ok ? [] : [{ path, message: `${path.join(".")}: ${result.problem}` }],
  );
}

function demand<Value>(result: Result<Value, string>, setting: string): Value {
  if (result.ok) return result.value;
  throw new Error(`${setting} ${result.problem}`);
}

function describe(error: unknown, hasStarted: boolean, isGivenUp: boolean): SendFailure {
  const neverSent = !hasStarted;
  if (isGivenUp) {
    const message = hasStarted ? "given up before it ended" : "given up before it was sent";
    return { reason: "cancelled", message, neverSent };
  }
  const name = error instanceof Error ? error.name : "unknown";
  return { reason: "internal", message: `a bug while sending (${name})`, neverSent };
}

/** Puts everything on a request, and asks the gate whether it may leave. */
function prepare(
  request: HttpRequest,
  base: URL,
  credential: Credential,
  purpose: Purpose,
): Result<Outgoing, SendFailure> {
  const url = joinUrl(base, request.path, request.query);
  const problem = gateProblem(request.method, url, base, purpose);
  if (problem !== undefined)
    return fail({ reason: "internal", message: `refused: ${problem}`, neverSent: true });
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) own[name.toLowerCase()] = value;
  const hasBody = request.body !== undefined;
  return succeed({
    method: request.method as Outgoing["method"],
    url,
    headers: {
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...own,
      ...credential.headers,
    },
    body: hasBody ? JSON.stringify(request.body) : undefined,
  });
}

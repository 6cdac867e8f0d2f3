import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { WireProfile } from "../../aggregator/profile.ts";
import { buildRequest } from "../../aggregator/request.ts";
import type { ActionCall, ActionReply } from "../../domain/action.ts";
import type { DoubtReason } from "../../domain/observation.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import { MINUTE } from "../../domain/time.ts";
import type { CreateSender } from "../http/http-send.ts";
import { linkSignals } from "../http/linked-signal.ts";
import type { Retries } from "../http/read-retry.ts";
import type { Redactor } from "../redact/redactor.ts";
import { outcomeOf } from "./act-outcome.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import { PRIORITY } from "./slots.ts";
import { createReader, type Reader } from "./reader.ts";
import type { KeepReply } from "./send-read.ts";
import type { RequestSender, SenderSettings, SendOptions } from "./request-sender.ts";
import { createRequestSender } from "./request-sender.ts";

export type ClientSettings = SenderSettings & {
  readonly retries: Retries;
  /** The longest pause of an endpoint after a 429 or 503, whatever `Retry-After` says. */
  readonly longestPauseMs: Millis;
  /** Sends `If-None-Match` if there was an `ETag`. */
  readonly conditionalReads: boolean;
};

/** Everything but the base URL has a default; the figures are those of docs/aggregator.md. */
export const DEFAULT_CLIENT_SETTINGS = {
  auth: { read: { type: "none" }, act: { type: "none" } },
  rate: { requestsPerSecond: 50, concurrency: 16 },
  timeouts: { connectMs: 3_000, responseMs: 8_000, requestMs: 10_000 },
  maxBodyBytes: 5_000_000,
  retries: { limit: 2, firstDelayMs: 250, longestDelayMs: 5_000 },
  longestPauseMs: 5 * MINUTE,
  conditionalReads: true,
} as const satisfies Omit<ClientSettings, "baseUrl">;

export type ActOptions = Pick<SendOptions, "signal" | "outdated">;

/** The only way by which aggwatch reaches an aggregator. */
export type Client = Reader & {
  /** Sends an action, once. Never throws, and never sends again. */
  readonly act: (call: ActionCall, options: ActOptions) => Promise<ActionReply>;
  /** Until when the endpoint is not to be polled; it may be in the past, and undefined if there is no pause. */
  readonly pausedUntil: (endpoint: ReadEndpoint) => Instant | undefined;
  readonly redactor: Redactor;
  /** Whether a doubt of this reason is to be ignored in the endpoint's replies (`wire.<endpoint>.ignore`). */
  readonly ignores: (endpoint: ReadEndpoint, reason: DoubtReason) => boolean;
  /** Whether some endpoint is paused now. */
  readonly isPaused: () => boolean;
  /** The most polls at once: by the setting, or less while the aggregator is pressed. */
  readonly pollLimit: () => number;
  /** Bounds what is sent to the aggregator: a client that takes the place of this one goes on with it. */
  readonly limiter: Limiter;
  /** Gives up requests under way, and closes the connections. */
  readonly close: () => void;
};

/** An action that got no slot within this time is not sent, because its reason grows old. */
const ACTION_WAITS_AT_MOST_MS = 5_000;

export type ClientParts = {
  readonly settings: ClientSettings;
  readonly profile: WireProfile;
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
  /** Makes the sender of requests; by default that is got. */
  readonly createSender?: CreateSender;
  /** Knows the secrets of all settings; by default those of this client alone. */
  readonly redactor?: Redactor | undefined;
  /** Whether its owner's lease has run out, so that another replica may send in its place. */
  readonly isCutOff?: (() => boolean) | undefined;
  /** Given each reply to a read that has a body. */
  readonly keepReply?: KeepReply | undefined;
  /** Without it, nothing has been sent to the aggregator yet. */
  readonly limiter?: Limiter | undefined;
};

/** Makes a client of one aggregator. Throws as `createRequestSender` does. */
export function createClient(parts: ClientParts): Client {
  const { settings, clock, createSender, redactor, isCutOff } = parts;
  const { longestPauseMs } = settings;
  const { limiter = createLimiter(settings.rate, { clock, longestPauseMs, isCutOff }) } = parts;
  const sender = createRequestSender(settings, limiter, clock, createSender, redactor);
  const closing = new AbortController();
  return {
    ...createReader({ ...parts, sender, limiter, closed: closing.signal }),
    act: async (call, { signal, outdated }) => {
      const link = linkSignals(signal, closing.signal);
      try {
        return await actOnce(call, { signal: link.signal, outdated }, sender, parts);
      } catch (error) {
        // The action may have been sent before the exception.
        const what = error instanceof Error ? error.name : "unknown";
        return { outcome: "in_doubt", detail: `internal: a bug while acting (${what})` };
      } finally {
        link.unlink();
      }
    },
    redactor: sender.redactor,
    ignores: (endpoint, reason) => parts.profile[endpoint].ignore.includes(reason),
    pausedUntil: limiter.pausedUntil,
    isPaused: limiter.isPaused,
    pollLimit: limiter.pollLimit,
    limiter,
    close: () => {
      closing.abort();
      sender.close();
    },
  };
}

async function actOnce(
  { endpoint, args }: ActionCall,
  { signal, outdated }: ActOptions,
  { send, redactor: { redact } }: RequestSender,
  { profile, clock }: ClientParts,
): Promise<ActionReply> {
  const request = buildRequest(profile, endpoint, args);
  if (!request.ok)
    return { outcome: "rejected", detail: `never sent: ${redact(request.problem.message)}` };
  const sent = await send(request.value, {
    purpose: "act",
    priority: PRIORITY.act,
    signal,
    outdated,
    waitAtMostMs: ACTION_WAITS_AT_MOST_MS,
  });
  const { success } = profile[endpoint];
  const { outcome, detail } = outcomeOf(sent, success, clock.now(), redact);
  return { outcome, detail: redact(detail).slice(0, 400) };
}

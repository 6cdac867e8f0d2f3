import type { WireProfile } from "../../aggregator/profile.ts";
import { buildRequest } from "../../aggregator/request.ts";
import type { ActionCall, ActionReply } from "../../domain/action.ts";
import type { Clock, Millis } from "../../domain/time.ts";
import { MINUTE } from "../../domain/time.ts";
import { outcomeOf } from "./act-outcome.ts";
import type { KeepReply } from "./ask.ts";
import type { ClientSettings } from "./client.ts";
import { createClient } from "./client.ts";
import type { CreateSender } from "../http/http-send.ts";
import { PRIORITY } from "../http/limiter.ts";
import type { Reader } from "./reader.ts";
import { createReader } from "./reader.ts";
import type { Retries } from "../http/read-retry.ts";

export type { Read } from "./read-answer.ts";
export type { ReadOptions } from "./ask.ts";
export type { Unchanged } from "./reader.ts";

export type TransportSettings = ClientSettings & {
  readonly retries: Retries;
  /** `Retry-After` is not heeded for longer. */
  readonly longestPauseMs: Millis;
  /** Sends `If-None-Match` where there was an `ETag`. */
  readonly conditionalReads: boolean;
};

/** Everything but the base URL has a default; the figures are those of docs/aggregator.md. */
export const DEFAULT_TRANSPORT = {
  auth: { read: { type: "none" }, act: { type: "none" } },
  rate: { requestsPerSecond: 50, concurrency: 16 },
  timeouts: { connectMs: 3_000, responseMs: 8_000, requestMs: 10_000 },
  maxBodyBytes: 5_000_000,
  retries: { limit: 2, firstDelayMs: 250, longestDelayMs: 5_000 },
  longestPauseMs: 5 * MINUTE,
  conditionalReads: true,
} as const satisfies Omit<TransportSettings, "baseUrl">;

export type Transport = Reader & {
  /** Sends an action, once. Never throws, and never sends again. */
  readonly act: (
    call: ActionCall,
    options: { readonly signal: AbortSignal },
  ) => Promise<ActionReply>;
  /** The most polls at once: the setting, or less while the aggregator is pressed. */
  readonly pollLimit: () => number;
  /** Gives up what is under way, and closes the connections. */
  readonly close: () => void;
};

/** An action whose turn has not come by then is not sent: what justified it grows old. */
const ACTION_WAITS_AT_MOST_MS = 5_000;

export type TransportParts = {
  readonly settings: TransportSettings;
  readonly profile: WireProfile;
  readonly clock: Clock;
  /** Of 0 to less than 1; for the jitter. */
  readonly random: () => number;
  /** What puts requests on the wire; by default got does. */
  readonly createSender?: CreateSender;
  /** Given each reply to a read that has a body. */
  readonly keepReply?: KeepReply | undefined;
};

/** Makes the only way by which aggwatch reaches an aggregator. Throws as `createClient` does. */
export function createTransport(parts: TransportParts): Transport {
  const { settings, profile, clock, random, createSender, keepReply } = parts;
  const client = createClient(settings, clock, createSender);
  const { redact } = client;
  const { retries, longestPauseMs, conditionalReads } = settings;
  const reading = { retries, longestPauseMs, conditionalReads, profile, clock, random, keepReply };
  return {
    ...createReader({ client, ...reading }),
    act: async (call, { signal }) => {
      const request = buildRequest(profile, call.endpoint, call.args);
      if (!request.ok)
        return { outcome: "rejected", detail: `never sent: ${redact(request.problem.message)}` };
      const sent = await client.carry("act", request.value, signal, {
        priority: PRIORITY.act,
        onSent: () => undefined,
        waitAtMostMs: ACTION_WAITS_AT_MOST_MS,
      });
      const success = profile[call.endpoint].success;
      const { outcome, detail } = outcomeOf(sent, success, clock.now(), redact);
      return { outcome, detail: redact(detail).slice(0, 400) };
    },
    pollLimit: client.pollLimit,
    close: client.close,
  };
}

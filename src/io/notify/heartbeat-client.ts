import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";
import type { CreateSender } from "../http/http-send.ts";
import type { OpenRoute } from "../http/route.ts";

/** The URL to ping, and how long an answer may take. */
export type HeartbeatTarget = {
  /** A secret. No message repeats it. */
  readonly url: string;
  readonly route?: OpenRoute;
  readonly timeoutMs: Millis;
};

/** Pings a dead man's switch, with a sender of its own, which has no aggregator's credentials. */
export type HeartbeatClient = {
  /** Pings once, without a retry. The problem is the answer's status, or why there is none. Never rejects. */
  readonly ping: () => Promise<Result<void, string>>;
  readonly close: () => void;
};

/** Of the answer's body only these words are used. */
const MOST_BYTES = 64 * 1_024;
/** healthchecks.io answers 200 to a ping of a check that is gone, and to one that it ignores. */
const IGNORED = /^OK \((?:not found|rate limited)\)\s*$/;

export function createHeartbeatClient(
  { url, route, timeoutMs }: HeartbeatTarget,
  createSender: CreateSender,
): HeartbeatClient {
  const closing = new AbortController();
  const sender = createSender({
    timeouts: { connectMs: timeoutMs, responseMs: timeoutMs, requestMs: timeoutMs },
    maxBodyBytes: MOST_BYTES,
    connections: 1,
    // A connection that was idle for a minute has probably been closed when it is used.
    keepAlive: false,
    route,
  });
  const request = { method: "GET", url: new URL(url), headers: {}, body: undefined } as const;
  return {
    ping: async () => {
      const reply = await sender.send(request, closing.signal);
      // The status is the answer, whatever becomes of the body.
      if (!reply.ok && reply.problem.status === undefined) return fail(reply.problem.message);
      const { status = 0 } = reply.ok ? reply.value : reply.problem;
      if (status < 200 || status >= 300) return fail(`answered with status ${status}`);
      return reply.ok && IGNORED.test(reply.value.body)
        ? fail(`answered: ${reply.value.body.trim()}`)
        : succeed(undefined);
    },
    close: () => {
      closing.abort();
      sender.close();
    },
  };
}

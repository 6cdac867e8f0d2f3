import { Buffer } from "node:buffer";
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import type { Scope, Token } from "../../config/settings/tokens.ts";
import { MINUTE, SECOND, type Clock, type Instant } from "../../domain/time.ts";

/**
 * Allows a call, or says why not. A presented token is never shown or logged. It is kept for a minute, only as a
 * digest under a key of this process.
 */
export type TokenGate = {
  /** If there is a tokens file; without one every writing call is refused. */
  readonly isEnabled: () => boolean;
  readonly check: (authorization: string | undefined, scope: Scope, client: string) => Verdict;
};

export type Verdict =
  | { readonly allowed: true; readonly name: string }
  | {
      readonly allowed: false;
      readonly status: 401 | 403 | 429;
      readonly reason: string;
      readonly retryAfterSeconds?: number;
    };

/** The variable of a request that holds the token's name, once the gate has allowed it. */
export type Operator = { readonly Variables: { readonly operator: string } };

/** After this many different wrong tokens within a minute, an address has to wait for the rest of it. */
export const MOST_FAILURES = 10;
const FAILURE_WINDOW = MINUTE;
/** Addresses that are remembered; the one that failed longest ago goes first. */
export const MOST_CLIENTS = 1_000;

export const HOW_TO_ENABLE =
  "writing calls are off, as there is no tokens file: set server.tokens_file in the config (docs/operations.md says how)";

/** `tokens` returns those in force; undefined if there is no tokens file. */
export function createTokenGate(options: {
  readonly tokens: () => readonly Token[] | undefined;
  readonly clock: Clock;
  /** Called at every refusal but those of an address that has to wait. */
  readonly onRefused: (client: string, reason: string) => void;
}): TokenGate {
  const key = randomBytes(32);
  const failures = new Map<string, { since: Instant; tried: Set<string> }>();
  // A program that keeps sending one outdated token must not make a person at the same address wait: only
  // different tokens count, as guessing takes many.
  const fail = (client: string, presented: string): void => {
    const at = options.clock.now();
    const known = failures.get(client);
    failures.delete(client);
    const isRecent = known !== undefined && at - known.since < FAILURE_WINDOW;
    const record = isRecent ? known : { since: at, tried: new Set<string>() };
    record.tried.add(createHmac("sha256", key).update(presented).digest("base64"));
    failures.set(client, record);
    const [oldest] = failures.keys();
    if (failures.size > MOST_CLIENTS && oldest !== undefined) failures.delete(oldest);
  };
  const waitMs = (client: string): number => {
    const known = failures.get(client);
    if (known === undefined || known.tried.size < MOST_FAILURES) return 0;
    return Math.max(0, known.since + FAILURE_WINDOW - options.clock.now());
  };
  const refuse = (client: string, status: 401 | 403, reason: string): Verdict => {
    options.onRefused(client, reason);
    return { allowed: false, status, reason };
  };
  return {
    isEnabled: () => options.tokens() !== undefined,
    check: (authorization, scope, client) => {
      const tokens = options.tokens();
      if (tokens === undefined) return { allowed: false, status: 403, reason: HOW_TO_ENABLE };
      const rest = waitMs(client);
      if (rest > 0) {
        const reason = "too many different wrong tokens from this address; wait a minute";
        return { allowed: false, status: 429, reason, retryAfterSeconds: Math.ceil(rest / SECOND) };
      }
      const presented = /^Bearer ([\x21-\x7e]{1,1000})$/i.exec(authorization ?? "")?.[1];
      const holder = presented === undefined ? undefined : holderOf(presented, tokens);
      if (holder === undefined) {
        if (presented !== undefined) fail(client, presented);
        const reason = presented === undefined ? "a bearer token is needed" : "unknown token";
        return refuse(client, 401, reason);
      }
      if (holder.scopes.includes(scope)) return { allowed: true, name: holder.name };
      return refuse(client, 403, `the token of ${holder.name} lacks the scope ${scope}`);
    },
  };
}

/** Compares every token and every byte, so that the time it takes does not depend on the tokens. */
function holderOf(presented: string, tokens: readonly Token[]): Token | undefined {
  const digest = createHash("sha256").update(presented).digest();
  let holder: Token | undefined;
  for (const token of tokens) {
    if (timingSafeEqual(digest, Buffer.from(token.sha256, "hex"))) holder = token;
  }
  return holder;
}

/** Lets only those pass whose token has the scope; the holder's name is then in `operator`. */
export function requireScope(gate: TokenGate, scope: Scope): MiddlewareHandler<Operator> {
  return async (context, next) => {
    const verdict = gate.check(context.req.header("authorization"), scope, clientOf(context));
    if (verdict.allowed) {
      context.set("operator", verdict.name);
      await next();
      return;
    }
    if (verdict.status === 401) context.header("WWW-Authenticate", "Bearer");
    if (verdict.retryAfterSeconds !== undefined) {
      context.header("Retry-After", String(verdict.retryAfterSeconds));
    }
    return context.json({ error: verdict.reason }, verdict.status);
  };
}

/** The address of the other end of the socket. Headers that name another are not trusted. */
function clientOf(context: Context): string {
  try {
    return getConnInfo(context).remote.address ?? "unknown";
  } catch {
    // The request did not come over a socket, as in a test.
    return "unknown";
  }
}

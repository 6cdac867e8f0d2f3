import { Buffer } from "node:buffer";
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { allows, type Scope, type Token } from "../../config/settings/tokens.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { MINUTE, SECOND, type Clock, type Instant, type Millis } from "../../domain/time.ts";
import { tokenTooLong } from "../../schema/token-length.ts";
import { clientOf, type Access } from "./access.ts";

/**
 * Allows a call, or says why not. A presented token is never shown or logged. A wrong one is remembered only as a
 * digest under a key of this process.
 */
export type TokenGate = {
  /** Whether there is a tokens file; without one, every writing call is refused. */
  readonly isEnabled: () => boolean;
  readonly check: (authorization: string | undefined, scope: Scope, client: string) => Verdict;
  /** The token's holder and scopes; refused as a call with the token would be. */
  readonly whose: (authorization: string | undefined, client: string) => Held | Refused;
  /** Resolves when a 429 may be answered: after a second, or at once if too many are held back already. */
  readonly holdBack: () => Promise<void>;
};

type Verdict = { readonly allowed: true; readonly name: string } | Refused;

type Held = {
  readonly allowed: true;
  readonly name: string;
  readonly scopes: readonly Scope[];
};

type Refused = {
  readonly allowed: false;
  readonly status: 401 | 403 | 429;
  readonly reason: string;
  readonly retryAfterSeconds?: number;
};

/** The variable of a request that holds the token's name, once the gate has allowed it. */
type Operator = { readonly Variables: { readonly operator: string } };

/**
 * After this many different wrong tokens within a minute, further wrong ones from that address are answered late for
 * the rest of it. A valid token always passes: many people may share the address of a proxy, and `kill` must not wait
 * for a guesser. The length of the tokens is what defeats guessing; the delay only makes it slow and visible.
 */
export const MOST_FAILURES = 10;
/** How long the answer to one more wrong token is held back. */
const HOLD_BACK: Millis = SECOND;
/** The most answers that are held back at the same time: each holds a socket. */
export const MOST_HELD_BACK = 100;
const FAILURE_WINDOW = MINUTE;
/** The most addresses that are remembered; the one that failed longest ago is forgotten first. */
export const MOST_CLIENTS = 1_000;

export const HOW_TO_ENABLE =
  "writing calls are off, because there is no tokens file: set server.tokens_file in the config (docs/operations.md says how)";

/** `tokens` returns those in force; undefined if there is no tokens file. */
export function createTokenGate(options: {
  readonly tokens: () => readonly Token[] | undefined;
  readonly clock: Clock;
  /** Called at every refusal, except a 429 and those without a tokens file. */
  readonly onRefused: (client: string, reason: string) => void;
  /** Default: the system's timer. */
  readonly pause?: (lengthMs: Millis) => Promise<void>;
}): TokenGate {
  const key = randomBytes(32);
  const failures = new Map<string, { since: Instant; tried: Set<string> }>();
  // A program that keeps sending one outdated token must not make a person at the same address wait, so only different
  // tokens count: guessing takes many.
  const noteWrong = (client: string, presented: string): void => {
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
  const refuse = (client: string, status: 401 | 403, reason: string): Refused => {
    options.onRefused(client, reason);
    return { allowed: false, status, reason };
  };
  const whose: TokenGate["whose"] = (authorization, client) => {
    const tokens = options.tokens();
    if (tokens === undefined) return { allowed: false, status: 403, reason: HOW_TO_ENABLE };
    const presented = presentedIn(authorization);
    if (!presented.ok) return refuse(client, 401, presented.problem);
    // Before the wait, so that no number of wrong tokens keeps a right one out.
    const holder = holderOf(presented.value, tokens);
    if (holder !== undefined) return { allowed: true, name: holder.name, scopes: holder.scopes };
    const rest = waitMs(client);
    if (rest > 0) {
      const reason = "too many different wrong tokens from this address, and this one is wrong";
      return { allowed: false, status: 429, reason, retryAfterSeconds: Math.ceil(rest / SECOND) };
    }
    noteWrong(client, presented.value);
    return refuse(client, 401, "unknown token");
  };
  return {
    isEnabled: () => options.tokens() !== undefined,
    whose,
    check: (authorization, scope, client) => {
      const held = whose(authorization, client);
      if (!held.allowed) return held;
      if (allows(held.scopes, scope)) return { allowed: true, name: held.name };
      return refuse(client, 403, `the token of ${held.name} lacks the scope ${scope}`);
    },
    holdBack: createHoldBack(options.pause ?? pauseWithoutHoldingTheProcess),
  };
}

function presentedIn(authorization = ""): Result<string, string> {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1];
  if (token === undefined) return fail("a bearer token is needed");
  const tooLong = tokenTooLong(token);
  return tooLong === undefined
    ? succeed(token)
    : fail(`the token in the header Authorization ${tooLong}`);
}

function createHoldBack(pause: (lengthMs: Millis) => Promise<void>): TokenGate["holdBack"] {
  let heldBack = 0;
  return async () => {
    if (heldBack >= MOST_HELD_BACK) return;
    heldBack += 1;
    try {
      await pause(HOLD_BACK);
    } finally {
      heldBack -= 1;
    }
  };
}

/** Does not keep the process alive. */
function pauseWithoutHoldingTheProcess(lengthMs: Millis): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, lengthMs).unref();
  });
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

type GateSource = { readonly gate: TokenGate; readonly access: () => Access };

/** Lets a request pass only if its token has the scope, and puts the holder's name into `operator`. */
export function requireScope(
  { gate, access }: GateSource,
  scope: Scope,
): MiddlewareHandler<Operator> {
  return async (context, next) => {
    const client = clientOf(context, access());
    const verdict = gate.check(context.req.header("authorization"), scope, client);
    if (!verdict.allowed) return refusal(context, gate, verdict);
    context.set("operator", verdict.name);
    await next();
    return undefined;
  };
}

/** The name of the tokens in the OpenAPI document. */
const SCHEME = "token";

/** How the OpenAPI document describes tokens. */
export const TOKEN_SCHEME = [
  "securitySchemes",
  SCHEME,
  {
    type: "http",
    scheme: "bearer",
    description: "A token of `server.tokens_file`, with the scope that the call names.",
  },
] as const;

/** What the document says of a call that needs a token, with the scope or any. */
export function neededToken(scope?: Scope): Array<Record<string, string[]>> {
  return [{ [SCHEME]: scope === undefined ? [] : [scope] }];
}

/** The part of a route that lets a request pass only if its token has the scope, and says so in the document. */
export function needsToken(source: GateSource, scope: Scope) {
  const middleware: [MiddlewareHandler<Operator>] = [requireScope(source, scope)];
  return { middleware, security: neededToken(scope) };
}

/** The answer to a refused token; a guesser's comes late. */
export async function refusal(context: Context, gate: TokenGate, refused: Refused) {
  if (refused.status === 401) context.header("WWW-Authenticate", "Bearer");
  if (refused.retryAfterSeconds !== undefined) {
    context.header("Retry-After", String(refused.retryAfterSeconds));
    await gate.holdBack();
  }
  return context.json({ error: refused.reason }, refused.status);
}

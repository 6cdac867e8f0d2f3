import type { Json } from "../../domain/result.ts";

/**
 * The answer of a route, before faults. `effect` makes its change in the world. It is separate, so that a fault can
 * answer without it (a lie), or apply it without an answer.
 */
export type Answer = {
  readonly status: number;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly effect?: () => void;
};

/** Our own codes, as no public client shows any. docs/simulator.md lists them. */
export const CODES = {
  malformed: 1000,
  order_not_found: 1001,
  order_not_cancelable: 1002,
  order_exists: 1003,
  order_refused: 1004,
  exchange_not_found: 2001,
  pair_not_found: 2002,
  already_so: 2003,
  pool_not_found: 3001,
  beyond_reserve: 3002,
  network_refused: 4001,
  already_locked: 4002,
  no_liquidity: 4003,
  lock_not_seen: 4004,
  unauthorized: 9001,
  forbidden: 9003,
  no_such_path: 9004,
  no_such_method: 9005,
  too_large: 9013,
  fault: 9500,
} as const;
type Code = keyof typeof CODES;

export function answer(body: Json, effect?: () => void): Answer {
  return effect === undefined ? { status: 200, body } : { status: 200, body, effect };
}

/** A refusal, with its reason for people. `writeAnswer` adds the `timestamp`. */
export function refuse(status: number, code: Code, reason: string): Answer {
  return { status, body: { error: { code: CODES[code], reason } } };
}

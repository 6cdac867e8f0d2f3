import type { EntityId, Parent } from "./entity.ts";
import { identifierKey } from "./identifier.ts";
import type { Instant } from "./time.ts";

/**
 * Hold: an operator's "leave this alone until T". It stops actions, not alerts. Silence: an operator's
 * "do not notify about this until T". It stops notifications, not actions. Both must end.
 */

/** A field that is left out does not narrow the scope, so the empty scope covers everything. */
export type Scope = {
  readonly aggregator?: string;
  readonly kind?: string;
  /** The entity itself, and those whose parent it is: a pair's exchange, a swap's sender. */
  readonly id?: string;
  readonly rule?: string;
};

/** What is said of a scope that fits nothing; such a hold is mostly a mistake in its spelling. */
export const COVERS_NOTHING = "COVERS NOTHING NOW";

export type Hold = {
  readonly id: string;
  readonly owner: string;
  readonly reason: string;
  readonly scope: Scope;
  readonly from: Instant;
  readonly until: Instant;
  /** The reminder that it ends soon was found. */
  reminded?: boolean;
};

export type Silence = Omit<Hold, "reminded">;

/** What a scope may cover. */
export type Member = EntityId & { readonly parent?: Parent };

export function covers(scope: Scope, rule: string, entity: Member): boolean {
  if (scope.aggregator !== undefined && scope.aggregator !== entity.aggregator) return false;
  if (scope.rule !== undefined && scope.rule !== rule) return false;
  return isWithin(scope, entity) || (entity.parent !== undefined && isWithin(scope, entity.parent));
}

/** Whatever the inner scope covers, the outer one covers too. */
export function includes(outer: Scope, inner: Scope): boolean {
  return (["aggregator", "kind", "id", "rule"] as const).every(
    (key) => outer[key] === undefined || outer[key] === inner[key],
  );
}

function isWithin(scope: Scope, { kind, id }: Parent): boolean {
  if ((scope.kind ?? kind) !== kind) return false;
  // People paste addresses with the capitals of their checksum; entities are named without.
  return scope.id === undefined || scope.id === id || identifierKey(scope.id) === id;
}

/** A scope as people write it: `exchange BINANCE of bsc by rule ExchangeDisabled`, or `everything`. */
export function formatScope({ aggregator, kind, id, rule }: Scope): string {
  const what = kind === undefined && id === undefined ? ["everything"] : [kind, id];
  const parts = [
    ...what,
    ...(aggregator === undefined ? [] : [`of ${aggregator}`]),
    ...(rule === undefined ? [] : [`by rule ${rule}`]),
  ];
  return parts.filter(Boolean).join(" ");
}

import type { Entity } from "./entity.ts";

/**
 * An action is a value: the endpoint it calls, the arguments, and what must be seen afterwards for it
 * to count as done.
 */

export const ACTION_NAMES = ["enable_exchange", "enable_pair", "force_cancel_order"] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

/** Lowest wins among the config's ceiling, the rule, and whatever an operator set. */
export const MODES = ["shadow", "propose", "act"] as const;
export type Mode = (typeof MODES)[number];

export function lowestMode(first: Mode, ...rest: readonly Mode[]): Mode {
  return rest.reduce((low, mode) => (MODES.indexOf(mode) < MODES.indexOf(low) ? mode : low), first);
}

/** The only endpoints that an action can name: it cannot express any other writing call. */
export const ACT_ENDPOINTS = ["enableExchange", "enablePair", "forceCancel"] as const;
export type ActEndpoint = (typeof ACT_ENDPOINTS)[number];

export type ActionCall = {
  readonly endpoint: ActEndpoint;
  readonly args: Readonly<Record<string, string>>;
};

/** `reached`: a reading shows the aim. `open`: it shows that the aim is not reached. `unknown`: it is unsure. */
export type AimVerdict = "reached" | "open" | "unknown";

export type Action = {
  readonly name: ActionName;
  /** The kind of entity it repairs. */
  readonly kind: string;
  readonly means: string;
  /** Cannot be undone: `propose` unless the rule says `act`, and one attempt. */
  readonly irreversible: boolean;
  /** The call for an entity, or undefined if a fact that it needs is missing. */
  readonly call: (entity: Pick<Entity, "id" | "facts">) => ActionCall | undefined;
  /** Judges a fresh, complete reading; `undefined` means that the entity is absent from it. */
  readonly aim: (entity: Pick<Entity, "facts"> | undefined) => AimVerdict;
};

/** How the answer to an action is read. A 200 alone proves nothing, and a time-out disproves nothing. */
export type ActionReply =
  | { readonly outcome: "acknowledged"; readonly detail: string }
  /** Held back, as its evidence was no longer the latest, or grew old without a slot: counts as never tried. */
  | { readonly outcome: "unsent"; readonly detail: string }
  /** The server refused, and changed nothing. */
  | { readonly outcome: "rejected"; readonly detail: string }
  /** It may or may not have been applied. */
  | { readonly outcome: "in_doubt"; readonly detail: string };

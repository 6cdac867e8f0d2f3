import type { Millis } from "../../domain/time.ts";

/** The lease as this replica sees it. Every action is checked against it right before it leaves. */
export type Lease = {
  /** It grows by one with each new owner. */
  readonly epoch: number;
  /** False once it is known that another has it, or that it was given back. */
  readonly held: () => boolean;
  /** How much of it is left, by the steady clock, counted from before the last renewal was sent; 0 if it is not held. */
  readonly leftMs: () => Millis;
};

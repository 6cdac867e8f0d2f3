import type { Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";

/** How long a lease lasts after its renewal, by the database's clock. It is renewed every fifth of that. */
export const LEASE_LASTS: Millis = 15 * SECOND;

/**
 * The lease of one unit, as a row of the database: owner, epoch, and when it was renewed by the database's own clock.
 * It fails if the database could not be asked, or did not answer. It never rejects.
 */
export type LeaseStore = {
  /**
   * Takes it if it is free or has run out; the epoch grows by one. With `isSparing`, one that has run out is left to its
   * owner, and only one that was given back or never held is taken.
   */
  readonly take: (owner: string, isSparing?: boolean) => Promise<Result<LeaseTaken, string>>;
  /**
   * Renews it, even if it has run out, unless it was taken since: then `false`; or the sentence why this replica can no
   * longer have it.
   */
  readonly renew: (owner: string, epoch: number) => Promise<Result<boolean | string, string>>;
  /** Gives it back, so that another can take it at once; the epoch stays. */
  readonly release: (owner: string, epoch: number) => Promise<Result<void, string>>;
};

/** The epoch of the lease, or who holds it instead. */
export type LeaseTaken =
  | { readonly taken: true; readonly epoch: number }
  | {
      readonly taken: false;
      readonly owner: string;
      /** It has run out, and was left to its owner. */
      readonly isSpared?: true;
    };

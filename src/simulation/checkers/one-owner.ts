import type { Checker } from "./checker.ts";

/** Requests are sent, and commits written, only under a lease that lasts long enough. */
export const oneOwner: Checker = {
  invariant: "13 one owner",
  check: (event) => (event.type === "unowned" ? [event.what] : []),
};

/** The requests of all replicas together stay within an aggregator's rate, however units move. */
export const sharedRate: Checker = {
  invariant: "14 shared rate",
  check: (event) => (event.type === "beyond_rate" ? [event.what] : []),
};

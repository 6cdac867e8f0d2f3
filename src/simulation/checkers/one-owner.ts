import type { Checker } from "./checker.ts";

/** Nothing leaves, and nothing is written, but under a lease that lasts long enough. */
export const oneOwner: Checker = {
  invariant: "13 one owner",
  check: (event) => (event.type === "unowned" ? [event.what] : []),
};

/** What replicas ask together stays within the aggregator's rate, however units move. */
export const sharedRate: Checker = {
  invariant: "14 shared rate",
  check: (event) => (event.type === "beyond_rate" ? [event.what] : []),
};

import type { Checker } from "./checker.ts";

/** Nothing leaves, and nothing is written, but under a lease that lasts long enough. */
export const oneOwner: Checker = {
  invariant: "13 one owner",
  check: (event) => (event.type === "unowned" ? [event.what] : []),
};

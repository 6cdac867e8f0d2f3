import { formatInstant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";

/** An exception is a bug: a step never throws. */
export function checkNoBugs(): Checker {
  return {
    invariant: "0 no bugs",
    witness: (seen) =>
      seen.type === "broke"
        ? [`the step of a ${seen.event} event threw at ${formatInstant(seen.at)}: ${seen.error}`]
        : [],
  };
}

import { REDACTED } from "../../domain/wording.ts";

/** A secret that shows itself only where `reveal` is called: never in a log, a page or an error. */
export type Secret = {
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
};

/** The well-known symbol by which `util.inspect` and `console.log` ask how to show a value. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

export function secret(value: string): Secret {
  const shown = () => REDACTED;
  // The value lives in the closure alone, so no walk over properties can reach it.
  return Object.freeze({
    reveal: () => value,
    toString: shown,
    toJSON: shown,
    [INSPECT]: shown,
    [Symbol.toPrimitive]: shown,
  });
}

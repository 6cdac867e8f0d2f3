/**
 * What one evaluation may cost. CEL has no unbounded loops, but a short text can still ask for
 * a great deal: loops over what loops made, a text joined with itself, a pattern over a long text.
 * Costs are charged before the work is done, and what is spent stays spent, whatever catches the
 * error: `||` and `exists` pass over errors, and must not pass over this one.
 */
export type Meter = { left: number };

/** One step is about the work of one comparison. All of them are tens of milliseconds. */
export const MOST_STEPS = 200_000;
/** The longest text and the longest list that an expression may make. */
export const LONGEST_TEXT = 65_536;
export const LONGEST_LIST = 10_000;
/** The longest text that a fact may be for an expression to read it. */
export const LONGEST_FACT = 4_096;
/** What `duration`, `timestamp`, `int` and `double` read is never longer. */
export const LONGEST_LITERAL = 64;
/** How long a pattern may be, and how large the automaton that it is compiled to. */
export const LONGEST_PATTERN = 200;
export const LARGEST_PATTERN_PROGRAM = 300;

const reasons = new WeakSet();

/**
 * An error whose message is the reason why a condition is unknown. It is made once and thrown often:
 * to make an error with its trace costs more than a whole evaluation.
 */
export function reasonError(reason: string): Error {
  const error = new Error(reason);
  reasons.add(error);
  return error;
}

export function isReason(error: unknown): error is Error {
  return error instanceof Error && reasons.has(error);
}

export const TOO_COSTLY = reasonError("the expression takes more work than it may");
const TOO_LONG = reasonError("the expression makes a text or a list that is too long");
export const TOO_LONG_TO_READ = reasonError("a text is too long to be a number or a time");
export const NO_INSTANT = reasonError("the expression reaches beyond the end of time");

export const NO_NUMBER = reasonError("the expression calculates what is no number, such as 0 / 0");

/** Takes `steps` from what is left, or throws. */
export function charge(meter: Meter, steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) {
    meter.left = -1;
    throw TOO_COSTLY;
  }
}

/** What it costs to read a value as a whole, lists within lists and all. */
export function chargeValue(meter: Meter, value: unknown): void {
  if (typeof value === "string") charge(meter, 1 + (value.length >> 4));
  else if (Array.isArray(value)) {
    charge(meter, 1 + value.length);
    for (const item of value) if (typeof item === "object") chargeValue(meter, item);
  } else if (isPlainObject(value)) {
    const items = Object.values(value);
    charge(meter, 1 + items.length);
    for (const item of items) chargeValue(meter, item);
  } else charge(meter, 1);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value?.constructor === Object;
}

/** How long a text or a list is; 0 for everything else. */
export function lengthOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

/** Refuses a length before the value is made. */
export function limitLength(kind: "text" | "list", length: number): void {
  if (length > (kind === "text" ? LONGEST_TEXT : LONGEST_LIST)) throw TOO_LONG;
}

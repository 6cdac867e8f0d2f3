import { z } from "zod";
import { parseInstant, type Instant } from "../../domain/time.ts";
import { INSTANT_UNITS, type Decoder, type InstantUnit } from "./decode.ts";
import { amount } from "./fields.ts";

/** Instants as deployments write them. */

const MEANS: Readonly<Record<InstantUnit, string>> = {
  milliseconds: "in milliseconds since the epoch",
  seconds: "in seconds since the epoch",
  iso: "as an ISO 8601 text with its zone",
};

/** A number outside of it was written in another unit, or stands for no instant. */
const CENTURY = { begins: Date.UTC(2000, 0, 1), ends: Date.UTC(2100, 0, 1) };

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** Milliseconds since the epoch; undefined if the value is not an instant of this century in the unit. */
function read(value: unknown, unit: InstantUnit): Instant | undefined {
  const at = unit === "iso" ? readIso(value) : readNumber(value, unit === "seconds" ? 1_000 : 1);
  const isOfOurs = at !== undefined && at >= CENTURY.begins && at < CENTURY.ends;
  return isOfOurs ? at : undefined;
}

function readIso(value: unknown): Instant | undefined {
  if (typeof value !== "string" || !ISO.test(value)) return undefined;
  return parseInstant(value.replace(",", ".").replace(/([+-]\d\d)(?::?(\d\d))?$/, zone));
}

/** The zone as every parser takes it: `+01` and `+0130` are `+01:00` and `+01:30`. */
function zone(_all: string, hours: string, minutes = "00"): string {
  return `${hours}:${minutes}`;
}

function readNumber(value: unknown, factor: number): Instant | undefined {
  const number = amount.safeParse(value);
  return number.success ? Math.round(number.data * factor) : undefined;
}

/** The unit in which a value is an instant of this century; undefined if there is none. */
export function unitOf(value: unknown): InstantUnit | undefined {
  return INSTANT_UNITS.find((unit) => read(value, unit) !== undefined);
}

/** A field that is an instant in a unit. If it fits another unit, the refusal names that unit. */
function instantIn(unit: InstantUnit): z.ZodType<Instant> {
  return z.unknown().transform((value, context): Instant => {
    const at = read(value, unit);
    if (at !== undefined) return at;
    const other = unitOf(value);
    const hint = other === undefined ? "" : ` (this is one of \`instants: ${other}\`)`;
    const message = `a time of this century ${MEANS[unit]}${hint}`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** A decoder whose instants are in the unit that it is called with. */
export function byUnit<Value>(
  make: (instant: z.ZodType<Instant>) => Decoder<Value>,
): Decoder<Value> {
  const decoders = INSTANT_UNITS.map((unit) => [unit, make(instantIn(unit))] as const);
  const of = Object.fromEntries(decoders) as Readonly<Record<InstantUnit, Decoder<Value>>>;
  return (json, unit = "milliseconds") => of[unit](json);
}

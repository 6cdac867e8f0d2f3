import type { z } from "zod";
import type { Failure } from "../../domain/http.ts";
import { withUnseenShown } from "../../domain/shown/lookalike.ts";
import { valueAt } from "../../domain/values/plain-values.ts";
import type { Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import { readAhead } from "./listing.ts";

/** Where a body differs from what the wire profile says. */
export type Mismatch = {
  /** A JSON path, e.g. `$[3].lockOrder.secretHash`. */
  readonly path: string;
  readonly expected: string;
  /** The JSON that is there instead, cut to some 80 characters. */
  readonly received: string;
};

/** How a deployment writes instants: the setting `instants` of an aggregator. */
export const INSTANT_UNITS = ["milliseconds", "seconds", "iso"] as const;
export type InstantUnit = (typeof INSTANT_UNITS)[number];

/** Reads a JSON value as an endpoint's reply. Never throws, never guesses between shapes or units. */
export type Decoder<Value> = ReadsAhead &
  ((json: unknown, instants?: InstantUnit) => Result<Value, Mismatch>);

/** Does most of the work of decoding a long listing in advance, in slices. */
export type ReadsAhead = { readonly ahead?: ((json: unknown) => Slices) | undefined };

export function decoderOf<Value>(schema: z.ZodType<Value>): Decoder<Value> {
  const decode: Decoder<Value> = (json) => {
    const parsed = schema.safeParse(json);
    if (parsed.success) return succeed(parsed.data);
    const issue = parsed.error.issues[0];
    const path = issue?.path ?? [];
    return fail({
      path: jsonPath(path),
      expected: issue?.message ?? "another shape",
      received: snippet(valueAt(json, path)),
    });
  };
  return Object.assign(decode, { ahead: (json: unknown) => readAhead(schema, json) });
}

/** A mismatch as a failure, with one line for people. */
export function mismatchFailure(endpoint: string, mismatch: Mismatch): Failure {
  const { path, expected, received } = mismatch;
  const message = `${path}: expected ${expected}, received ${received}`;
  return { reason: "mismatch", endpoint, message: message.slice(0, 400) };
}

function jsonPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    const name = String(step).slice(0, 40);
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `$${steps.join("")}`.slice(0, 160);
}

const SNIPPET_LENGTH = 80;

/** A bounded piece of JSON for people; `nothing` if there is no value. */
export function snippet(value: unknown): string {
  const text = withUnseenShown(describe(value, 3));
  return text.length <= SNIPPET_LENGTH ? text : `${text.slice(0, SNIPPET_LENGTH - 1)}…`;
}

/** Written by hand, as JSON.stringify would first write out the whole of a huge or deep value. */
function describe(value: unknown, depth: number): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value.slice(0, SNIPPET_LENGTH));
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  if (Array.isArray(value)) {
    if (depth === 0) return "[…]";
    const items = value.slice(0, 4).map((item: unknown) => describe(item, depth - 1));
    return `[${items.join(",")}${value.length > 4 ? ",…" : ""}]`;
  }
  if (depth === 0) return "{…}";
  const keys = Object.keys(value);
  const fields = keys.slice(0, 4).map((key) => {
    const field = (value as Record<string, unknown>)[key];
    return `${JSON.stringify(key.slice(0, 40))}:${describe(field, depth - 1)}`;
  });
  return `{${fields.join(",")}${keys.length > 4 ? ",…" : ""}}`;
}

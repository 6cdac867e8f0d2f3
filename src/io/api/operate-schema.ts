import { z } from "@hono/zod-openapi";
import type { Scope } from "../../domain/hold.ts";
import {
  DAY,
  formatDuration,
  parseDuration,
  type Instant,
  type Millis,
} from "../../domain/time.ts";

/** What the bodies of the calls of operators look like. */

/** Holds and silences must end; what should last for longer belongs into a rule. */
export const LONGEST_HOLD: Millis = 30 * DAY;

const LONGEST_REASON = 500;
const LONGEST_NAME = 300;

/** Text of people goes into logs and onto terminals: nothing in it may steer them. */
const STEERING = /\p{Cc}|\p{Cf}/u;

const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(longest, `must not be longer than ${longest} characters`)
    .refine((value) => !STEERING.test(value), "must be one line without control characters");

const name = line(LONGEST_NAME);

const reason = line(LONGEST_REASON).openapi({
  description: "Why, for those who read it later. It stands in the journal, with the token's name.",
  example: "maintenance of the exchange, until noon",
});

export const reasonSchema = z.strictObject({ reason }).openapi("Reason");

const scope = z
  .strictObject({
    aggregator: name.optional(),
    kind: name.optional(),
    id: name.optional(),
    rule: name.optional(),
  })
  .openapi({
    description:
      "What is not said is not asked for: `{}` covers everything. An `id` covers what belongs to it too, as the pairs of an exchange.",
    example: { kind: "exchange", id: "BINANCE" },
  });

const length = z.string().refine(
  (text) => {
    const ms = parseDuration(text);
    return ms !== undefined && ms > 0 && ms <= LONGEST_HOLD;
  },
  `must be a duration as 30m or 2h, at most ${formatDuration(LONGEST_HOLD)}`,
);

const instant = z.iso.datetime({
  offset: true,
  error: "must be an instant as 2026-01-31T12:00:00Z",
});

export const holdSchema = z
  .strictObject({
    scope,
    for: length.optional().openapi({ example: "2h" }),
    until: instant.optional(),
    reason,
  })
  .refine((body) => (body.for === undefined) !== (body.until === undefined), {
    error: "must have one of `for` and `until`",
    path: ["for"],
  })
  .openapi("Hold");

export type HoldBody = z.infer<typeof holdSchema>;

/** When it is to end; the problem where that is too far away. One that is past is the core's to refuse. */
export function endOf(
  body: HoldBody,
  now: Instant,
): { ok: true; value: Instant } | { ok: false; problem: string } {
  const until = body.until === undefined ? now + (parseDuration(body.for ?? "") ?? 0) : undefined;
  const value = until ?? Date.parse(body.until ?? "");
  if (value - now <= LONGEST_HOLD) return { ok: true, value };
  const problem = `until: must be at most ${formatDuration(LONGEST_HOLD)} from now`;
  return { ok: false, problem };
}

/** Without the keys that are not there, as the core wants it. */
export function scopeOf(body: HoldBody): Scope {
  const { aggregator, kind, id, rule } = body.scope;
  return {
    ...(aggregator === undefined ? {} : { aggregator }),
    ...(kind === undefined ? {} : { kind }),
    ...(id === undefined ? {} : { id }),
    ...(rule === undefined ? {} : { rule }),
  };
}

export const doneSchema = z
  .object({
    accepted: z.literal(true),
    subject: z.string().openapi({ description: "The id of the hold or the silence, for one." }),
    detail: z.string(),
    durable: z.boolean().openapi({ description: "It is on disk; if not, a restart forgets it." }),
  })
  .openapi("Done");

export const refusedSchema = z.object({ accepted: z.literal(false), error: z.string() });

export const problemsSchema = z.object({ error: z.string(), problems: z.array(z.string()) });

export const errorSchema = z.object({ error: z.string() });

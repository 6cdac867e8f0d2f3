import { z } from "@hono/zod-openapi";
import type { Scope } from "../../domain/hold.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { DAY, formatDuration, type Instant, type Millis } from "../../domain/time.ts";
import { LONGEST_ALIAS, LONGEST_TARGET } from "../../domain/watch.ts";
import { durationText, instantText, textUpTo, wordQuery } from "./lists/query.ts";

/** The bodies of operators' calls. */

/** Holds and silences must end; a longer exception belongs in a rule. */
const LONGEST_HOLD: Millis = 30 * DAY;

const LONGEST_REASON = 500;
const LONGEST_NAME = 300;

/** Control and format characters: logs and terminals show operators' texts. */
const STEERING = /\p{Cc}|\p{Cf}/u;

const line = (longest: number, ifMissing = "must not be empty") =>
  z
    .string(ifMissing)
    .trim()
    .min(1, ifMissing)
    .max(longest, `must not be longer than ${longest} characters`)
    .refine((value) => !STEERING.test(value), "must be one line without control characters");

const name = line(LONGEST_NAME);

const reason = line(LONGEST_REASON, "must say why, in one line").openapi({
  description:
    "Why, for those who read it later. It is kept in the journal, with the token's name.",
  example: "maintenance of the exchange, until noon",
});

export const reasonBody = z.strictObject({ reason }).openapi("Reason");

export const approvalBody = z
  .strictObject({
    reason,
    digest: name.optional().openapi({
      description:
        "The digest of the proposal as shown to you, from the status. Without it, nothing is approved.",
      example: "3f2a9c0e51d7b846",
    }),
  })
  .openapi("Approval");

const scope = z
  .strictObject({
    aggregator: name.optional(),
    kind: name.optional(),
    id: name.optional(),
    rule: name.optional(),
  })
  .openapi({
    description:
      "A missing key matches everything: `{}` covers all. An `id` also covers what belongs to it, such as the pairs of an exchange.",
    example: { kind: "exchange", id: "BINANCE" },
  }) as unknown as z.ZodType<Scope>;

const length = durationText(
  1,
  LONGEST_HOLD,
  `must be a duration such as 30m or 2h, at most ${formatDuration(LONGEST_HOLD)}`,
);

/** What a hold or a silence says besides its scope. */
export const overrideOptions = z.strictObject({
  for: length.optional().openapi({ example: "2h" }),
  until: instantText.optional(),
  reason,
});

/** The body of a hold or a silence. */
export const overrideBody = z
  .strictObject({ scope, ...overrideOptions.shape })
  .refine((body) => (body.for === undefined) !== (body.until === undefined), {
    error: "must have one of `for` and `until`",
    path: ["for"],
  })
  .openapi("Hold");

/** The end of an override; the problem if it is too far away. The core refuses an instant in the past. */
export function endOf(
  { for: forMs = 0, until }: Pick<z.infer<typeof overrideBody>, "for" | "until">,
  now: Instant,
): Result<{ readonly until: Instant; readonly forMs?: Millis }, string> {
  if (until === undefined) return succeed({ until: now + forMs, forMs });
  const end = Date.parse(until);
  if (end - now <= LONGEST_HOLD) return succeed({ until: end });
  return fail(`until: must be at most ${formatDuration(LONGEST_HOLD)} from now`);
}

export const quarantineBody = z
  .strictObject({
    entity: textUpTo(600).openapi({
      description: "Its whole key.",
      example: "bsc/exchange/BINANCE",
    }),
    reason,
  })
  .openapi("Unquarantine");

const watchEntry = z.strictObject({
  aggregator: wordQuery.openapi({ description: "May be left out if there is only one." }),
  kind: textUpTo(100).openapi({ example: "sender" }),
  target: textUpTo(LONGEST_TARGET).openapi({
    description: "An address, an order's id, or factory/pair.",
    example: "0x8a…",
  }),
  reason,
});

export const watchBody = watchEntry
  .extend({ alias: textUpTo(LONGEST_ALIAS).optional() })
  .openapi("WatchEntry");

export const unwatchBody = watchEntry.openapi("UnwatchEntry");

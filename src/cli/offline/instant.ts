import { fail, succeed, type Result } from "../../domain/result.ts";
import { parseDuration, parseInstant, type Instant } from "../../domain/time.ts";
import { plain } from "../table.ts";

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/;

/** The instant that an option gives: in UTC, or as a duration before `end`. Undefined if the option is not given. */
export function instantOption(
  option: string,
  text: string | undefined,
  end: Instant,
): Result<Instant | undefined, string> {
  if (text === undefined) return succeed(undefined);
  const length = parseDuration(text);
  const at = length === undefined ? parseInstant(INSTANT.test(text) ? text : "") : end - length;
  if (at !== undefined) return succeed(at);
  return fail(
    `${option} ${plain(text)} is neither an instant (2026-01-31T12:00:00Z) nor a duration (14d)`,
  );
}

export type Span = { readonly since?: Instant | undefined; readonly until?: Instant | undefined };

/** The span that `--since` and `--until` give, or all that is wrong with it. */
export function spanOptions(
  { since, until }: { readonly since?: string; readonly until?: string },
  end: Instant,
): Result<Span, readonly string[]> {
  const from = instantOption("--since", since, end);
  const to = instantOption("--until", until, end);
  if (!from.ok || !to.ok) return fail([from, to].flatMap((one) => (one.ok ? [] : one.problem)));
  // In such a span there is nothing, which would look like a good answer.
  return (from.value ?? -Infinity) > (to.value ?? Infinity)
    ? fail([`--since ${since} is later than --until ${until}`])
    : succeed({ since: from.value, until: to.value });
}

import { entityKey } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { CliContext, Refusal } from "../context.ts";
import type { ClientOptions } from "./client.ts";
import { meantHint, MOST_ENTITIES } from "./did-you-mean.ts";
import { written, type Target } from "./entity-name.ts";
import { isLikeKind, isNotCalled, search, type Found } from "./read-name.ts";

type Named = Result<Target, string | Refusal>;

/**
 * What a person calls an entity, as `KIND/ID`, or with its aggregator as it is printed. An alias or a name may stand for
 * the id (`sender/desk-a`), or alone (`desk-a`) if only one entity has it. A kind, and `KIND/ID` that names nothing, come
 * back unchanged: the daemon says what it knows. Here and below, a name may be as it is printed, with `\u{410}` for a
 * letter.
 */
export async function targetOf(
  printed: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<Named> {
  const found = await search(printed, aggregator, options, context);
  if (!found.ok) return found;
  const target = chosen(found.value, context);
  if (!target.ok || mayBeKind(target.value, found.value)) return target;
  return await named(found.value, options, context);
}

/** If only a letter of a kind is wrong, the daemon says which one was meant. */
function mayBeKind({ kind = "", id }: Target, { answer }: Found): boolean {
  if (id !== undefined || answer?.counts.some((count) => count.kind === kind) === true) return true;
  return isLikeKind(kind);
}

/** The `--entity` of a list: as text, and what to say if nothing is known of it and nothing is found. */
export type EntityFilter = { readonly entity?: string; readonly notKnown?: string };

/**
 * The `--entity` of a command that reads; empty if it is not given. A name alone must be that of one that is watched: of
 * what is gone only the id is known, and its alerts and remediations may still be listed.
 */
export async function entityOption(
  { entity, aggregator, ...options }: ClientOptions & EntityOption,
  context: CliContext,
): Promise<Result<EntityFilter, string | Refusal>> {
  if (entity === undefined) return succeed({});
  const found = await search(entity, aggregator, options, context);
  if (!found.ok) return found;
  const target = await named(found.value, options, context, ", and --kind all of one kind");
  if (!target.ok) return target;
  const text = written(target.value);
  if (found.value.answer?.rows.length !== 0) return succeed({ entity: text });
  return succeed({
    entity: text,
    notKnown: await notKnown(target.value, aggregator, options, context),
  });
}

/** An entity; a kind alone names none. */
export async function entityOf(
  printed: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<Named> {
  const found = await search(printed, aggregator, options, context);
  return found.ok ? await named(found.value, options, context) : found;
}

/** The same of what was found; `hint` says what else there is. */
async function named(
  found: Found,
  options: ClientOptions,
  context: CliContext,
  hint = "",
): Promise<Named> {
  const target = chosen(found, context);
  if (!target.ok || target.value.id !== undefined || found.answer === undefined) return target;
  const meant = await meantHint(found.read, found.option, options, context);
  return fail(`${isNotCalled(found.text)}${meant}; kind/id names what is gone${hint}`);
}

/** That nothing is known of an entity, with the one of its kind that was probably meant. */
async function notKnown(
  target: Target,
  option: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<string> {
  const hint = await meantHint({ id: "", ...target }, option, options, context);
  return `${written(target)} is not known: it was never seen, or it is gone${hint}`;
}

export type EntityOption = { readonly entity?: string | undefined; readonly aggregator?: string };

function chosen({ text, read, answer }: Found, context: CliContext): Named {
  const { aggregator, kind, id } = read;
  const given = kind === undefined ? { kind: id } : read;
  if (answer === undefined) return succeed(given);
  if (kind !== undefined && answer.rows.some((row) => row.id === id)) return succeed(given);
  if (kind === undefined && answer.counts.some((count) => count.kind === id)) return succeed(given);
  if (kind === undefined && answer.hasMore) return fail(unclear(text));
  const targets = answer.rows.map((row) => ({
    ...(aggregator === undefined ? {} : { aggregator: row.aggregator }),
    kind: row.kind,
    id: row.id,
  }));
  const only = onlyOne(text, targets, written, context);
  if (!only.ok) return only;
  return succeed(targets.find((target) => written(target) === only.value) ?? given);
}

function unclear(text: string): string {
  return `the ids of more than ${MOST_ENTITIES} entities begin with "${text}": say kind/id`;
}

/** The same as a whole key, with the aggregator: `bsc/exchange/BINANCE`. */
export async function keyOf(
  printed: string,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<string, string | Refusal>> {
  const found = await search(printed, undefined, options, context);
  if (!found.ok) return found;
  const { text, read, answer } = found.value;
  if (answer === undefined) return succeed(text);
  if (read.kind === undefined && answer.hasMore) return fail(unclear(text));
  // The daemon knows what is gone by its whole key alone.
  if (answer.rows.length === 0 && read.aggregator === undefined)
    return fail(
      read.kind === undefined
        ? `${isNotCalled(text)}${await meantHint(read, undefined, options, context)}; aggregator/kind/id names what is gone`
        : await notKnown(read, undefined, options, context),
    );
  return onlyOne(text, answer.rows, entityKey, context);
}

/** Says what the text means, if that is something else. */
export function onlyOne<Found>(
  text: string,
  found: readonly Found[],
  nameOf: (one: Found) => string,
  context: CliContext,
): Result<string, string> {
  const names = [...new Set(found.map(nameOf))];
  const [only, ...more] = names;
  if (only === undefined) return succeed(text);
  if (more.length > 0) return fail(`"${text}" could be any of these: ${names.join(", ")}`);
  if (only !== text) context.complain(`${text} is ${only}`);
  return succeed(only);
}

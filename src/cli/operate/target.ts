import { entityKey, type WrittenEntity } from "../../domain/entity.ts";
import { suggest } from "../../config/suggest.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { meant } from "../../domain/shown/lookalike.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import { kinds } from "../../pollers/kinds.ts";
import type { CliContext, Refusal } from "../context.ts";
import { askDaemon, withQuery, type ClientOptions, type WatchOptions } from "./client.ts";
import { meantHint, MOST_ENTITIES } from "./did-you-mean.ts";
import { written, type Target } from "./entity-name.ts";
import { asIdAlone, namedBy } from "./read-name.ts";

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

function isLikeKind(word: string): boolean {
  return suggest(word, kinds.keys()) !== undefined;
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

function isNotCalled(text: string): string {
  return `nothing that is watched is called "${text}"`;
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

type Found = {
  readonly text: string;
  /** The aggregator that is asked for apart from the text. */
  readonly option: string | undefined;
  readonly read: WrittenEntity;
  readonly answer?: Pick<ValueOf<typeof entitiesAnswer>, "counts" | "rows"> & {
    readonly hasMore: boolean;
  };
};

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

/**
 * The entities that have this id, alias or name; no answer if the text is empty. A daemon that does not answer is asked
 * nothing more, unless the command goes on asking anyway.
 */
async function search(
  printed: string,
  option: string | undefined,
  options: WatchOptions,
  context: CliContext,
): Promise<Result<Found, string | Refusal>> {
  let away: string | undefined;
  const ask = async (by: Readonly<Record<string, string | undefined>>) => {
    if (away !== undefined) return fail(away);
    const path = withQuery("/api/v1/entities", { limit: String(MOST_ENTITIES), ...by });
    const call = { path, ifAway: (why: string) => (away = why) };
    return await askDaemon(call, entitiesAnswer, options, context);
  };
  const text = meant(printed);
  const given = await namedBy(
    text,
    async (aggregator) => (await ask({ aggregator, limit: "1" })).ok,
  );
  if (option !== undefined && (given.aggregator ?? option) !== option)
    return fail({
      line: [`--aggregator ${option} contradicts ${text}, which is on ${given.aggregator}`],
    });
  const read = await asIdAlone(
    given,
    async (id) => await ask({ aggregator: given.aggregator ?? option, text: `/${id}` }),
  );
  /** What is before a slash may belong to a misspelt id, if it is no kind. */
  const nearId = async ({ kind: part, id: rest, ...named }: WrittenEntity) => {
    const hint = await meantHint({ ...named, id: `${part}/${rest}` }, option, options, context);
    return hint === "" ? undefined : isNotCalled(text) + hint;
  };
  const { kind, id, aggregator = option } = read;
  if (id === "") return succeed({ text, option, read });
  // An id can be asked for only by a part of the key: of one kind, it comes before those that begin with it.
  const all = [{ text: `${kind ?? ""}/${id}` }, { fact: `alias=${id}` }, { fact: `name=${id}` }];
  const [byId, ...byFact] = await Promise.all(all.map((by) => ask({ kind, aggregator, ...by })));
  const found = byFact.flatMap((one) => (one.ok ? [...one.value.rows] : []));
  // An unknown kind is refused here too, but the call itself says that better.
  if (byId?.ok !== true || !byFact.every(({ ok }) => ok)) {
    if (away !== undefined && options.watch !== true) return fail({ line: [], files: [away] });
    const isOther = away !== undefined || kind === undefined || isLikeKind(kind);
    const near = isOther ? undefined : await nearId(read);
    return near === undefined ? succeed({ text, option, read }) : fail(near);
  }
  const { counts, rows, total } = byId.value;
  const own = rows.filter((row) => row.id === id);
  return succeed({
    text,
    option,
    read,
    answer: { counts, rows: [...own, ...found], hasMore: total > rows.length },
  });
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

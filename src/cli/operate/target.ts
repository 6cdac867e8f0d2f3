import { entityKey } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import type { CliContext } from "../context.ts";
import { askDaemon, withQuery, type ClientOptions } from "./client.ts";

/** As many as the daemon gives at once. */
const MOST = 1_000;

/**
 * What a person calls an entity, resolved to `kind/id`. An alias or a name may stand for the id (`sender/desk-a`), or
 * alone (`desk-a`) if only one entity has it. What names nothing comes back unchanged: the daemon says what it knows.
 */
export async function targetOf(
  text: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<string, string>> {
  return chosen(text, await search(text, aggregator, options, context), context);
}

/**
 * The `--entity` of a command that reads, as `kind/id`; undefined if it is not given. A name alone must be that of one
 * that is watched: of what is gone only the id is known.
 */
export async function entityOption(
  { entity, aggregator, ...options }: ClientOptions & EntityOption,
  context: CliContext,
): Promise<Result<string | undefined, string>> {
  if (entity === undefined) return succeed(entity);
  return await entityOf(entity, aggregator, options, context, ", and --kind all of one kind");
}

/** An entity as `kind/id`, if a kind alone names none; `hint` says what else there is. */
export async function entityOf(
  text: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
  hint = "",
): Promise<Result<string, string>> {
  const found = await search(text, aggregator, options, context);
  const target = chosen(text, found, context);
  if (!target.ok || target.value.includes("/") || found.answer === undefined) return target;
  return fail(`nothing that is watched is called "${text}"; kind/id names what is gone${hint}`);
}

export type EntityOption = { readonly entity?: string; readonly aggregator?: string };

type Found = Awaited<ReturnType<typeof search>>;

function chosen(
  text: string,
  { id, kind, answer }: Found,
  context: CliContext,
): Result<string, string> {
  if (answer === undefined) return succeed(text);
  if (kind !== undefined && answer.rows.some((row) => row.id === id)) return succeed(text);
  if (kind === undefined && answer.counts.some((count) => count.kind === id)) return succeed(text);
  if (kind === undefined && answer.hasMore) return fail(unclear(text));
  return onlyOne(text, answer.rows, (row) => `${row.kind}/${row.id}`, context);
}

function unclear(text: string): string {
  return `the ids of more than ${MOST} entities begin with "${text}": say kind/id`;
}

/** The same as a whole key, with the aggregator: `bsc/exchange/BINANCE`. */
export async function keyOf(
  text: string,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<string, string>> {
  const { kind, answer } = await search(text, undefined, options, context);
  if (answer === undefined) return succeed(text);
  if (kind === undefined && answer.hasMore) return fail(unclear(text));
  return onlyOne(text, answer.rows, entityKey, context);
}

/** The entities that have this id, alias or name; no answer if the text is empty. */
async function search(
  text: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
) {
  const slash = text.indexOf("/");
  const [kind, id] = slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (id === "") return { kind, id, answer: undefined };
  const ask = async (by: Readonly<Record<string, string>>) => {
    const path = withQuery("/api/v1/entities", { kind, aggregator, limit: String(MOST), ...by });
    return await askDaemon({ path }, entitiesAnswer, options, context);
  };
  // An id can be asked for only by a part of the key: of one kind, it comes before those that begin with it.
  const all = [{ text: `${kind ?? ""}/${id}` }, { fact: `alias=${id}` }, { fact: `name=${id}` }];
  const [byId, ...byFact] = await Promise.all(all.map(ask));
  const found = byFact.flatMap((one) => (one.ok ? [...one.value.rows] : []));
  // An unknown kind is refused here too, but the call itself says that better.
  if (byId?.ok !== true || !byFact.every(({ ok }) => ok)) return { kind, id, answer: undefined };
  const { counts, rows, total } = byId.value;
  const own = rows.filter((row) => row.id === id);
  return { kind, id, answer: { counts, rows: [...own, ...found], hasMore: total > rows.length } };
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

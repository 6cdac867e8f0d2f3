import { entityKey } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { entitiesAnswer } from "../../io/api/lists/entities.ts";
import type { CliContext } from "../context.ts";
import { askDaemon, withQuery, type ClientOptions } from "./client.ts";

/** If more entities than this share a name, it is not taken for a name. */
const MOST = "200";

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
  return onlyOne(text, namedBy(id, answer), (row) => `${row.kind}/${row.id}`, context);
}

/** The same as a whole key, with the aggregator: `bsc/exchange/BINANCE`. */
export async function keyOf(
  text: string,
  options: ClientOptions,
  context: CliContext,
): Promise<Result<string, string>> {
  const { id, answer } = await search(text, undefined, options, context);
  if (answer === undefined) return succeed(text);
  return onlyOne(text, namedBy(id, answer), entityKey, context);
}

type EntitiesAnswer = ValueOf<typeof entitiesAnswer>;

/** The entities with this text in their name; no answer if the text is empty. */
async function search(
  text: string,
  aggregator: string | undefined,
  options: ClientOptions,
  context: CliContext,
) {
  const slash = text.indexOf("/");
  const [kind, id] = slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (id === "") return { kind, id, answer: undefined };
  const path = withQuery("/api/v1/entities", { kind, aggregator, text: id, limit: MOST });
  const found = await askDaemon({ path }, entitiesAnswer, options, context);
  // An unknown kind is refused here too, but the call itself says that better.
  return { kind, id, answer: found.ok ? found.value : undefined };
}

function namedBy(id: string, { rows }: EntitiesAnswer): EntitiesAnswer["rows"] {
  return rows.filter(
    ({ id: own, facts }) => own === id || facts["alias"] === id || facts["name"] === id,
  );
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

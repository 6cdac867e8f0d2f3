import { InvalidArgumentError, Option, type Command } from "commander";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { MOST_ROWS } from "../../io/api/lists/query.ts";
import type { CliContext, Refusal } from "../context.ts";
import type { ClientOptions } from "./client.ts";
import { entityOption, type EntityOption } from "./target.ts";

/** The filters that the lists of alerts, of what was done and of what happened have in common. */
export type FilterOptions = EntityOption & {
  readonly kind?: string;
  readonly alertname?: string;
  readonly rule?: string;
  readonly text?: string;
  readonly limit: string;
};

/** The filters that are given, by their names in the API's query. */
type Filters = Readonly<Record<string, string | undefined>>;

/** Holds and silences call a rule by this name. */
const RULE = new Option("--rule <name>", "the same as --alertname").hideHelp();

export function filterOptions(command: Command, limit: string): Command {
  return command
    .argument("[entity]", "the same as --entity")
    .option("--aggregator <name>", "of one aggregator")
    .option("--kind <kind>", "of one kind of entity, such as exchange")
    .option(
      "--entity <entity>",
      "of one entity, as alerts print it, or kind/id; an alias stands for the id",
    )
    .option("--alertname <name>", "of one rule")
    .addOption(RULE)
    .option("--text <words>", "with all these words in it")
    .option("--limit <number>", "the most that are shown", countFrom(1, MOST_ROWS), limit);
}

/** Reads the number of an option, and leaves it a text, as a query has it. */
export function countFrom(least: number, most: number): (text: string) => string {
  return (text) => {
    const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least && count <= most) return text;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}

/** The query of a list, and what to say besides if it finds nothing. */
type Asked = { readonly query: Filters; readonly notKnown?: string };

/**
 * The filters that are given, the entity as an option or as an argument; the problem is that not exactly one entity has
 * the given name.
 */
export async function filtersOf(
  options: ClientOptions & FilterOptions,
  [argument]: readonly string[],
  context: CliContext,
): Promise<Result<Asked, string | Refusal>> {
  const {
    aggregator,
    kind,
    rule,
    alertname = rule,
    text,
    limit,
    entity: given = argument,
  } = options;
  if (argument !== undefined && given !== argument)
    return fail({ line: [`${argument} and --entity ${given} name an entity each: give one`] });
  const filter = await entityOption({ ...options, entity: given }, context);
  if (!filter.ok) return filter;
  const { entity, ...more } = filter.value;
  return succeed({ query: { aggregator, kind, entity, alertname, text, limit }, ...more });
}

/** The lines for an empty list, such as `no alert of exchange/A is firing`. */
export function noneOf(
  what: string,
  { query: { limit: _limit, ...filters }, notKnown }: Asked,
  end: string,
): readonly string[] {
  const given = Object.values(filters).filter((one) => one !== undefined);
  const of = given.length > 0 ? ` of ${given.join(", ")}` : "";
  return [`no ${what}${of} ${end}`, ...(notKnown === undefined ? [] : [notKnown])];
}

/** How many more there are than a list shows, if there are. */
export function leftOut(shown: number, total: number): readonly string[] {
  return total > shown ? [`… and ${total - shown} more (--limit, or a filter)`] : [];
}

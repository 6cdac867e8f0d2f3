import { Option, type Command } from "commander";
import { succeed, type Result } from "../../domain/result.ts";
import type { CliContext } from "../context.ts";
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

/** By the names that they have in a query of the API. */
type Filters = Readonly<Record<string, string | undefined>>;

/** A rule is called so when something is held. */
const RULE = new Option("--rule <name>", "the same as --alertname").hideHelp();

export function filterOptions(command: Command, limit: string): Command {
  return command
    .option("--aggregator <name>", "of one aggregator")
    .option("--kind <kind>", "of one kind of entity, such as exchange")
    .option("--entity <kind/id>", "of one entity; an alias stands for the id")
    .option("--alertname <name>", "of one rule")
    .addOption(RULE)
    .option("--text <words>", "with all these words in it")
    .option("--limit <number>", "the most that are shown", limit);
}

/** What is given of them; the problem is that no one entity is called so. */
export async function filtersOf(
  options: ClientOptions & FilterOptions,
  context: CliContext,
): Promise<Result<Filters, string>> {
  const { aggregator, kind, rule, alertname = rule, text, limit } = options;
  const entity = await entityOption(options, context);
  if (!entity.ok) return entity;
  return succeed({ aggregator, kind, entity: entity.value, alertname, text, limit });
}

/** `no alert of exchange/A is firing`: that nothing was found, and of what. */
export function noneOf(what: string, { limit: _limit, ...filters }: Filters): string {
  const given = Object.values(filters).filter((one) => one !== undefined);
  return [`no ${what}`, ...(given.length > 0 ? [`of ${given.join(", ")}`] : [])].join(" ");
}

/** How many more there are than a list shows, if there are. */
export function leftOut(shown: number, total: number): readonly string[] {
  return total > shown ? [`… and ${total - shown} more (--limit, or a filter)`] : [];
}

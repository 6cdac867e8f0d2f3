import type { Command } from "../../domain/command.ts";
import { sendersUnits } from "../../domain/lease.ts";
import type { OperatorEntry } from "../../domain/watch.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { DatabaseAway, type Database } from "../../io/postgres/database.ts";
import { storable } from "../../io/postgres/text.ts";

type UnitOfSenders = {
  readonly unit: string;
  readonly shards: number;
  readonly database: Pick<Database, "query">;
};

/**
 * A unit of senders has the entries alone that operators added to it, so those of the other units are looked up that
 * have a name of a new one. While the database is away, an entry is added without that.
 */
export function withTakenNames<Source extends Pick<ServerSource, "command" | "names">>(
  source: Source,
  unit: UnitOfSenders,
): Source {
  return {
    ...source,
    command: async (...[by, reason, asked]: Parameters<Source["command"]>) => {
      const command =
        asked.name === "watch"
          ? { ...asked, elsewhere: await namesakes(unit, asked, source.names().aggregator) }
          : asked;
      return await source.command(by, reason, command);
    },
  };
}

async function namesakes(
  { unit, shards, database }: UnitOfSenders,
  { entry: { kind, target, alias } }: Extract<Command, { name: "watch" }>,
  aggregators: readonly string[],
): Promise<readonly OperatorEntry[]> {
  const units = sendersUnits(shards);
  try {
    const rows = await database.query(
      `SELECT value FROM state WHERE unit = ANY($1::text[]) AND name = 'watch' AND value IS NOT NULL
         AND EXISTS (SELECT FROM unnest($2::text[]) AS start WHERE starts_with(key, start))`,
      [
        units.filter((one) => one !== unit),
        aggregators.map((aggregator) => storable(`${aggregator}/${kind}/`)),
      ],
    );
    const entries = rows.map(({ value }) => JSON.parse(String(value)) as OperatorEntry);
    return entries.filter((one) => one.alias !== undefined && [alias, target].includes(one.alias));
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    return [];
  }
}

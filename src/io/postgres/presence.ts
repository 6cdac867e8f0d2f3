import type { Millis } from "../../domain/time.ts";
import type { Database } from "./database.ts";
import { IS_FREE } from "./lease.ts";
import { IS_OWN_SCHEMA } from "./schema.ts";

/** Which replicas live, and which unit each owns, by the database's own clock. */
export type UnitsReading = {
  /** In the order of their names. */
  readonly live: readonly string[];
  /** The owner of each unit whose lease has not run out. */
  readonly owners: ReadonlyMap<string, string>;
  readonly left: LeftUnits;
};

/** The replicas, of those that live, that leave a unit to the others for now. */
export type LeftUnits = ReadonlyMap<string, readonly string[]>;

/** A replica counts as alive until it was not seen for the length of its leases. */
export type Presence = {
  /** Reports that this replica lives and what it leaves, and reads about all. Rejects if the database is away. */
  readonly beat: (leaves?: readonly string[]) => Promise<UnitsReading>;
  /** Reports that this replica ends, so that the others need not wait to find out. Never rejects. */
  readonly end: () => Promise<void>;
};

/** A replica that was not seen for so many lengths of its lease is forgotten. */
const FORGOTTEN_AFTER = 20;

export function presenceOf(
  { query }: Pick<Database, "query">,
  owner: string,
  { lastsMs, shards }: { readonly lastsMs: Millis; readonly shards: number },
): Presence {
  return {
    beat: async (leaves = []) => {
      const rows = await query(BEAT, [owner, lastsMs, shards, leaves]);
      const live = rows.flatMap(({ what, name }) => (what === "replica" ? [String(name)] : []));
      const owners = rows.flatMap(({ what, name, owned }): [string, string][] =>
        what === "lease" ? [[String(name), String(owned)]] : [],
      );
      // The statement does not see its own write.
      const own = leaves.map((name) => ({ name, owned: owner }));
      const left = Map.groupBy(
        [...rows.filter(({ what }) => what === "left"), ...own],
        ({ name }) => String(name),
      );
      return {
        live: [...new Set([...live, owner])].toSorted(),
        owners: new Map(owners),
        left: new Map([...left].map(([unit, by]) => [unit, by.map(({ owned }) => String(owned))])),
      };
    },
    end: async () => {
      await query("DELETE FROM replica WHERE owner = $1", [owner]).catch(() => undefined);
    },
  };
}

const BEAT = `
WITH own AS (
  INSERT INTO replica (owner, seen_at, lasts_ms, leaves)
  SELECT $1::text, clock_timestamp(), $2::integer, $4::text[]
  WHERE ${IS_OWN_SCHEMA} AND EXISTS (SELECT FROM sharding WHERE shards = $3)
  ON CONFLICT (owner) DO UPDATE
    SET seen_at = excluded.seen_at, lasts_ms = excluded.lasts_ms, leaves = excluded.leaves
), gone AS (
  DELETE FROM replica
  WHERE owner <> $1 AND seen_at + ${FORGOTTEN_AFTER} * lasts_ms * interval '1 ms' <= clock_timestamp()
), live AS (
  SELECT owner, leaves FROM replica
  WHERE owner <> $1 AND seen_at + lasts_ms * interval '1 ms' > clock_timestamp()
)
SELECT 'replica' AS what, owner AS name, NULL AS owned FROM live
UNION ALL SELECT 'left', unnest(leaves), owner FROM live
UNION ALL SELECT 'lease', unit, owner FROM lease WHERE NOT ${IS_FREE}`;

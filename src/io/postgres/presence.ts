import type { Millis } from "../../domain/time.ts";
import type { Database } from "./database.ts";
import { IS_FREE } from "./lease.ts";

/** Which replicas live, and which unit each owns, by the database's own clock. */
export type UnitsReading = {
  /** In the order of their names. */
  readonly live: readonly string[];
  /** The owner of each unit whose lease has not run out. */
  readonly owners: ReadonlyMap<string, string>;
};

/** A replica counts as alive until it was not seen for the length of its leases. */
export type Presence = {
  /** Reports that this replica lives, and reads about all. Rejects if the database is away. */
  readonly beat: () => Promise<UnitsReading>;
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
    beat: async () => {
      const rows = await query(BEAT, [owner, lastsMs, shards]);
      const live = rows.flatMap(({ what, name }) => (what === "replica" ? [String(name)] : []));
      const owners = rows.flatMap(({ what, name, owned }): [string, string][] =>
        what === "lease" ? [[String(name), String(owned)]] : [],
      );
      // The statement does not see its own write.
      return { live: [...new Set([...live, owner])].toSorted(), owners: new Map(owners) };
    },
    end: async () => {
      await query("DELETE FROM replica WHERE owner = $1", [owner]).catch(() => undefined);
    },
  };
}

const BEAT = `
WITH own AS (
  INSERT INTO replica (owner, seen_at, lasts_ms) SELECT $1::text, clock_timestamp(), $2::integer
  WHERE EXISTS (SELECT FROM sharding WHERE shards = $3)
  ON CONFLICT (owner) DO UPDATE SET seen_at = excluded.seen_at, lasts_ms = excluded.lasts_ms
), gone AS (
  DELETE FROM replica
  WHERE owner <> $1 AND seen_at + ${FORGOTTEN_AFTER} * lasts_ms * interval '1 ms' <= clock_timestamp()
)
SELECT 'replica' AS what, owner AS name, NULL AS owned FROM replica
WHERE owner <> $1 AND seen_at + lasts_ms * interval '1 ms' > clock_timestamp()
UNION ALL SELECT 'lease', unit, owner FROM lease WHERE NOT ${IS_FREE}`;

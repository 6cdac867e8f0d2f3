import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";
import { LEASE_LASTS, type LeaseStore } from "./lease-store.ts";
import type { Row } from "../journal/database.ts";
import type { CommitStamp } from "../journal/shared-journal.ts";
import { messageOf } from "../../domain/error-message.ts";
import { DatabaseAway, ON_DISK, type Ask, type Database } from "./database.ts";
import { IS_OWN_SCHEMA, otherSchema, otherSchemaText } from "./schema.ts";

/** The lease of a unit, which anyone may read. Time is the database's own, so the replicas' clocks do not matter. */
export type LeaseRow = CommitStamp & {
  /** Undefined if the last owner gave it back. */
  readonly owner: string | undefined;
  readonly sinceRenewal: Millis;
  /** It may be taken: it ran out, or was given back. */
  readonly isFree: boolean;
};

/** A condition on a row of `lease`. */
export const IS_FREE =
  "(lease.owner IS NULL OR lease.renewed_at + lease.lasts_ms * interval '1 ms' <= clock_timestamp())";

/**
 * Undefined if no replica ever held it. With `lock`, it waits for a write in progress, and nothing writes under the
 * lease until the transaction ends.
 */
export async function readLease(
  ask: Ask,
  unit: string,
  lock?: "lock",
): Promise<LeaseRow | undefined> {
  const [row] = await ask(
    `SELECT owner, epoch, last_sequence, ${IS_FREE} AS free,
       extract(epoch FROM clock_timestamp() - renewed_at) * 1000 AS since
     FROM lease WHERE unit = $1${lock === undefined ? "" : " FOR UPDATE"}`,
    [unit],
  );
  return row && leaseRow(row);
}

/** A lease that is held, of any unit; undefined if there is none. */
export async function heldLease(
  ask: Ask,
): Promise<{ readonly owner: string; readonly unit: string } | undefined> {
  const [held] = await ask(
    `SELECT owner, unit FROM lease WHERE NOT ${IS_FREE} ORDER BY unit LIMIT 1`,
  );
  return held && { owner: String(held["owner"]), unit: String(held["unit"]) };
}

/** The sentence that refuses because a lease is still held; undefined if none is. */
export async function heldText(ask: Ask): Promise<string | undefined> {
  const held = await heldLease(ask);
  if (held === undefined) return undefined;
  return `the replica ${held.owner} has the lease of ${held.unit}: stop it first (if it died, wait until the lease has run out)`;
}

export function leaseStore(
  { query }: Pick<Database, "query">,
  unit: string,
  lastsMs: Millis = LEASE_LASTS,
  shards = 0,
): LeaseStore {
  const done = async <Value>(work: () => Promise<Value>): Promise<Result<Value, string>> => {
    try {
      return succeed(await work());
    } catch (error) {
      return fail(error instanceof DatabaseAway ? error.detail : messageOf(error));
    }
  };
  return {
    take: async (owner, isSparing = false) =>
      await done(async () => {
        const [taken] = await query(TAKE, [unit, owner, lastsMs, shards, isSparing]);
        if (taken !== undefined) return { taken: true, epoch: Number(taken["epoch"]) };
        const { holder, isFree } = await holderOf(query, unit, shards);
        return { taken: false, owner: holder, ...(isSparing && isFree && { isSpared: true }) };
      }),
    renew: async (owner, epoch) =>
      await done(
        async () =>
          (await query(RENEW, [unit, owner, epoch])).length > 0 ||
          ((await otherSchema(query)) ?? false),
      ),
    release: async (owner, epoch) =>
      await done(async () => {
        await query(RELEASE, [unit, owner, epoch]);
      }),
  };
}

/**
 * The holder, and whether its lease may be taken. Rejects if this replica can never take it, because its schema
 * or its number of shards is not the database's.
 */
async function holderOf(
  query: Ask,
  unit: string,
  shards: number,
): Promise<{ readonly holder: string; readonly isFree: boolean }> {
  const [now] = await query(
    `SELECT shards, version, owner, ${IS_FREE} AS free
     FROM sharding CROSS JOIN aggwatch_schema LEFT JOIN lease ON unit = $1`,
    [unit],
  );
  const other = otherSchemaText(Number(now?.["version"] ?? 0));
  if (other !== undefined) throw new DatabaseAway(other);
  const dealt = Number(now?.["shards"]);
  if (dealt !== shards)
    throw new DatabaseAway(
      `journal.shards is ${shards} here, and ${dealt} in the database: give all replicas the same number, and restart this one`,
    );
  const owner = now?.["owner"];
  const holder = typeof owner === "string" ? owner : "another replica";
  return { holder, isFree: now?.["free"] === true };
}

/** A replica with another schema or number of shards than the database cannot take it. */
const TAKE = `
INSERT INTO lease (unit, owner, epoch, last_sequence, renewed_at, lasts_ms)
SELECT $1::text, $2::text, 1, 0, clock_timestamp(), $3::integer
WHERE ${IS_OWN_SCHEMA} AND EXISTS (SELECT FROM sharding WHERE shards = $4)
ON CONFLICT (unit) DO UPDATE
  SET owner = excluded.owner, epoch = lease.epoch + 1, renewed_at = clock_timestamp(), lasts_ms = excluded.lasts_ms
  WHERE ${IS_FREE} AND (lease.owner IS NULL OR NOT $5::boolean)
RETURNING epoch, ${ON_DISK}`;

const RENEW = `
UPDATE lease SET renewed_at = clock_timestamp()
WHERE unit = $1 AND owner = $2 AND epoch = $3 AND ${IS_OWN_SCHEMA}
RETURNING epoch, ${ON_DISK}`;

const RELEASE = "UPDATE lease SET owner = NULL WHERE unit = $1 AND owner = $2 AND epoch = $3";

function leaseRow(row: Row): LeaseRow {
  const { owner } = row;
  return {
    owner: typeof owner === "string" ? owner : undefined,
    epoch: Number(row["epoch"]),
    sequence: Number(row["last_sequence"]),
    sinceRenewal: Number(row["since"]),
    isFree: row["free"] === true,
  };
}

import { fail, succeed, type Result } from "../../domain/result.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Ask, Database } from "./database.ts";

/**
 * The schema, as the list of steps that lead to it; `aggwatch_schema` says how many a database has taken. A step is
 * never changed once released. A row of state belongs to a unit and names the commit that wrote it; a row without a
 * value was deleted by that commit, so that a standby can follow. Keys are ordered by their bytes, as in SQLite.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE state (
     unit text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
     value text, sequence bigint NOT NULL,
     PRIMARY KEY (unit, name, key)
   );
   CREATE INDEX state_sequence ON state (unit, sequence);
   CREATE TABLE finding (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     at bigint NOT NULL, type text NOT NULL, body text NOT NULL, alert text
   );
   CREATE INDEX finding_at ON finding (at);
   CREATE INDEX finding_alert ON finding (alert, at) WHERE alert IS NOT NULL;
   CREATE TABLE record (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     at bigint NOT NULL, until bigint NOT NULL, whole integer NOT NULL, body bytea NOT NULL
   );
   CREATE INDEX record_whole ON record (at) WHERE whole = 1;
   CREATE TABLE lease (
     unit text PRIMARY KEY, owner text, epoch bigint NOT NULL, last_sequence bigint NOT NULL,
     renewed_at timestamptz NOT NULL, lasts_ms integer NOT NULL
   );
   CREATE TABLE replica (
     owner text PRIMARY KEY, seen_at timestamptz NOT NULL, lasts_ms integer NOT NULL
   );
   CREATE TABLE command (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     unit text NOT NULL, asked_at timestamptz NOT NULL, body text NOT NULL,
     taken_in bigint, answered_at timestamptz, answer text
   );
   CREATE TABLE sharding (shards integer NOT NULL);
   INSERT INTO sharding VALUES (0);
   CREATE INDEX command_open ON command (unit, id) WHERE taken_in IS NULL;`,
  // Each unit numbers the pages of its own record, without a gap.
  "ALTER TABLE record ALTER COLUMN seq DROP IDENTITY",
  // The units that a replica leaves to the others, as they hung there.
  "ALTER TABLE replica ADD COLUMN leaves text[] NOT NULL DEFAULT '{}'",
];

/** A condition of each statement that a running replica writes with: another version may have moved the schema on. */
export const IS_OWN_SCHEMA = `(SELECT version FROM aggwatch_schema) = ${MIGRATIONS.length}`;

/** Any number that nothing else uses for a lock in aggwatch's database. */
const LOCK = 4_297_411_093;

/**
 * Brings the database to the newest schema, one process at a time. A database of a newer aggwatch is refused, and
 * nothing in it is touched.
 */
export async function migrate(
  database: Pick<Database, "transaction">,
  steps: readonly string[] = MIGRATIONS,
): Promise<Result<void, string>> {
  const done = await database.transaction(async (ask) => await migrateWithin(ask, steps));
  if (!done.ok) return fail(done.problem.detail);
  return done.value === undefined ? succeed(undefined) : fail(done.value);
}

/** The same in the caller's transaction; returns why it is refused, or undefined. */
export async function migrateWithin(
  ask: Ask,
  steps: readonly string[] = MIGRATIONS,
): Promise<string | undefined> {
  const version = await lockedSchemaVersion(ask);
  if (version > steps.length) return newerSchema(version, steps.length);
  // Whatever writes under a lease either ends before, or waits and then finds the new schema.
  if (version > 0 && version < steps.length) await ask("LOCK TABLE lease IN EXCLUSIVE MODE");
  for (const [index, sql] of steps.entries()) {
    if (index < version) continue;
    for (const statement of sql.split(/;\s*/).filter(Boolean)) await ask(statement);
  }
  if (version === 0) {
    await ask("CREATE TABLE aggwatch_schema (version integer NOT NULL)");
    await ask("INSERT INTO aggwatch_schema VALUES (0)");
  }
  if (version < steps.length) await ask("UPDATE aggwatch_schema SET version = $1", [steps.length]);
  return undefined;
}

/** The same as `schemaVersion`, locked against other migrations until the transaction ends. */
export async function lockedSchemaVersion(ask: Ask): Promise<number> {
  await ask(`SELECT pg_advisory_xact_lock(${LOCK})`);
  return await schemaVersion(ask);
}

/** How many steps a database has taken; 0 if it never had one. */
export async function schemaVersion(ask: Ask): Promise<number> {
  const [found] = await ask("SELECT to_regclass('aggwatch_schema') IS NOT NULL AS made");
  if (found?.["made"] !== true) return 0;
  const [row] = await ask("SELECT version FROM aggwatch_schema");
  return Number(row?.["version"] ?? 0);
}

/** Why this version cannot use a database; undefined if it can. */
export async function schemaProblem(
  database: Pick<Database, "query">,
): Promise<string | undefined> {
  try {
    const version = await schemaVersion(database.query);
    if (version > MIGRATIONS.length) return newerSchema(version, MIGRATIONS.length);
    return version === 0 ? "the database holds no journal of aggwatch" : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why a replica that runs can no longer use the database; undefined if it can. Rejects if the database is away. */
export async function otherSchema(ask: Ask): Promise<string | undefined> {
  return otherSchemaText(await schemaVersion(ask));
}

/** The same, if the version is known. */
export function otherSchemaText(version: number): string | undefined {
  const known = MIGRATIONS.length;
  if (version === known) return undefined;
  if (version > known) return newerSchema(version, known);
  return `the database has the older schema ${version}, and this aggwatch needs ${known}: restart this replica, which moves it on`;
}

function newerSchema(version: number, known: number): string {
  return `the database was written by a newer aggwatch (schema ${version}; this one knows ${known}). Run that version, or go back to a backup from before it ran. A new database would know no kill switch, no hold and no budget that is spent.`;
}

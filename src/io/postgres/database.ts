import type { Client, Pool, PoolClient, QueryResult } from "pg";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { Row } from "../journal/database.ts";
import { settleWithin } from "../process/settle-within.ts";
import { connectionOf, connectProblem, isLasting, queryProblem } from "./connection.ts";

/**
 * One PostgreSQL database, by a few connections. No session state, no named statement: a pooler in transaction mode
 * may stand between. Whatever it asks ends in time, also if the database says nothing.
 */
export type Database = {
  readonly query: Ask;
  /**
   * All or nothing. `work` throws what a query threw. The problem says if it is known that nothing was committed, or
   * unknown, as the connection broke after COMMIT was sent.
   */
  readonly transaction: <Value>(
    work: (ask: Ask) => Promise<Value>,
  ) => Promise<Result<Value, Refused>>;
  readonly close: () => Promise<void>;
};

/**
 * In a statement that writes what something is to rest on once it is acknowledged: then it is on disk, though the
 * database or the role may be set to acknowledge sooner. A setting that waits for standbys too still does.
 */
export const ON_DISK =
  "(SELECT set_config('synchronous_commit', 'local', true) WHERE current_setting('synchronous_commit') = 'off')";

/** Rejects if the database refuses or is away; outside of a transaction with a `DatabaseAway`. */
export type Ask = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>;
export type Value =
  | string
  | number
  | boolean
  | null
  | Buffer
  | readonly (string | number | boolean | Buffer | null)[];

/** Not a bug: the caller learns why there is no answer. */
export class DatabaseAway extends Error {
  readonly detail: string;
  constructor(detail: string) {
    super(`the database cannot be read: ${detail}`);
    this.detail = detail;
  }
}

export type Refused = {
  readonly kind: "unavailable" | "unknown";
  readonly detail: string;
  /** It will say the same again until a person changes something. */
  readonly isLasting?: true;
};

export type DatabaseOptions = {
  /** Shown in `pg_stat_activity`. */
  readonly name?: string;
  readonly connections?: number;
  readonly timeouts?: Timeouts;
};

/** `statement`: of each, on the server; `reply`: how long its answer is waited for, when the connection may be dead. */
export type Timeouts = {
  readonly connect: Millis;
  readonly statement: Millis;
  readonly lock: Millis;
  readonly reply: Millis;
};

/** All within the length of a lease, so that a database that hangs does not outlast it unnoticed. */
export const TIMEOUTS: Timeouts = {
  connect: 3 * SECOND,
  statement: 5 * SECOND,
  lock: 2 * SECOND,
  reply: 7 * SECOND,
};

/**
 * Connects when it is first asked, and again after each connection that broke. Loads the driver only now: who has no
 * PostgreSQL does not wait for it.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { default: pg } = await import("pg");
  const { connections = 4, timeouts = TIMEOUTS } = options;
  const pool = new pg.Pool({
    ...connectionOf(url),
    max: connections,
    connectionTimeoutMillis: timeouts.connect,
    query_timeout: timeouts.reply,
    keepAlive: true,
    application_name: options.name ?? "aggwatch",
    // A connection that idles is no reason to stay.
    allowExitOnIdle: true,
  });
  // Without a listener, an idle connection that breaks ends the process; who asks next gets another.
  pool.on("error", () => undefined);
  // What is the default of the database or the role is not for this: at other levels, a renewal makes a commit fail.
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${timeouts.statement}; SET LOCAL lock_timeout = ${timeouts.lock}; SET LOCAL idle_in_transaction_session_timeout = ${timeouts.statement}`;
  return {
    query: async (sql, values) => {
      const done = await transaction(pool, begin, (ask) => ask(sql, values));
      if (done.ok) return done.value;
      throw new DatabaseAway(done.problem.detail);
    },
    transaction: async (work) => await transaction(pool, begin, work),
    // Whatever was asked has its answer by then, or never gets one: who ends does not wait for that.
    close: async () => void (await settleWithin([pool.end()], timeouts.reply)),
  };
}

async function transaction<Value>(
  pool: Pool,
  begin: string,
  work: (ask: Ask) => Promise<Value>,
): Promise<Result<Value, Refused>> {
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    return refusal("unavailable", connectProblem(error), error);
  }
  // An error that comes between two queries is known by the next.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  let stage: "work" | "commit" | "ended" = "work";
  try {
    await client.query(begin);
    const value = await work(askOf(client));
    stage = "commit";
    const { command } = await client.query("COMMIT");
    stage = "ended";
    return command === "COMMIT"
      ? succeed(value)
      : fail({ kind: "unavailable", detail: "the transaction was rolled back" });
  } catch (error) {
    const kind = stage === "commit" && !isRefusal(error) ? "unknown" : "unavailable";
    return refusal(kind, queryProblem(error), error);
  } finally {
    client.off("error", ignore);
    // A connection in the middle of something is of no use to the next; that it is closed rolls back.
    client.release(stage !== "ended");
  }
}

function refusal(kind: Refused["kind"], detail: string, error: unknown): Result<never, Refused> {
  return fail({ kind, detail, ...(isLasting(error) && { isLasting: true }) });
}

function askOf(client: Pick<Client, "query">): Ask {
  return async (sql, values = []) => {
    const { rows } = (await client.query(sql, [...values])) as QueryResult<Row>;
    return rows;
  };
}

/** The server said no, and lives on: what it said no to is not done. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

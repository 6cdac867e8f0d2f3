import type { Client, Pool, PoolClient, QueryResult } from "pg";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { Row } from "../journal/database.ts";
import { settleWithin } from "../process/settle-within.ts";
import { clientClass } from "./client.ts";
import {
  codeOf,
  connectProblem,
  currentConnection,
  isLasting,
  queryProblem,
} from "./connection.ts";
import { POOLER_CODE } from "./pooler.ts";

/**
 * One PostgreSQL database, over a few connections. It uses no session state and no named statement, so a pooler in
 * transaction mode may stand between. Every query ends in time, even if the database does not answer.
 */
export type Database = {
  readonly query: Ask;
  /**
   * All or nothing. `work` must let the errors of queries pass. The problem is `unavailable` if surely nothing was
   * committed, and `unknown` if the connection broke after COMMIT was sent.
   */
  readonly transaction: <Value>(
    work: (ask: Ask) => Promise<Value>,
  ) => Promise<Result<Value, Refused>>;
  readonly close: () => Promise<void>;
};

/**
 * For statements whose acknowledgement something relies on: it makes the commit wait for the disk, even if the database
 * or the role is set to acknowledge sooner. A setting that also waits for standbys stays in force.
 */
export const ON_DISK =
  "(SELECT set_config('synchronous_commit', 'local', true) WHERE current_setting('synchronous_commit') = 'off')";

/** Rejects if the database refuses or is away; outside a transaction, with a `DatabaseAway`. */
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
  /** The database will refuse again until a person changes something. */
  readonly isLasting?: true;
};

export type DatabaseOptions = {
  /** Holds the URL, and is read again for each connection: a user and password that were rotated need no restart. */
  readonly urlFile?: string | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly name?: string;
  readonly connections?: number;
  readonly timeouts?: Timeouts;
};

/** `statement`: the server's limit for each; `reply`: how long to wait for an answer, if the connection is dead. */
export type Timeouts = {
  readonly connect: Millis;
  readonly statement: Millis;
  readonly lock: Millis;
  readonly reply: Millis;
};

/** All are shorter than a lease, so that a replica notices a hanging database before its lease ends. */
export const TIMEOUTS: Timeouts = {
  connect: 3 * SECOND,
  statement: 5 * SECOND,
  lock: 2 * SECOND,
  reply: 7 * SECOND,
};

/**
 * Connects at the first query, and again after a connection broke. Loads the driver only now, so that a start without
 * PostgreSQL does not wait for it.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { default: pg } = await import("pg");
  const { connections = 4, timeouts = TIMEOUTS, urlFile } = options;
  const current = currentConnection(url, urlFile);
  const pool = new pg.Pool({
    Client: clientClass(pg, current),
    max: connections,
    connectionTimeoutMillis: timeouts.connect,
    query_timeout: timeouts.reply,
    keepAlive: true,
    application_name: options.name ?? "aggwatch",
    // An idle connection must not keep the process alive.
    allowExitOnIdle: true,
  });
  // Without a listener, an idle connection that breaks would end the process; the next query gets another connection.
  pool.on("error", () => undefined);
  // The database or the role may have another default: at a higher level, a renewal would make a commit fail.
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${timeouts.statement}; SET LOCAL lock_timeout = ${timeouts.lock}; SET LOCAL idle_in_transaction_session_timeout = ${timeouts.statement}`;
  return {
    query: async (sql, values) => {
      const done = await transaction(pool, begin, (ask) => ask(sql, values));
      if (done.ok) return done.value;
      throw new DatabaseAway(done.problem.detail);
    },
    transaction: async (work) => await transaction(pool, begin, work),
    // By then every query has its answer, or will never get one.
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
    // A connection with an unfinished transaction is closed, which rolls back.
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

/**
 * Whether the server refused, and lives on: then it did nothing. An older PgBouncer says ERROR, too, if it lost the
 * server, which may have done it.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || codeOf(error) === POOLER_CODE) return false;
  return "severity" in error && error.severity === "ERROR";
}

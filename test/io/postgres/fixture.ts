import { afterAll, beforeAll, type TestContext } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import {
  openDatabase,
  type Database,
  type DatabaseOptions,
} from "../../../src/io/postgres/database.ts";
import { migrate } from "../../../src/io/postgres/schema.ts";
import { startPostgres, type PostgresOptions, type PostgresServer } from "./server.ts";

/** A PostgreSQL for the tests of a file. */
export function usePostgres(options?: PostgresOptions): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres(options);
  });
  afterAll(async () => await server?.stop());
  return () => {
    if (server === undefined) throw new Error("PostgreSQL has not started");
    return server;
  };
}

/** What a daemon would not wait for, a test on a busy machine does. */
const PATIENT = { connect: MINUTE, statement: MINUTE, lock: MINUTE, reply: 2 * MINUTE };

/** A connection of its own, which the test closes. */
export async function connect(
  context: Pick<TestContext, "onTestFinished">,
  url: string,
  options?: DatabaseOptions,
): Promise<Database> {
  const database = await openDatabase(url, { timeouts: PATIENT, ...options });
  context.onTestFinished(async () => await database.close());
  return database;
}

/** The same, with the schema made. */
export async function connectMigrated(
  context: Pick<TestContext, "onTestFinished">,
  url: string,
  options?: DatabaseOptions,
): Promise<Database> {
  const database = await connect(context, url, options);
  const made = await migrate(database);
  if (!made.ok) throw new Error(made.problem);
  return database;
}

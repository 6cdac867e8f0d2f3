/** Tests src/io/postgres/database.ts: how a transaction ends, and what each connection is set to. */
import { describe, expect, it, type TestContext } from "vitest";
import {
  TIMEOUTS,
  type Database,
  type DatabaseOptions,
} from "../../../src/io/postgres/database.ts";
import { connect, usePostgres } from "./fixture.ts";

const server = usePostgres();

async function opened(context: TestContext, options?: DatabaseOptions): Promise<Database> {
  return await connect(context, await server().makeDatabase(), options);
}

/** A database that does this at the end of each transaction that has written into its table. */
async function atCommit(context: TestContext, statement: string): Promise<Database> {
  const database = await opened(context);
  const made = "CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql";
  await database.query("CREATE TABLE written (n integer)");
  await database.query(`${made} AS 'BEGIN ${statement}; RETURN NULL; END'`);
  await database.query(
    "CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON written DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION at_commit()",
  );
  return database;
}

const write = async ({ transaction }: Database) =>
  await transaction(async (ask) => await ask("INSERT INTO written VALUES (1)"));

describe("a transaction", () => {
  it("is known not to be committed if the server refuses that and lives on", async (context) => {
    const database = await atCommit(context, "RAISE EXCEPTION ''no''");
    const detail = expect.stringContaining("no") as string;
    expect(await write(database)).toMatchObject({ problem: { kind: "unavailable", detail } });
  });

  it("has an unknown outcome if its connection ends while it is committed", async (context) => {
    const database = await atCommit(context, "PERFORM pg_terminate_backend(pg_backend_pid())");
    expect(await write(database)).toMatchObject({ problem: { kind: "unknown" } });
  });

  it("has an unknown outcome if a pooler loses the server as it commits, and calls that an error", async (context) => {
    const lost = "RAISE EXCEPTION ''server conn crashed?'' USING ERRCODE = ''08P01''";
    const database = await atCommit(context, lost);
    expect(await write(database)).toMatchObject({ problem: { kind: "unknown" } });
  });

  it("is not taken for committed if the work goes on after an error", async (context) => {
    const { transaction } = await opened(context);
    const done = await transaction(async (ask) => {
      await ask("SELECT 1 / 0").catch(() => undefined);
    });
    const detail = "the transaction was rolled back";
    expect(done).toEqual({ ok: false, problem: { kind: "unavailable", detail } });
  });

  it("says if waiting does not mend why it fails", async (context) => {
    const { transaction } = await opened(context);
    const asking = async (sql: string) => await transaction(async (ask) => await ask(sql));
    expect(await asking("SELECT 1 / 0")).toMatchObject({ problem: { isLasting: true } });
    const passing = "DO 'BEGIN RAISE EXCEPTION ''full'' USING ERRCODE = ''53100''; END'";
    expect(await asking(passing)).toEqual({
      ok: false,
      problem: { kind: "unavailable", detail: "full" },
    });
  });
});

describe("a connection", () => {
  it("has a name and the limits of a daemon, whatever the server's are", async (context) => {
    const options = { name: "aggwatch a", timeouts: TIMEOUTS };
    const { query } = await opened(context, options);
    const settings = [
      "application_name",
      "statement_timeout",
      "lock_timeout",
      "idle_in_transaction_session_timeout",
    ];
    const asked = settings.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
    expect(await query(`SELECT ${asked}`)).toEqual([
      {
        application_name: "aggwatch a",
        statement_timeout: "5s",
        lock_timeout: "2s",
        idle_in_transaction_session_timeout: "5s",
      },
    ]);
  });

  it("is shared if no more are allowed", async (context) => {
    const { query } = await opened(context, { connections: 1 });
    const pid = async () => await query("SELECT pg_backend_pid() AS pid");
    const [first, second] = await Promise.all([pid(), pid()]);
    expect(second).toEqual(first);
  });

  it("is given up if no answer comes, with the reason", async (context) => {
    const reply = 100;
    const { query } = await opened(context, { timeouts: { ...TIMEOUTS, reply } });
    await expect(query("SELECT pg_sleep(4)")).rejects.toThrow("did not answer in time");
  });
});

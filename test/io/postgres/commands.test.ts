import { describe, expect, it } from "vitest";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import { fail } from "../../../src/domain/result.ts";
import { HOUR } from "../../../src/domain/time.ts";
import { answerCommands, askOwner, type Unanswered } from "../../../src/io/postgres/commands.ts";
import type { Database } from "../../../src/io/postgres/database.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const ASKED = { by: "alice", reason: "", command: { name: "kill", source: "operator" } } as const;
const DONE = { accepted: true, subject: "operator", detail: "", durable: true } as const;
const OWNER_OF_HOME = { unit: HOME, epoch: 1, owner: "a" } as const;
const NOT_DONE = "nothing was done: the database cannot be used: ";

it("a command that no server took was not done, and says so", async (context) => {
  const nowhere = await connect(context, "postgres://aggwatch@127.0.0.1:1/none");
  expect(await askOwner(nowhere, HOME, ASKED)).toMatchObject({
    accepted: false,
    detail: `${NOT_DONE}connect ECONNREFUSED 127.0.0.1:1. Give the command to the replica that acts`,
  });
});

it("a command that the server refused was not done, and says so", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RAISE EXCEPTION ''No space left on device'' USING ERRCODE = ''53100''; END'`);
  await database.query("CREATE TRIGGER refuse BEFORE INSERT ON command EXECUTE FUNCTION refuse()");
  const { detail } = await askOwner(database, HOME, ASKED);
  expect(detail).toContain(`${NOT_DONE}No space left on device`);
});

it("a command whose answer is waited for as the database goes is answered once that is back", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await leaseStore(database, HOME).take("a");
  const asked = askOwner(database, HOME, ASKED);
  while ((await database.query("SELECT FROM command")).length === 0);
  await server().kill();
  await expect(database.query("SELECT FROM command")).rejects.toThrow(
    "the database cannot be read",
  );
  await server().start();
  await answerCommands(database, OWNER_OF_HOME, () => DONE);
  expect(await asked).toEqual(DONE);
});

it("a command that was given to a database that is gone has an unknown outcome", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const ending = new AbortController();
  const asked = askOwner(database, HOME, ASKED, ending.signal);
  while ((await database.query("SELECT FROM command")).length === 0);
  await server().kill();
  context.onTestFinished(async () => await server().restart());
  ending.abort();
  expect((await asked).detail).toContain("the outcome is unknown: ");
});

it("a command that is done as the database refuses its answer is answered later, and not done again", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await leaseStore(database, HOME).take("a");
  await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RAISE EXCEPTION ''No space left on device'' USING ERRCODE = ''53100''; END'`);
  await database.query(
    "CREATE TRIGGER refuse BEFORE UPDATE OF answer ON command EXECUTE FUNCTION refuse()",
  );
  const asked = askOwner(database, HOME, ASKED);
  let times = 0;
  const unanswered: Unanswered = new Map();
  const answer = async (): Promise<void> => {
    const apply = () => ((times += 1), DONE);
    await answerCommands(database, OWNER_OF_HOME, apply, unanswered);
  };
  while ((await database.query("SELECT FROM command")).length === 0);
  await expect(answer()).rejects.toThrow("No space left on device");
  await database.query("DROP TRIGGER refuse ON command");
  await answer();
  expect([await asked, times, unanswered.size]).toEqual([DONE, 1, 0]);
});

it("a command that waits while its replica ends is taken back, unless the owner has taken it", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const ending = new AbortController();
  const asked = askOwner(database, HOME, ASKED, ending.signal);
  while ((await database.query("SELECT FROM command")).length === 0);
  ending.abort();
  const back = "nothing was done: this replica ends. Give the command to another.";
  expect((await asked).detail).toBe(back);
  expect(await database.query("SELECT FROM command")).toEqual([]);
  expect((await askOwner(database, HOME, ASKED, ending.signal)).detail).toBe(back);
  const later = new AbortController();
  const taken = askOwner(database, HOME, ASKED, later.signal);
  while ((await database.query("UPDATE command SET taken_in = 1 RETURNING id")).length === 0);
  later.abort();
  expect((await taken).detail).toContain("check whether it was done");
});

it("a command that may have been given says that its outcome is unknown", async () => {
  const transaction: Database["transaction"] = async () =>
    await Promise.resolve(fail({ kind: "unknown", detail: "the connection broke" }));
  const query = async () => await Promise.resolve([]);
  const { detail } = await askOwner({ query, transaction }, HOME, ASKED);
  expect(detail).toBe("the outcome is unknown: the connection broke");
});

describe("an owner takes", () => {
  type Given = readonly [unit: string, reason: string, agoMs?: number];
  const give = async (database: Database, ...all: readonly Given[]): Promise<void> => {
    for (const [unit, reason, agoMs = 0] of all)
      await database.query(
        `INSERT INTO command (unit, asked_at, body)
         VALUES ($1, clock_timestamp() - $3 * interval '1 ms', $2)`,
        [unit, JSON.stringify({ ...ASKED, reason }), agoMs],
      );
  };
  const taken = async (database: Database): Promise<readonly string[]> => {
    const reasons: string[] = [];
    await answerCommands(database, OWNER_OF_HOME, ({ reason }) => {
      reasons.push(reason);
      return DONE;
    });
    return reasons;
  };

  it("the commands of its unit that are still waited for, the oldest first", async (context) => {
    const database = await connectMigrated(context, await server().makeDatabase());
    await leaseStore(database, HOME).take("a");
    const waiting = [HOME, "first"] as const;
    await give(
      database,
      [HOME, "past", HOUR],
      waiting,
      [sendersUnit(1), "other"],
      [HOME, "second"],
    );
    expect(await taken(database)).toEqual(["first", "second"]);
  });

  it("none under an epoch that is past, though it has the lease again and that of another unit", async (context) => {
    const database = await connectMigrated(context, await server().makeDatabase());
    const home = leaseStore(database, HOME);
    for (const lease of [home, leaseStore(database, sendersUnit(1))]) await lease.take("a");
    await home.release("a", 1);
    await home.take("a");
    await give(database, [HOME, "for the epoch 2"]);
    expect(await taken(database)).toEqual([]);
  });
});

it("an answer is given to no other command that a database which lost some gives the same number", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await leaseStore(database, HOME).take("a");
  const [other] = await database.query(
    "INSERT INTO command (unit, asked_at, body) VALUES ($1, clock_timestamp(), $2) RETURNING id",
    [HOME, JSON.stringify(ASKED)],
  );
  const before: Unanswered = new Map([[Number(other?.["id"]), DONE]]);
  const answers: unknown[] = [];
  const apply = async () => {
    answers.push(...(await database.query("SELECT answer FROM command")));
    return DONE;
  };
  await answerCommands(database, OWNER_OF_HOME, apply, before);
  expect(answers).toEqual([{ answer: null }]);
});

it("an empty database in the place of the one before says what to do", async (context) => {
  const empty = await connect(context, await server().makeDatabase());
  expect(await leaseStore(empty, HOME).take("a")).toMatchObject({
    ok: false,
    problem: expect.stringMatching(
      /^relation "\w+" does not exist: the database holds no journal of aggwatch, .*restart a replica/,
    ),
  });
});

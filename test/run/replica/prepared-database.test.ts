/** Tests src/run/replica/prepared-database.ts: a database that is waited for, and one that cannot be used. */
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { fail, succeed } from "../../../src/domain/result.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { DatabaseAway, type Ask, type Database } from "../../../src/io/postgres/database.ts";
import { MIGRATIONS } from "../../../src/io/postgres/schema.ts";
import { prepareDatabase } from "../../../src/run/replica/prepared-database.ts";
import { RefusedStart } from "../../../src/run/service/running.ts";

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const SHARDS = 2;

type Given = {
  why?: string;
  isLasting?: true;
  /** So many questions are answered all the same. */
  answers?: number;
  version?: number;
  /** Another replica runs with so many. */
  shards?: number;
};

/** A database of this schema whose rows are in their units, unless it is given why it refuses every question. */
function databaseOf(given: Given) {
  let asked = 0;
  const ask: Ask = async (sql) => {
    const version = given.version ?? MIGRATIONS.length;
    const { shards = SHARDS } = given;
    const row = { made: true, version, shards, owner: "b/1", unit: "home" };
    return await Promise.resolve(sql.startsWith("SELECT") ? [row] : []);
  };
  const transaction: Database["transaction"] = async (work) => {
    asked += 1;
    const { why, isLasting, answers = 0 } = given;
    if (why === undefined || asked <= answers) return succeed(await work(ask));
    return fail({ kind: "unavailable", detail: why, ...(isLasting && { isLasting }) });
  };
  const close = vi.fn(async () => await Promise.resolve());
  return { database: { query: ask, transaction, close }, asked: () => asked };
}

async function prepared(given: Given) {
  const { database, asked } = databaseOf(given);
  const done = await prepareDatabase(database, SHARDS);
  if (!done.ok) throw new Error(done.problem);
  onTestFinished(done.value.stop);
  return { ...done.value, asked, other: done.value.guarded(database) };
}

it("other connections to a database that does not answer say why not, until it is prepared", async () => {
  const given: Given = { why: "no answer" };
  const { other, asked } = await prepared(given);
  await expect(other.query("SELECT 1")).rejects.toEqual(new DatabaseAway("no answer"));
  given.why = "it starts up";
  await vi.advanceTimersByTimeAsync(SECOND);
  const away = { kind: "unavailable", detail: "it starts up" };
  expect(await other.transaction(async (ask) => await ask("SELECT 1"))).toEqual(fail(away));
  delete given.why;
  // It answers, and its schema is not known to be this one yet.
  await expect(other.query("SELECT 1")).rejects.toEqual(new DatabaseAway("it starts up"));
  await vi.advanceTimersByTimeAsync(SECOND);
  const times = asked();
  expect(await other.query("SELECT 1")).toHaveLength(1);
  expect(await other.transaction(async () => await Promise.resolve(7))).toEqual(succeed(7));
  await vi.advanceTimersByTimeAsync(10 * SECOND);
  expect(asked()).toBe(times + 1);
});

it("a database that waiting does not mend ends the start, with the reason, at once or at its first answer", async () => {
  const problem = "the database cannot be used: no such role";
  const lasting: Given = { why: "no such role", isLasting: true };
  expect(await prepareDatabase(databaseOf(lasting).database, SHARDS)).toEqual(fail(problem));
  const given: Given = { why: "no answer" };
  const { refused, asked } = await prepared(given);
  Object.assign(given, lasting);
  await vi.advanceTimersByTimeAsync(SECOND);
  expect(await refused).toEqual(new RefusedStart(problem));
  await vi.advanceTimersByTimeAsync(10 * SECOND);
  expect(asked()).toBe(2);
});

it.each<[Given, RegExp]>([
  [{ version: MIGRATIONS.length + 1 }, /^the database was written by a newer aggwatch/],
  [{ shards: 3 }, /^journal.shards is 2 here, and the replica b\/1, .*, runs with 3: stop all/],
])(
  "a database that aggwatch itself refuses ends the start in its words: %o",
  async (given, why) => {
    const { database } = databaseOf(given);
    const said = expect.stringMatching(why) as string;
    expect(await prepareDatabase(database, SHARDS)).toEqual(fail(said));
  },
);

it("a database that goes away while it is being prepared is waited for", async () => {
  const { other } = await prepared({ why: "no answer", answers: 1 });
  await expect(other.query("SELECT 1")).rejects.toEqual(new DatabaseAway("no answer"));
});

it("a database is asked no more once the replica ends", async () => {
  const { stop, asked } = await prepared({ why: "no answer" });
  stop();
  await vi.advanceTimersByTimeAsync(10 * SECOND);
  expect(asked()).toBe(1);
});

/** Tests src/run/replica/run-unit.ts: what a unit says as it gets its lease, reads its rows, and loses it. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import { fail, succeed } from "../../../src/domain/result.ts";
import { SECOND } from "../../../src/domain/time.ts";
import { DatabaseAway, type Ask, type Database } from "../../../src/io/postgres/database.ts";
import { MIGRATIONS } from "../../../src/io/postgres/schema.ts";
import { createLog } from "../../../src/io/process/log.ts";
import { runUnit } from "../../../src/run/replica/run-unit.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { watchdogSetup } from "../watchdog-setup.ts";

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const LASTS = 6 * SECOND;
const SENDERS = sendersUnit(1);

type Given = {
  /** Why the rows cannot be read. */
  unreadable?: string;
  /** Why nothing can be asked. */
  away?: string;
  /** The lease is another's now. */
  isTaken?: boolean;
};

/** A unit of the replica `a`, whose lease is free. */
async function started(unit: string, given: Given) {
  const { path, remove } = temporaryDirectory();
  let taken: unknown;
  const ask: Ask = async (sql, values) => {
    if (sql.includes("INSERT INTO lease")) taken = values;
    if (given.away !== undefined) throw new DatabaseAway(given.away);
    const version = MIGRATIONS.length;
    if (sql.includes("SELECT shards")) return [{ shards: 0, version, owner: "b/1" }];
    if (sql.includes("to_regclass")) return [{ made: true }];
    if (sql.startsWith("SELECT version")) return [{ version }];
    const isOurs = sql.includes("lease") && given.isTaken !== true;
    const lease = { owner: "a/1", epoch: 1, last_sequence: 0, mine: 1 };
    return await Promise.resolve(isOurs ? [lease] : []);
  };
  const writer: Database = {
    query: ask,
    transaction: async (work) => {
      const detail = given.away ?? given.unreadable;
      return detail === undefined
        ? succeed(await work(ask))
        : fail({ kind: "unavailable", detail });
    },
    close: async () => await Promise.resolve(),
  };
  // Whoever reads what is shown may keep this one busy.
  const database: Database = {
    ...writer,
    query: () => Promise.reject(new DatabaseAway("busy")),
    transaction: async () => await Promise.resolve(fail({ kind: "unavailable", detail: "busy" })),
  };
  const lines: object[] = [];
  const log = createLog({ level: "info", format: "json" }, { isTerminal: false }, (line) => {
    const { time: _, ...said } = JSON.parse(line) as Record<string, unknown>;
    lines.push(said);
  });
  const onBegun = vi.fn(() => undefined);
  const running = runUnit(unit, {
    name: "a",
    owner: "a/1",
    database,
    writer,
    leaseMs: LASTS,
    setup: watchdogSetup(path, [], { log }),
    sourcesOf: () => undefined,
    shown: (alone) => alone,
    onBegun,
    onBroken: () => undefined,
  });
  onTestFinished(async () => {
    await running.stop();
    remove();
  });
  await running.asked;
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toEqual([unit, "a/1", LASTS, 0, false]);
  return { ...running, lines, onBegun };
}

describe.each([
  { unit: HOME, ofUnit: {}, begun: { mode: "act", msg: "acting" } },
  { unit: SENDERS, ofUnit: { unit: SENDERS }, begun: { msg: "watching senders" } },
])("the unit $unit", ({ unit, ofUnit, begun }) => {
  it("says why its rows cannot be read, and begins once they can be", async () => {
    const given: Given = { unreadable: "no answer" };
    const { lines, world, life, onBegun } = await started(unit, given);
    const detail = "the database cannot be read: no answer";
    expect(lines).toEqual([
      { level: "error", ...ofUnit, detail, msg: "the journal cannot be read" },
    ]);
    expect(world.reading()).toMatchObject({ isOwner: false, takeOvers: 0, lease: { epoch: 1 } });
    expect(life()).toBeUndefined();
    delete given.unreadable;
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(lines.slice(1)).toEqual([{ level: "info", ...ofUnit, epoch: 1, ...begun }]);
    expect(world.reading()).toMatchObject({ isOwner: true, isDatabaseUp: true, takeOvers: 1 });
    expect(life()?.service()).toBeDefined();
    expect(onBegun).toHaveBeenCalledOnce();
  });

  it("is no owner once its lease has run out, and says who took it", async () => {
    const given: Given = {};
    const { lines, world, life, holder } = await started(unit, given);
    lines.length = 0;
    given.away = "no answer";
    await vi.advanceTimersByTimeAsync(LASTS);
    expect(world.reading()).toMatchObject({ isOwner: false, isDatabaseUp: false });
    // All units are in one database, and one says it.
    const away = { level: "warn", detail: "no answer", msg: "the database cannot be used" };
    if (unit === HOME) expect(lines).toContainEqual(away);
    else expect(lines).not.toContainEqual(expect.objectContaining({ msg: away.msg }));
    delete given.away;
    given.isTaken = true;
    await vi.advanceTimersByTimeAsync(SECOND);
    const lost = { detail: "another replica has taken it", msg: "standing by: the lease is lost" };
    expect(lines).toContainEqual({ level: "warn", ...ofUnit, ...lost });
    expect([life(), world.reading().lease, holder()]).toEqual([undefined, undefined, "b/1"]);
  });
});

import { expect, it } from "vitest";
import type { Change } from "../../../src/domain/step.ts";
import { HOME } from "../../../src/domain/lease.ts";
import { postgresJournal } from "../../../src/io/postgres/journal.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import {
  copyOfAll,
  createRowCopy,
  joinCopies,
  type RowCopy,
} from "../../../src/run/replica/row-copy.ts";
import { connectMigrated, usePostgres } from "../../io/postgres/fixture.ts";

const server = usePostgres();

/** A unit whose rows are those that it is given, and how often it was read. */
function unit(name: string, rows: number) {
  const entities = (count: number): readonly Change[] =>
    Array.from({ length: count }, (_, n) => ({
      table: "entity",
      key: `${name} ${n}`,
      value: { of: name },
    }));
  let stored = entities(rows);
  const shared: Change = { table: "counter", key: "at", value: name };
  let sequence = 1;
  let reads = 0;
  let isAway = false;
  const copy = createRowCopy({
    read: async () => {
      reads += 1;
      if (isAway) {
        isAway = false;
        throw new Error("away");
      }
      return await Promise.resolve({
        rows: [...stored, shared],
        stamp: { epoch: 1, sequence },
        owner: "a",
      });
    },
    readSince: async () =>
      await Promise.resolve({ rows: [], stamp: { epoch: 1, sequence }, owner: "a" }),
  });
  const become = (count: number): void => {
    stored = entities(count);
    sequence += 1;
    copy.forget();
  };
  return {
    copy,
    reads: () => reads,
    fail: () => {
      isAway = true;
    },
    empty: () => become(0),
    grow: (count: number) => become(count),
  };
}

const keys = (rows: Iterable<Change>): readonly string[] => [...rows].map(({ key }) => key);

it("a listing is whole again, of which each unit has a part", async () => {
  const listing = (...targets: readonly string[]): Change => ({
    table: "watch",
    key: "bsc/http:desks",
    value: {
      type: "listing",
      aggregator: "bsc",
      source: "http",
      name: "desks",
      at: 1,
      entries: targets.map((target) => ({ kind: "sender", target })),
    },
  });
  const copies = [listing("0x1"), listing("0x2", "0x3")].map((row) =>
    createRowCopy({
      read: async () =>
        await Promise.resolve({ rows: [row], stamp: { epoch: 1, sequence: 1 }, owner: "a" }),
      readSince: async () => await Promise.resolve(undefined),
    }),
  );
  const joined = joinCopies(copies);
  await joined.refresh();
  expect([...joined.rows()]).toEqual([listing("0x1", "0x2", "0x3")]);
});

it("rows of several units are those of one journal, and what two have is that of the first", async () => {
  const joined = joinCopies([unit("home", 1).copy, unit("senders/1", 2).copy]);
  const read = ["home 0", "at", "senders/1 0", "senders/1 1", "at"];
  expect(keys((await joined.refresh()) ?? [])).toEqual(read);
  expect(keys(joined.rows())).toEqual(["home 0", "at", "senders/1 0", "senders/1 1"]);
  expect([...joined.rows()].find(({ key }) => key === "at")?.value).toBe("home");
  expect(joined.leftOut()).toBe(0);
  expect(await joined.refresh()).toBeUndefined();
});

it("units beyond so many rows are neither read nor held, and are shown once there is room", async () => {
  const [home, one, two] = [unit("home", 1), unit("senders/1", 5), unit("senders/2", 1)];
  const joined = joinCopies([home.copy, one.copy, two.copy], 4);
  await joined.refresh();
  expect(joined.leftOut()).toBe(1);
  expect(two.reads()).toBe(0);
  expect(keys(joined.rows())).not.toContain("senders/2 0");
  one.empty();
  expect(keys((await joined.refresh()) ?? [])).toEqual(["at", "senders/2 0", "at"]);
  expect(joined.leftOut()).toBe(0);
  expect(keys(joined.rows())).toContain("senders/2 0");
  // They go as they came, and viewers are to know.
  home.grow(6);
  const gone = (await joined.refresh()) ?? [];
  expect(keys(gone)).toEqual(expect.arrayContaining(["home 5", "senders/2 0"]));
  expect(keys(joined.rows())).not.toContain("senders/2 0");
});

it("a row that was deleted since is gone, and viewers are to know", async () => {
  const row = (key: string): Change => ({ table: "entity", key, value: {} });
  const gone: Change = { table: "entity", key: "one", value: undefined };
  let sequence = 1;
  const answer = async (rows: readonly Change[]) =>
    await Promise.resolve({ rows, stamp: { epoch: 1, sequence }, owner: "a" });
  const copy = createRowCopy({
    read: async () => await answer([row("one"), row("two")]),
    readSince: async () => await answer([gone]),
  });
  await copy.refresh();
  sequence += 1;
  expect(await copy.refresh()).toEqual([gone]);
  expect(keys(copy.rows())).toEqual(["two"]);
});

it("what is shown is as old as the unit that was read longest ago, and one that is left out holds no rows", async () => {
  const forgotten: string[] = [];
  const copyOf = (name: string, ageMs: number): RowCopy => ({
    rows: () => [],
    refresh: async () => await Promise.resolve([]),
    ageMs: () => ageMs,
    size: () => 3,
    forget: () => void forgotten.push(name),
  });
  const joined = joinCopies([copyOf("home", 1), copyOf("one", 7), copyOf("two", 9)], 3);
  expect(joined.ageMs()).toBe(9);
  await joined.refresh();
  expect([joined.ageMs(), joined.leftOut(), forgotten]).toEqual([7, 1, ["two"]]);
});

it("rows that were read before the database was away with the next unit's are given once it is back", async () => {
  const [home, one] = [unit("home", 1), unit("senders/1", 1)];
  const joined = joinCopies([home.copy, one.copy]);
  one.fail();
  await expect(joined.refresh()).rejects.toThrow("away");
  expect(keys((await joined.refresh()) ?? [])).toEqual(["home 0", "at", "senders/1 0", "at"]);
});

it.each([
  { epoch: 2, owner: "c", whose: "of the next in the same epoch" },
  { epoch: 3, owner: "b", whose: "of a later life of the same" },
])("rows of an owner that the database has lost are not mixed with those $whose", async (next) => {
  const row = (key: string): Change => ({ table: "entity", key, value: {} });
  const lost = [row("shared"), row("lost")];
  let stored = lost;
  let now = { stamp: { epoch: 2, sequence: 5 }, owner: "b" };
  const copy = createRowCopy({
    read: async () => await Promise.resolve({ rows: stored, ...now }),
    // By their numbers alone: what the next owner wrote with those that were lost is not among them.
    readSince: async () => await Promise.resolve({ rows: [row("newest")], ...now }),
  });
  await copy.refresh();
  expect(keys(copy.rows())).toEqual(["shared", "lost"]);
  stored = [row("shared"), row("other"), row("newest")];
  now = { stamp: { epoch: next.epoch, sequence: 6 }, owner: next.owner };
  // Those that are gone may differ too.
  const changes = ["shared", "lost", "shared", "other", "newest"];
  expect(keys((await copy.refresh()) ?? [])).toEqual(changes);
  expect(keys(copy.rows())).toEqual(["shared", "other", "newest"]);
});

const alert = (kind: string, id: string): Change => ({
  table: "alert",
  key: `R|bsc/${kind}/${id}`,
  value: { state: "firing", entity: { aggregator: "bsc", kind, id } },
});

it("of alerts on aggregators, only those of home are shown, as people are notified of no others", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const own = "senders/1";
  const commit = async (unit: string, sequence: number, changes: readonly Change[]) => {
    if (sequence === 1) await leaseStore(database, unit).take("a");
    const record = { at: sequence, changes, findings: [] };
    const commits = postgresJournal(database, unit, { owner: "a" });
    const after = sequence - 1;
    expect(await commits.commit(record, { epoch: 1, sequence, after })).toMatchObject({ ok: true });
  };
  await commit(HOME, 1, [alert("exchange", "BINANCE")]);
  await commit(own, 1, [alert("aggregator", "bsc"), alert("poller", "swaps/1")]);
  const copy = copyOfAll(database, postgresJournal(database, HOME), [own]);
  expect(keys((await copy.refresh()) ?? [])).toEqual([
    "R|bsc/exchange/BINANCE",
    "R|bsc/poller/swaps/1",
  ]);
  await commit(HOME, 2, [alert("aggregator", "bsc")]);
  await copy.refresh();
  expect(keys(copy.rows()).toSorted()).toEqual([
    "R|bsc/aggregator/bsc",
    "R|bsc/exchange/BINANCE",
    "R|bsc/poller/swaps/1",
  ]);
});

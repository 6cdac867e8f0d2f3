import { expect, it } from "vitest";
import type { Change } from "../../../src/domain/step.ts";
import { createRowCopy, joinCopies } from "../../../src/run/replica/row-copy.ts";

/** A unit whose rows are those that it is given, and how often it was read. */
function unit(name: string, rows: number) {
  const stored: Change[] = Array.from({ length: rows }, (_, n) => ({
    table: "entity",
    key: `${name} ${n}`,
    value: { of: name },
  }));
  const shared: Change = { table: "counter", key: "at", value: name };
  let sequence = 1;
  let reads = 0;
  const copy = createRowCopy({
    read: async () => {
      reads += 1;
      return await Promise.resolve({
        rows: [...stored, shared],
        stamp: { epoch: 1, sequence },
        owner: "a",
      });
    },
    readSince: async () =>
      await Promise.resolve({ rows: [], stamp: { epoch: 1, sequence }, owner: "a" }),
  });
  return {
    copy,
    reads: () => reads,
    empty: () => {
      stored.length = 0;
      sequence += 1;
      copy.forget();
    },
  };
}

const keys = (rows: Iterable<Change>): readonly string[] => [...rows].map(({ key }) => key);

it("rows of several units are those of one journal, and what two have is that of the first", async () => {
  const joined = joinCopies([unit("home", 1).copy, unit("senders/1", 2).copy]);
  expect(await joined.refresh()).toBe(true);
  expect(keys(joined.rows())).toEqual(["home 0", "at", "senders/1 0", "senders/1 1"]);
  expect([...joined.rows()].find(({ key }) => key === "at")?.value).toBe("home");
  expect(joined.leftOut()).toBe(0);
  expect(await joined.refresh()).toBe(false);
});

it("units beyond so many rows are neither read nor held, and are shown once there is room", async () => {
  const [home, one, two] = [unit("home", 1), unit("senders/1", 5), unit("senders/2", 1)];
  const joined = joinCopies([home.copy, one.copy, two.copy], 4);
  await joined.refresh();
  expect(joined.leftOut()).toBe(1);
  expect(two.reads()).toBe(0);
  expect(keys(joined.rows())).not.toContain("senders/2 0");
  one.empty();
  expect(await joined.refresh()).toBe(true);
  expect(joined.leftOut()).toBe(0);
  expect(keys(joined.rows())).toContain("senders/2 0");
});

it("rows of an owner that the database has lost are not mixed with those of the next in the same epoch", async () => {
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
  now = { stamp: { epoch: 2, sequence: 6 }, owner: "c" };
  expect(await copy.refresh()).toBe(true);
  expect(keys(copy.rows())).toEqual(["shared", "other", "newest"]);
});

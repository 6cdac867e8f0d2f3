import { expect, test } from "vitest";
import { createSimulatedDisk, type DiskFault } from "../../../src/simulation/machine/disk.ts";
import type { Journal, JournalRecord } from "../../../src/io/journal/journal.ts";

const storm = (key: string, unsynced?: true): JournalRecord => ({
  at: 1,
  changes: [{ table: "storm", key, value: [] }],
  findings: [],
  ...(unsynced && { unsynced }),
});

function begin() {
  const disk = createSimulatedDisk(() => undefined);
  const open = (): Journal => {
    const opened = disk.open();
    if (!opened.ok) throw new Error(opened.problem);
    return opened.value;
  };
  const keys = (): string[] => [...open().rows()].map(({ key }) => key);
  return { disk, open, keys };
}

test("A loss of power takes back what was committed unsynced, and the end of a process does not", () => {
  const { disk, open, keys } = begin();
  const journal = open();
  journal.commit(storm("a"));
  journal.commit(storm("b", true));
  journal.commit(storm("c", true));
  expect(disk.isSynced()).toBe(false);
  expect(keys()).toEqual(["a", "b", "c"]);
  expect(disk.losePower()).toBe(true);
  expect(keys()).toEqual(["a"]);
  expect(disk.losePower()).toBe(false);
});

test("A commit that waits for the disk makes safe what came before it", () => {
  const { disk, open, keys } = begin();
  const journal = open();
  journal.commit(storm("a", true));
  journal.commit(storm("b"));
  expect(disk.losePower()).toBe(false);
  expect(keys()).toEqual(["a", "b"]);
});

test("So does a sync, if there is nothing else to write", () => {
  const { disk, open, keys } = begin();
  const journal = open();
  journal.commit(storm("a", true));
  expect(journal.sync()).toMatchObject({ ok: true });
  expect(disk.losePower()).toBe(false);
  expect(keys()).toEqual(["a"]);
});

test.each<DiskFault>(["begin", "write", "commit"])(
  "A commit that fails at `%s` leaves what was committed unsynced, and the next makes that safe",
  (fault) => {
    const { disk, open, keys } = begin();
    const journal = open();
    journal.commit(storm("a", true));
    disk.fail(fault);
    expect(journal.commit(storm("b")).ok).toBe(false);
    disk.fail(undefined);
    expect(keys()).toEqual(["a"]);
    expect(journal.commit(storm("c")).ok).toBe(true);
    expect(disk.losePower()).toBe(false);
    expect(keys()).toEqual(["a", "c"]);
  },
);

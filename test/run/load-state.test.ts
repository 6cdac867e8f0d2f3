import { expect, it } from "vitest";
import { toEnd, type Slices } from "../../src/domain/slices.ts";
import type { Change, Policy } from "../../src/domain/step.ts";
import type { JournalRecord } from "../../src/io/journal/journal.ts";
import { createMemory } from "../../src/run/load-state.ts";
import { policyOf, rule } from "../core/fixtures.ts";
import { loopTest, START } from "./loop-world.ts";

const LIMIT = 3;
const POLICY: Policy = {
  ...policyOf([rule()]),
  limits: { entities: LIMIT, entitiesPerEntry: 1, vanished: 2 },
};

/** An exchange of many; those with the lowest numbers were seen first. */
function row(index: number, aggregator = "bsc"): Change {
  const id = `E${String(index).padStart(6, "0")}`;
  const value = {
    aggregator,
    kind: "exchange",
    id,
    surface: `${aggregator}/exchanges/all`,
    facts: { name: id, status: "enabled" },
    firstSeen: START + index,
    since: START + index,
  };
  return { table: "entity", key: `${aggregator}/exchange/${id}`, value };
}

function* rows(count: number): Generator<Change> {
  for (let index = 0; index < count; index += 1) yield row(index);
}

const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => row(from + index).key);

function memoryOf(count: number, refusedFrom = Infinity) {
  const commits: JournalRecord[] = [];
  const memory = createMemory(() => POLICY, {
    journal: {
      rows: function* () {
        yield* rows(count);
        yield row(0, "other");
      },
      commit: (record) => {
        commits.push(record);
        return commits.length >= refusedFrom
          ? { ok: false, problem: "disk full" }
          : { ok: true, value: undefined };
      },
    },
  });
  return { memory, commits };
}

const never = (): Slices => {
  throw new Error("a journal that answers at once commits by itself");
};

it("what a journal has beyond the limits is not in memory, and is deleted once", () => {
  const { memory, commits } = memoryOf(LIMIT + 2);
  const { tables, leftOut } = memory.stateSoFar();
  const within = [...keys(0, LIMIT), "other/exchange/E000000"];
  expect([...tables.entity.keys()]).toEqual(within);
  expect(leftOut).toEqual(new Map([["bsc/exchange", 2]]));
  expect(commits).toEqual([]);
  toEnd(memory.deleteOthers(START + 9, never));
  toEnd(memory.deleteOthers(START + 10, never));
  const changes = keys(LIMIT, LIMIT + 2).map((key) => ({ table: "entity", key, value: undefined }));
  expect(commits).toEqual([{ at: START + 9, changes, findings: [] }]);
  expect([...memory.stateSoFar().tables.entity.keys()]).toEqual(within);
});

it("a journal within the limits has nothing deleted", () => {
  const { memory, commits } = memoryOf(LIMIT);
  toEnd(memory.deleteOthers(START, never));
  expect(memory.stateSoFar().leftOut).toEqual(new Map());
  expect(commits).toEqual([]);
});

it("far more than the limits are deleted by several commits, until one fails", () => {
  const { memory, commits } = memoryOf(LIMIT + 110_000, 2);
  toEnd(memory.deleteOthers(START, never));
  expect(commits.map(({ changes }) => changes.length)).toEqual([50_000, 50_000]);
  expect(commits.flatMap(({ changes }) => changes.map(({ key }) => key))).toEqual(
    keys(LIMIT, LIMIT + 100_000),
  );
});

it("the most that one start deletes leaves the rest to the next", () => {
  const { memory, commits } = memoryOf(LIMIT + 500_001);
  expect(memory.stateSoFar().leftOut).toEqual(new Map([["bsc/exchange", 500_001]]));
  toEnd(memory.deleteOthers(START, never));
  expect(commits.flatMap(({ changes }) => changes)).toHaveLength(500_000);
});

it("the first event of a loop deletes them before it is decided, at the instant of that event", () => {
  const records: JournalRecord[] = [];
  const { loop } = loopTest(POLICY, {
    isRestoredLater: true,
    journal: {
      rows: () => rows(LIMIT + 1),
      commit: (record) => {
        records.push(record);
        return { ok: true, value: undefined };
      },
    },
  });
  toEnd(loop.restore(() => undefined));
  expect(records).toEqual([]);
  loop.push({ type: "started" });
  const [key] = keys(LIMIT, LIMIT + 1);
  expect(records).toHaveLength(2);
  expect(records[0]).toMatchObject({ at: START, changes: [{ table: "entity", key }] });
  loop.push({ type: "tick" });
  expect(records).toHaveLength(2);
});

it("a journal that answers later has them in the commit of the first event", async () => {
  const records: JournalRecord[] = [];
  const { loop } = loopTest(POLICY, {
    journal: {
      rows: () => rows(LIMIT + 1),
      commitLater: async (record) => {
        records.push(record);
        return await Promise.resolve({ ok: true, value: undefined });
      },
    },
  });
  loop.push({ type: "started" });
  await loop.end();
  const [key] = keys(LIMIT, LIMIT + 1);
  expect(records[0]?.changes).toContainEqual({ table: "entity", key, value: undefined });
});

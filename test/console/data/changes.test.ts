import { describe, expect, it } from "vitest";
import { applied, createLateChanges, type Change } from "../../../src/console/data/changes.ts";

type Row = {
  readonly id: string;
  readonly status: string;
  readonly facts: Record<string, unknown>;
};

const ROWS: readonly Row[] = [
  { id: "A", status: "enabled", facts: { base: 1, quote: 2 } },
  { id: "B", status: "enabled", facts: { base: 3 } },
];

const apply = (...changes: Change[]) =>
  applied(ROWS, new Map(changes.map((change) => [change.key, change])), ({ id }) => id);

describe("changes of a list", () => {
  it("change the fields that differ, and of facts only those", () => {
    const { rows, isStale } = apply({ key: "A", facts: { base: 9, quote: null } });
    expect(rows).toEqual([{ id: "A", status: "enabled", facts: { base: 9 } }, ROWS[1]]);
    expect(rows[1]).toBe(ROWS[1]);
    expect(isStale).toBe(false);
  });

  it("ask for the list again if a row comes, goes, or belongs elsewhere now", () => {
    expect(apply({ key: "C", row: { id: "C" } }).isStale).toBe(true);
    expect(apply({ key: "A", gone: true }).isStale).toBe(true);
    expect(apply({ key: "A", status: "disabled" })).toMatchObject({
      isStale: true,
      rows: [{ id: "A", status: "disabled" }, { id: "B" }],
    });
  });

  it("ask for the list again if a row that is not in it may belong there now", () => {
    for (const change of [{ status: "disabled" }, { severity: "critical" }, { suppressed: null }])
      expect(apply({ key: "Z", ...change }).isStale).toBe(true);
    expect(apply({ key: "Z", gone: true }).isStale).toBe(false);
  });

  it("ask for a list that is searched again if texts change, in it or beside it", () => {
    for (const key of ["A", "Z"]) {
      const change = { key, facts: { base: 9 } };
      const changes = new Map([[key, change]]);
      expect(applied(ROWS, changes, ({ id }) => id, true).isStale).toBe(true);
      expect(apply(change).isStale).toBe(false);
    }
    const since = new Map([["A", { key: "A", since: "2026-01-31T12:00:00Z" }]]);
    expect(applied(ROWS, since, ({ id }) => id, true).isStale).toBe(false);
  });

  it("draw nothing again if they are of rows that are not shown", () => {
    const { rows, isStale } = apply({ key: "Z", since: "2026-01-31T12:00:00Z" });
    expect(rows).toBe(ROWS);
    expect(isStale).toBe(false);
  });

  it("ask for the list again if a row that is sent whole belongs elsewhere now", () => {
    const row = { id: "B", status: "enabled", facts: {} };
    expect(apply({ key: "B", row }).isStale).toBe(false);
    expect(apply({ key: "B", row: { ...row, status: "disabled" } }).isStale).toBe(true);
  });

  it("take a row that is sent whole", () => {
    const row = { id: "B", status: "disabled", facts: {} };
    expect(apply({ key: "B", row }).rows[1]).toEqual(row);
  });

  it("keep what only the list says of a row that is sent whole", () => {
    const named = [{ id: "A", alias: "desk-a", status: "x" }];
    const row = { id: "A", status: "y" };
    const changes = new Map([["A", { key: "A", row }]]);
    expect(applied(named, changes, ({ id }) => id).rows).toEqual([{ ...row, alias: "desk-a" }]);
  });

  it("change no row that was there before", () => {
    const before = structuredClone(ROWS);
    apply({ key: "A", facts: { base: 9 } }, { key: "B", status: "x" });
    expect(ROWS).toEqual(before);
  });
});

describe("changes that come while a list is read", () => {
  const came = (...changes: Change[]) => new Map(changes.map((change) => [change.key, change]));
  const late = () => createLateChanges<Row>(({ id }) => id);

  it("are applied to the rows that were read, in the order in which they came", () => {
    const { note, begin } = late();
    note(came({ key: "B", facts: { base: 7 } }));
    const end = begin();
    note(came({ key: "A", facts: { base: 8 } }));
    note(came({ key: "A", facts: { base: 9 } }, { key: "Z", facts: { base: 9 } }));
    expect(end(ROWS)).toEqual({
      rows: [{ id: "A", status: "enabled", facts: { base: 9, quote: 2 } }, ROWS[1]],
      isStale: false,
    });
  });

  it("ask for the list again if the pages were made before a row ended", () => {
    const { note, begin } = late();
    const end = begin();
    note(came({ key: "A", gone: true }));
    note(came({ key: "B", facts: { base: 9 } }));
    expect(end(ROWS).isStale).toBe(true);
  });

  it("are none of a read that began after them, nor of one that has ended", () => {
    const { note, begin } = late();
    begin();
    note(came({ key: "A", status: "disabled" }));
    const end = begin();
    expect(end(ROWS)).toEqual({ rows: ROWS, isStale: false });
    note(came({ key: "A", status: "disabled" }));
    expect(begin()(ROWS)).toEqual({ rows: ROWS, isStale: false });
  });
});

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { succeed } from "../../../src/domain/result.ts";
import { inOneSlice, toEnd } from "../../../src/domain/slices.ts";
import { databaseInSlices, inTransaction } from "../../../src/io/journal/database.ts";

const explain = (error: unknown): string => `it failed: ${String(error)}`;

it("a database is closed when its work is done, has failed, or is given up", () => {
  const database = new DatabaseSync(":memory:");
  const opening = (work: () => number) => {
    if (!database.isOpen) database.open();
    return databaseInSlices(
      () => database,
      inOneSlice(() => succeed(work())),
      explain,
    );
  };
  expect(toEnd(opening(() => 7))).toEqual({ ok: true, value: 7 });
  expect(database.isOpen).toBe(false);
  const failing = opening(() => {
    throw new Error("the disk");
  });
  expect(toEnd(failing)).toEqual({ ok: false, problem: "it failed: Error: the disk" });
  expect(database.isOpen).toBe(false);
  const begun = opening(() => 7);
  begun.next();
  expect(database.isOpen).toBe(true);
  begun.return(succeed(7));
  expect(database.isOpen).toBe(false);
});

it("a transaction whose work fails is rolled back, and the reason is that of the work", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE kept (text)");
  const put = (andThen: string) => () => {
    database.exec("INSERT INTO kept VALUES ('a')");
    database.exec(andThen);
  };
  expect(() => inTransaction(database, put("no SQL"))).toThrow(/syntax error/);
  // SQLite has rolled it back by itself.
  expect(() => inTransaction(database, put("ROLLBACK; no SQL"))).toThrow(/syntax error/);
  expect(() => inTransaction(database, () => database.close())).toThrow(/not open/);
  database.open();
});

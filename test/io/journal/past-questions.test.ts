/** Tests src/io/journal/past-questions.ts: the bounds of what is answered. */
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pastOf } from "../../../src/io/journal/past-questions.ts";
import { packPage, pagesOf } from "../../../src/io/journal/record-pages.ts";
import { migrate } from "../../../src/io/journal/schema.ts";

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(":memory:");
  migrate(database);
});
afterEach(() => database.close());

/** So many findings of one type, each a millisecond after the one before. */
function find(count: number, type: string, body: object, from = 1): void {
  const numbers = `WITH RECURSIVE n (at) AS (SELECT ? UNION ALL SELECT at + 1 FROM n WHERE at + 1 < ?)`;
  database
    .prepare(`INSERT INTO finding (at, type, body) ${numbers} SELECT at, ?, ? FROM n`)
    .run(from, from + count, type, JSON.stringify(body));
}

function open(unit: string, number: number, at: number, why: string, text = "x"): void {
  const body = JSON.stringify([{ t: "open", dt: 0, why, text }]);
  database
    .prepare("INSERT INTO record VALUES (?, ?, ?, 1, ?)")
    .run(pagesOf(unit)[0] + number, at, at + 5, packPage(body));
}

it("an alert's history and the orders are as many as a person reads, the newest", () => {
  find(502, "suppressed", { alert: "a" });
  find(502, "kill", { on: true });
  const past = pastOf(database);
  for (const found of [past.historyOf("a", 1_000), past.orders(1, 1_000)]) {
    expect(found).toHaveLength(500);
    expect([found[0]?.at, found.at(-1)?.at]).toEqual([502, 3]);
  }
});

it("orders are searched for among so many findings, and no more", () => {
  find(1, "kill", { on: true });
  find(19_999, "suppressed", { alert: "a" }, 2);
  const past = pastOf(database);
  expect(past.orders(1, 30_000)).toHaveLength(1);
  find(1, "suppressed", { alert: "a" }, 25_000);
  expect(past.orders(1, 30_000)).toEqual([]);
});

it("of what happened to an alert at one instant, the last counts, and no more alerts come than are asked for", () => {
  for (const key of ["a", "b", "c"])
    for (const change of ["firing", "resolved"])
      find(1, "alert", { type: "alert", change, alert: { key } }, 7);
  const last = { at: 7, finding: { type: "alert", change: "resolved", alert: { key: "a" } } };
  const part = pastOf(database).alertsAfter("", 7, 2);
  expect(part.found).toHaveLength(2);
  expect(part.found[0]).toEqual({ moved: last, last });
  expect(part.next).toBe("b");
});

it("restarts are those of home alone, and the newest of many", () => {
  open("senders/1", 1, 5, "start");
  for (let number = 1; number <= 501; number += 1) open("home", number, 10 * number, "start");
  const restarts = pastOf(database).restarts(0, 10_000);
  expect(restarts).toHaveLength(500);
  expect([restarts[0]?.at, restarts.at(-1)?.at]).toEqual([5_010, 20]);
  expect(pastOf(database).restarts(0, 9)).toEqual([]);
});

it("a restart is read from the begin of a page, short or long, plain or deflated", () => {
  // Hardly any of it can be deflated.
  const long = Array.from({ length: 50 }, (_, index) => hash("sha256", String(index), "base64"));
  for (const [index, text] of ["", "x".repeat(900), long.join("")].entries())
    open("home", index + 1, index + 1, "gap", text);
  const found = [3, 2, 1].map((at) => ({ at, why: "gap" }));
  expect(pastOf(database).restarts(0, 9)).toEqual(found);
});

it("no restart is read from a page that is damaged", () => {
  open("home", 1, 10, "start", "x".repeat(900));
  open("home", 2, 20, "gap");
  database.exec("UPDATE record SET body = x'00ffff' WHERE seq = 1");
  expect(pastOf(database).restarts(0, 100)).toEqual([{ at: 20, why: "gap" }]);
});

it("each unit has a span, chapters and pages of its own", () => {
  open("home", 1, 10, "start");
  open("senders/1", 0, 3, "start");
  open("senders/1", 1, 30, "day");
  open("senders/2", 0, 20, "start");
  const { recordUnits, recordSpan, chapterAt, pagesFrom } = pastOf(database);
  expect(recordUnits()).toEqual(["home", "senders/1", "senders/2"]);
  expect(recordSpan()).toEqual({ firstAt: 10, lastAt: 15 });
  expect(recordSpan("senders/1")).toEqual({ firstAt: 3, lastAt: 35 });
  expect(recordSpan("senders/3")).toBeUndefined();
  const [first] = pagesOf("senders/1");
  expect([chapterAt(2, "senders/1"), chapterAt(29, "senders/1")]).toEqual([first, first]);
  expect(chapterAt(30, "senders/1")).toBe(first + 1);
  expect(chapterAt(2, "home")).toBe(0);
  expect(pagesFrom(first, 9).map(({ at }) => at)).toEqual([3, 30]);
});

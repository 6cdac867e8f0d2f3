import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrate } from "../../../src/io/journal/schema.ts";
import {
  pageProblem,
  pagesOf,
  pageWriter,
  readPages,
  storedPage,
  type Page,
} from "../../../src/io/journal/record-pages.ts";

it("a page is on disk once, though its first commit failed after it was applied", () => {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  const page = (at: number): Page => ({ at, until: at, whole: at === 1, body: `[[0,0,${at}]]` });
  const [first, second, third] = [page(1), page(2), page(3)];
  const writer = pageWriter(database);
  writer.write(first);
  // The disk said that this had failed, so it is written again with what came since.
  for (const again of [first, second]) writer.write(again);
  // A process that starts again goes on with the next number.
  pageWriter(database).write(third);
  const bodies = [...readPages(database, 0)].map((one) => ("body" in one ? one.body : one.problem));
  expect(bodies).toEqual([first.body, second.body, third.body]);
  database.close();
});

it.for([null, 7, "text"])(
  "a page whose body a damage made %j has a problem in plain words",
  (body) => {
    const page = storedPage({ seq: 28, at: 1, until: 2, whole: 1, body });
    expect(pageProblem(page)).toBe("page 28 of the record: it has no body");
  },
);

it.for([
  [Buffer.from("[1, "), "page 5 of the record: not JSON"],
  [Buffer.from("<[1]>"), "page 5 of the record: it begins as no page does"],
  [Buffer.of(0, 1), "page 5 of the record: "],
] as const)("a page of the bytes %j has a problem", ([body, problem]) => {
  const page = storedPage({ seq: 5, at: 1, until: 2, whole: 1, body });
  expect(pageProblem(page)?.slice(0, problem.length)).toBe(problem);
});

describe("the records of several units in one file", () => {
  const BYTES = Buffer.from("[12345678]");

  /** Pages of 10 bytes each, with their instants; each of the first, the third and so on begins a chapter. */
  function filled(pages: Readonly<Record<string, readonly number[]>>) {
    const database = new DatabaseSync(":memory:");
    onTestFinished(() => database.close());
    migrate(database);
    const writer = pageWriter(database);
    for (const [unit, instants] of Object.entries(pages))
      for (const [index, at] of instants.entries())
        writer.put([pagesOf(unit)[0] + 1 + index, at, at, index % 2 === 0 ? 1 : 0], BYTES);
    const left = () =>
      Object.fromEntries(
        Object.keys(pages).map((unit) => [
          unit,
          [...readPages(database, ...pagesOf(unit))].map((page) => "at" in page && page.at),
        ]),
      );
    return { database, writer: pageWriter(database), left };
  }

  it("lose chapters for lack of room, those of the last unit first, and never their newest", () => {
    const { writer, left } = filled({ home: [1, 2, 3, 4], "senders/1": [1, 2, 3] });
    const bounded = (maxBytes: number) => {
      writer.prune(5, { retentionMs: 5, maxBytes });
      return left();
    };
    expect(bounded(70)).toEqual({ home: [1, 2, 3, 4], "senders/1": [1, 2, 3] });
    expect(bounded(69)).toEqual({ home: [1, 2, 3, 4], "senders/1": [3] });
    expect(bounded(50)).toEqual({ home: [1, 2, 3, 4], "senders/1": [3] });
    expect(bounded(49)).toEqual({ home: [3, 4], "senders/1": [3] });
    expect(bounded(0)).toEqual({ home: [3, 4], "senders/1": [3] });
  });

  it("lose the chapters that are old, each its own", () => {
    const pages = { home: [1, 2, 9], "senders/1": [1, 2, 5], "senders/2": [1, 2, 6] };
    const { writer, left } = filled(pages);
    writer.prune(10, { retentionMs: 5, maxBytes: 1_000 });
    expect(left()).toEqual({ ...pages, "senders/1": [5] });
  });

  it("go on with the number after the last of home's", () => {
    const { writer, left } = filled({ home: [1, 2, 3], "senders/1": [1] });
    const added = { at: 4, until: 4, whole: false, body: "[]" };
    expect(writer.rowOf(added)).toEqual([4, 4, 4, 0]);
    writer.write(added);
    expect(left()).toEqual({ home: [1, 2, 3, 4], "senders/1": [1] });
  });
});

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { migrate } from "../../../src/io/journal/schema.ts";
import {
  pageProblem,
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

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  changingTable,
  endpointTable,
  forbiddenTable,
  replyTable,
} from "../../tools/describe-endpoints.ts";

const page = new URL("../../docs/aggregator.md", import.meta.url);

function withTable(text: string, name: string, table: string): string {
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const [before, rest = ""] = text.split(begin);
  const after = rest.split(end)[1] ?? "";
  return `${before}${begin}\n${table}\n${end}${after}`;
}

test("docs/aggregator.md has the tables of the code (UPDATE_DOCS=1 writes them)", () => {
  const text = readFileSync(page, "utf8");
  const tables = {
    endpoints: endpointTable(),
    replies: replyTable(),
    forbidden: forbiddenTable(),
    changing: changingTable(),
  };
  const expected = Object.entries(tables).reduce(
    (written, [name, table]) => withTable(written, name, table),
    text,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, expected);
  expect(readFileSync(page, "utf8")).toBe(expected);
});

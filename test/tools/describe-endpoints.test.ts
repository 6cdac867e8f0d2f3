import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { aggregatorSchema } from "../../src/config/settings/aggregator-schema.ts";
import { DEEPEST_JSON } from "../../src/domain/values/json-text.ts";
import { leavesOf } from "../../tools/describe.ts";
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

test("docs/aggregator.md has the limits that are the defaults", () => {
  const defaults = new Map(
    leavesOf(aggregatorSchema).map(({ path, defaultValue }) => [path.join("."), defaultValue]),
  );
  /** With a space before the unit. */
  const of = (key: string): string => String(defaults.get(key)).replace(/^(\d+)(?=[a-z])/i, "$1 ");
  const text = readFileSync(page, "utf8");
  for (const row of [
    `| requests | ${of("rate.requests_per_second")} a second, evenly spread, ${of("rate.concurrency")} at once;`,
    `| connecting, first byte, whole request | ${of("timeouts.connect")}, ${of("timeouts.response")}, ${of("timeout")} |`,
    `| body | ${of("max_body_bytes")} after decompression, ${DEEPEST_JSON} levels deep |`,
    `| retries | reads only: ${of("retries")} more attempts `,
  ])
    expect(text).toContain(row);
});

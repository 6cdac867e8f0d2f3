import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { endpointTable, forbiddenTable } from "../../src/aggregator/endpoint-table.ts";
import { isActEndpoint, type EndpointName } from "../../src/aggregator/endpoints.ts";
import { replyTable } from "../../src/aggregator/reply-table.ts";
import { pollers } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED, type WatchList } from "../../src/pollers/poller.ts";

const page = new URL("../../docs/aggregator.md", import.meta.url);

function withTable(text: string, name: string, table: string): string {
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const [before, rest = ""] = text.split(begin);
  const after = rest.split(end)[1] ?? "";
  return `${before}${begin}\n${table}\n${end}${after}`;
}

/** Something of everything, so that each poller asks all that it can ask. */
const ALL: WatchList = {
  ...NOTHING_WATCHED,
  senders: [{ address: "0x8a" }],
  liquidations: [{ id: "0x5f" }],
  orders: [
    { market: "spot", id: "1" },
    { market: "futures", id: "2" },
  ],
  orderStatuses: { spot: ["NEW"], futures: ["NEW"] },
  pools: [{ factory: "OrionV2", pair: "ORN-USDT" }],
  markets: [{ exchange: "OKX" }, { pair: "A-B" }, { pair: "A-B", exchange: "OKX" }],
};

function askedBy(name: EndpointName): string {
  if (isActEndpoint(name)) return "an action";
  const asking = pollers.filter(({ plan }) =>
    [NOTHING_WATCHED, ALL].some((watch) =>
      plan(watch).some(({ asks }) => asks.some(({ endpoint }) => endpoint === name)),
    ),
  );
  return asking.map((poller) => `\`${poller.name}\``).join(", ") || "`probe` alone";
}

test("docs/aggregator.md has the tables of the code (UPDATE_DOCS=1 writes them)", () => {
  const text = readFileSync(page, "utf8");
  const tables = {
    endpoints: endpointTable(askedBy),
    replies: replyTable(),
    forbidden: forbiddenTable(),
  };
  const expected = Object.entries(tables).reduce(
    (written, [name, table]) => withTable(written, name, table),
    text,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, expected);
  expect(readFileSync(page, "utf8")).toBe(expected);
});

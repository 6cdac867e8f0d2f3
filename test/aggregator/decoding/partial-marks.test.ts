import { describe, expect, it } from "vitest";
import {
  doubtOfHeaders,
  marksOfBody as marksIn,
} from "../../../src/aggregator/decoding/partial-marks.ts";
import type { DoubtReason } from "../../../src/domain/observation.ts";
import type { Json } from "../../../src/domain/result.ts";
import { DENIED } from "./failure-messages.ts";
import { ODD, SUCCESSES, UNKNOWN } from "./messages.ts";

const data = { exchanges: ["OKX"], pairs: [] };

function marksOfBody(
  body: Json,
  ignore: readonly DoubtReason[],
  isListing: boolean,
  accepted?: ReadonlySet<string>,
) {
  return marksIn(body, ignore, isListing ? { hasEntries: false, accepted } : undefined);
}

describe("what a body says against acting on it", () => {
  const doubted: ReadonlyArray<readonly [Json, string, string]> = [
    [{ ...data, error: { reason: "down" } }, "error_beside_data", '$.error is {"reason":"down"}'],
    [{ ...data, errors: ["down"] }, "error_beside_data", "$.errors"],
    [{ ...data, success: false, message: "down" }, "error_beside_data", "$.success is false"],
    [{ ...data, error: "success: false" }, "error_beside_data", "$.error"],
    [{ ...data, error: "success_with_errors" }, "error_beside_data", "$.error"],
    [{ ...data, error: "succeeded_partially" }, "error_beside_data", "$.error"],
    [{ ...data, error: "ok 失败" }, "error_beside_data", "$.error"],
    [{ ...data, errors: { BINANCE: "ok", OKX: "down" } }, "error_beside_data", "$.errors"],
    [{ data: [], ok: false }, "error_beside_data", "$.ok is false"],
    [{ data: [], meta: { Succeeded: "false" } }, "error_beside_data", "$.meta.Succeeded"],
    [{ data: [], status: "error" }, "error_beside_data", '$.status is "error"'],
    [{ data: ["A"], status: "FAILED" }, "error_beside_data", '$.status is "FAILED"'],
    [{ data: [], status: 500 }, "error_beside_data", "$.status is 500"],
    [{ data: [], status: "404" }, "error_beside_data", '$.status is "404"'],
    [{ data: [], code: "500000", msg: "down" }, "error_beside_data", '$.code is "500000"'],
    [{ result: { list: [] }, retCode: 10_001, retMsg: "down" }, "error_beside_data", "$.retCode"],
    [
      { data: { exchanges: {}, pairs: [] }, code: 1, message: "down" },
      "error_beside_data",
      "$.code",
    ],
    [{ data: [], code: 1, msg: "no rows" }, "error_beside_data", "$.code is 1"],
    [{ data: [], code: -1, msg: "no rows" }, "error_beside_data", "$.code is -1"],
    [{ data: [], code: 500, msg: "internal error" }, "error_beside_data", "$.code is 500"],
    [{ data: [], code: 1, msg: "数据库异常" }, "error_beside_data", "$.code is 1"],
    [{ data: [], code: 1, msg: "unsuccessful" }, "error_beside_data", "$.code is 1"],
    [{ data: [], code: "RATE_LIMITED", msg: "wait" }, "error_beside_data", "$.code"],
    ...[...DENIED, ...UNKNOWN, ...ODD].map(
      (msg) => [{ data: [], code: 1, msg }, "error_beside_data", "$.code is 1"] as const,
    ),
    [{ SUCCESS: false, DATA: [] }, "error_beside_data", "$.SUCCESS is false"],
    // Keys in capitals, beside what is of another kind, or where no names are.
    [{ EXCHANGES: ["A"], HAS_MORE: true }, "more_elsewhere", "$.HAS_MORE"],
    [{ PAIRS: ["A"], NEXT: "abc" }, "more_elsewhere", "$.NEXT"],
    [{ LIST: ["A"], TOTAL: 50 }, "total_not_reached", "$.TOTAL is 50, and 1 came"],
    [{ EXCHANGES: { OKX: { since: 5 } }, NEXT: { href: "/2" } }, "more_elsewhere", "$.NEXT"],
    [{ LIST: ["A"], META: { TOTAL: 50, LIMIT: 10 } }, "total_not_reached", "$.META.TOTAL"],
    [{ LIST: ["A"], LINKS: { SELF: "/1", NEXT: "/2" } }, "more_elsewhere", "$.LINKS.NEXT"],
    [{ EXCHANGES: null, NEXT: { href: "/2" } }, "more_elsewhere", "$.NEXT"],
    [{ EXCHANGES: null, STATUS: "error", REASON: "db down" }, "error_beside_data", "$.STATUS"],
    [{ EXCHANGES: {}, SUCCESS: false, CACHED: false }, "error_beside_data", "$.SUCCESS"],
    [{ EXCHANGES: {}, STATUS: 500, TIME: 2026 }, "error_beside_data", "$.STATUS"],
    [{ EXCHANGES: {}, HAS_MORE: true, CACHED: false }, "more_elsewhere", "$.HAS_MORE"],
    [{ EXCHANGES: {}, NEXT: { href: "/2" } }, "more_elsewhere", "$.NEXT"],
    [{ EXCHANGES: [], SUCCESS: false }, "error_beside_data", "$.SUCCESS is false"],
    [{ EXCHANGES: [], PAIRS: [], STATUS: "error" }, "error_beside_data", "$.STATUS"],
    [{ ...data, has_more: true }, "more_elsewhere", "$.has_more says that there is more"],
    [{ ...data, next: "/page/2" }, "more_elsewhere", "$.next"],
    [{ data, pagination: { nextCursor: "x" } }, "more_elsewhere", "$.pagination.nextCursor"],
    [{ data, _links: { next: { href: "/2" } } }, "more_elsewhere", "$._links.next"],
    [{ data, page: { totalPages: 3 } }, "more_elsewhere", "$.page.totalPages is 3"],
    [{ ...data, truncated: true }, "more_elsewhere", "$.truncated"],
    [{ content: ["A"], last: false }, "more_elsewhere", "$.last"],
    // As KuCoin, Bybit, HTX, Laravel, OData and others name them.
    [{ data: { items: ["A"], totalPage: 6 } }, "more_elsewhere", "$.data.totalPage is 6"],
    [{ data: { items: ["A"], totalNum: 251 } }, "total_not_reached", "$.data.totalNum is 251"],
    [{ result: { list: ["A"], nextPageCursor: "abc%3A1" } }, "more_elsewhere", "nextPageCursor"],
    [{ data: ["A"], "total-page": 4, "current-page": 1 }, "more_elsewhere", "$.total-page is 4"],
    [{ data: ["A"], "total-size": "400" }, "total_not_reached", "$.total-size is 400"],
    [{ data: ["A"], next_page_url: "http://x/?page=2" }, "more_elsewhere", "$.next_page_url"],
    [{ data: ["A"], meta: { current_page: 1, last_page: 7 } }, "more_elsewhere", "last_page is 7"],
    [{ value: ["A"], "@odata.nextLink": "http://x" }, "more_elsewhere", "$.@odata.nextLink says"],
    [{ items: ["A"], page: 1, pages: 5 }, "more_elsewhere", "$.pages is 5"],
    [{ ...data, total: 2 }, "total_not_reached", "$.total is 2, and 1 came"],
    [{ data: { items: ["A"], meta: { total_count: "7" } } }, "total_not_reached", "is 7, and 1"],
  ];
  it.each(doubted)("%j: %s", (body, reason, detail) => {
    const { doubt } = marksOfBody(body, [], true);
    expect(doubt).toMatchObject({ reason });
    expect(doubt?.detail).toContain(detail);
  });

  const whole: readonly Json[] = [
    ["A", "B"],
    data,
    { ...data, error: null, errors: [], next: null, has_more: false, total: 1 },
    { ...data, total: 0, next: "", truncated: "false", last: true },
    { data, meta: { total: 1, pages: { next: null } }, links: { next: null } },
    { data: ["A"], totalPage: 1, pages: "1", last_page: 1, totalNum: 1, "total-size": 1 },
    { data: ["A"], nextPageCursor: "", next_page_url: null, "@odata.nextLink": null, pages: {} },
    ...["OK", "ok.", "success", "none", "No errors", ["OK"], { code: 0, msg: "success" }].map(
      (error) => ({ ...data, error }),
    ),
    // The data itself: an order that failed, and a pool.
    { id: "1", status: "FAILED", error: "no funds" },
    { a: 1, p: 2, total: 9 },
    { orderId: "1", order: { id: "1", status: "FAILED", error: "no funds", total: 9, next: 1 } },
    [{ name: "A", error: "x", total: 9, has_more: true }],
    // Envelopes that say that all went well, or nothing.
    { data: [], success: true, ok: true, status: "ok", code: 0, msg: "no rows" },
    ...[0, "0", "00000", 200, "200", "200000", 20_000, "OK", "success"].map((code) => ({
      data: [],
      code,
      msg: "no rows",
    })),
    { data: [], status: 200, code: 1, message: "" },
    { data: [], code: 1, msg: "Success." },
    { result: { list: [] }, retCode: 0, retMsg: "OK" },
    { data: ["A"], code: 1, msg: "one row" },
    ...SUCCESSES.map((msg) => ({ data: [], code: 1, msg })),
    { data, code: 10_000, msg: "Query success" },
    { data: { exchanges: [], pairs: [] }, code: "S0000", message: "No disabled exchanges" },
    // The exchange OK and the asset MORE.
    { BINANCE: true, OK: false },
    { data: { BTC: { a: 1 }, MORE: { a: 1 } } },
    { BTC: { a: 1, b: 2 }, NEXT: { a: 1 }, TOTAL: { a: 2 } },
    { BINANCE: ["ORN-USDT"], NEXT: ["ORN-USDT"], OKX: [] },
    { data: { BTC: { a: 1 }, USDT: null, ETH: {}, MORE: { a: 1 } } },
    { data: { ORN: 1.5, MORE: "2" } },
    { data: { ORN: "1.5", USDT: "", MORE: "2" } },
    { data: { BINANCE: "enabled", OKX: "1", NEXT: "disabled" } },
    { data: { BINANCE: "enabled", NEXT: "disabled" } },
    { data: { BTC: 5, PAGES: 7, TOTAL: 9 } },
    { data: { OKX: { since: 5 } }, code: 1, msg: "one row" },
    { data: [{ id: 1 }], code: 1, msg: "Success, 1 exchanges disabled" },
    { data: [{ id: "1", status: "FAILED", ok: false }] },
  ];
  it.each(whole.map((body) => [body]))("%j says nothing", (body) => {
    expect(marksOfBody(body, [], false).doubt).toBeUndefined();
  });

  const listings = whole.filter((body) => !("status" in Object(body) && "error" in Object(body)));
  it.each(listings.map((body) => [body]))("%j says nothing as a listing", (body) => {
    expect(marksOfBody(body, [], true).doubt).toBeUndefined();
  });

  it("a code that came with entries is one of a success, unless it says that it failed", () => {
    const withEntries = (body: object) =>
      marksIn({ ...body, data: ["A"] }, [], { hasEntries: true }).code;
    expect(withEntries({ code: 7, msg: "rows" })).toBe("7");
    expect(withEntries({ code: 7, msg: "Success. Rate limit: 100/min" })).toBe("7");
    expect(withEntries({ code: 7, msg: "rows, limit 50" })).toBe("7");
    expect(withEntries({ code: 7, msg: "5 rows returned, success, limit 100/min" })).toBe("7");
    expect(withEntries({ code: 7, msg: "ok, total: 5, rate limit: 100/min" })).toBe("7");
    expect(withEntries({ code: 7, msg: "limit 100/min, total: 5, ok" })).toBe("7");
    expect(withEntries({ code: 7, msg: "共5条数据，限制 100，查询成功" })).toBe("7");
    expect(withEntries({ code: 7, msg: "request limit was reached" })).toBeUndefined();
    expect(withEntries({ code: 500, msg: "rows" })).toBeUndefined();
    expect(withEntries({ code: 7, msg: "shard 2 timed out" })).toBeUndefined();
    const doubtOf = (msg: string, code = 7) =>
      marksOfBody({ data: [], code, msg }, [], true, new Set(["7"])).doubt?.reason;
    expect(doubtOf("no rows")).toBeUndefined();
    expect(doubtOf("no rows", 8)).toBe("error_beside_data");
    for (const msg of [
      "rate limit",
      "over the limit",
      "limited for 5 s",
      "limit was hit",
      "You hit the limit for this endpoint",
      "Request limit for this key: try tomorrow",
      "quota limit 10/min",
      "API limit, wait",
    ])
      expect(doubtOf(msg), msg).toBe("error_beside_data");
    expect(doubtOf("the database failed")).toBe("error_beside_data");
  });

  it.each<Json>([
    { error: "backend unavailable" },
    { data: null, error: { code: 1, reason: "down" } },
    { success: false, message: "down" },
    { status: "error", message: "down" },
    { SUCCESS: false },
    { code: 500, message: "down", data: null },
  ])("%j is no listing of nothing", (body) => {
    expect(marksOfBody(body, [], true).doubt).toMatchObject({
      reason: "error_beside_data",
      detail: expect.stringMatching(/, instead of data$/),
    });
    expect(marksOfBody(body, ["error_beside_data"], true).doubt).toBeUndefined();
  });

  it("takes no longer than a body is long, whatever its keys are", () => {
    const many = (one: (index: number) => readonly [string, Json]) =>
      Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => one(index)));
    const last = { z: 0 };
    const alike = {
      a: { ...many((index) => [`k${index}`, 0]), ...last },
      ...many((index) => [`b${index}`, last]),
    };
    // Of keys, letters and digits count, so that these are all codes and messages.
    const dashes = (index: number): string =>
      index.toString(2).replaceAll("0", "-").replaceAll("1", "_");
    const codes = many((index) => [`code${dashes(index)}`, "E"]);
    const messages = many((index) => [`msg${dashes(index)}`, "hm"]);
    const body = { ...codes, ...messages, data: [] };
    expect(marksOfBody(alike, [], true).doubt).toBeUndefined();
    expect(marksOfBody({ ...body, message: "success: 0 rows" }, [], true).doubt).toBeUndefined();
    expect(marksOfBody(body, [], true).doubt).toMatchObject({ reason: "error_beside_data" });
  });

  it("the status of an order is never that of its reply", () => {
    const order = { id: "1", status: "FAILED", subOrders: [{ status: "FAILED" }] };
    const one = { orderId: "1", order };
    for (const body of [order, one, { data: order }, { data: one, code: 1, msg: "x" }])
      expect(marksOfBody(body, [], false).doubt).toBeUndefined();
    // A listing of one that came without its list.
    expect(marksOfBody(order, [], true).doubt).toBeUndefined();
    expect(marksOfBody({ orders: [order] }, [], true).doubt).toBeUndefined();
  });

  it("a reply of one entity that says that it failed is doubted", () => {
    const body = { success: false, data: { orderId: "1", order: { id: "1", status: "NEW" } } };
    expect(marksOfBody(body, [], false).doubt).toMatchObject({ reason: "error_beside_data" });
  });
});

describe("what status and headers say against acting on a body of two entries", () => {
  const link = (value: string) => ({ link: value });
  it.each([
    [206, {}, "partial_content"],
    [200, { "content-range": "items 0-1/7" }, "partial_content"],
    [200, link('</2>; rel="next"'), "more_elsewhere"],
    [200, link("</1>; rel=prev, </2>; rel=next"), "more_elsewhere"],
    [200, { "x-next-page": "2" }, "more_elsewhere"],
    [200, { "x-next-page": "" }, undefined],
    [200, { "x-total-pages": "2" }, "more_elsewhere"],
    [200, { "x-total-pages": "1" }, undefined],
    [200, { "x-total-count": "3" }, "total_not_reached"],
    [200, { "x-total-count": "2" }, undefined],
    [200, { "x-total-count": "many" }, undefined],
    [200, link('</a.css>; rel="preload"; title="next"'), undefined],
    [200, {}, undefined],
  ] as const)("%j %j: %s", (status, headers, reason) => {
    expect(doubtOfHeaders({ status, headers }, 2, [])?.reason).toBe(reason);
  });
});

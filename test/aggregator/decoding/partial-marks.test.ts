import { describe, expect, it } from "vitest";
import { doubtOfHeaders, marksOfBody } from "../../../src/aggregator/decoding/partial-marks.ts";
import type { Json } from "../../../src/domain/result.ts";

const data = { exchanges: ["OKX"], pairs: [] };

describe("what a body says against acting on it", () => {
  const doubted: ReadonlyArray<readonly [Json, string, string]> = [
    [{ ...data, error: { reason: "down" } }, "error_beside_data", '$.error is {"reason":"down"}'],
    [{ ...data, errors: ["down"] }, "error_beside_data", "$.errors"],
    [{ ...data, has_more: true }, "more_elsewhere", "$.has_more says that there is more"],
    [{ ...data, next: "/page/2" }, "more_elsewhere", "$.next"],
    [{ data, pagination: { nextCursor: "x" } }, "more_elsewhere", "$.pagination.nextCursor"],
    [{ data, _links: { next: { href: "/2" } } }, "more_elsewhere", "$._links.next"],
    [{ data, page: { totalPages: 3 } }, "more_elsewhere", "$.page.totalPages is 3"],
    [{ ...data, truncated: true }, "more_elsewhere", "$.truncated"],
    [{ content: ["A"], last: false }, "more_elsewhere", "$.last"],
    [{ ...data, total: 2 }, "total_not_reached", "$.total is 2, and 1 came"],
    [{ data: { items: ["A"], meta: { total_count: "7" } } }, "total_not_reached", "is 7, and 1"],
  ];
  it.each(doubted)("%j: %s", (body, reason, detail) => {
    expect(marksOfBody(body, []).doubt).toMatchObject({ reason });
    expect(marksOfBody(body, []).doubt?.detail).toContain(detail);
  });

  const whole: readonly Json[] = [
    ["A", "B"],
    data,
    { ...data, error: null, errors: [], next: null, has_more: false, total: 1 },
    { ...data, total: 0, next: "", truncated: "false", last: true },
    { data, meta: { total: 1, pages: { next: null } }, links: { next: null } },
    // The data itself: an order that failed, and a pool.
    { id: "1", status: "FAILED", error: "no funds" },
    { a: 1, p: 2, total: 9 },
    { orderId: "1", order: { id: "1", status: "FAILED", error: "no funds", total: 9, next: 1 } },
    [{ name: "A", error: "x", total: 9, has_more: true }],
  ];
  it.each(whole.map((body) => [body]))("%j says nothing", (body) => {
    expect(marksOfBody(body, []).doubt).toBeUndefined();
  });
});

describe("what status and headers say against acting on a body of two entries", () => {
  const link = (value: string) => ({ link: value });
  it.each([
    [206, {}, "partial_content"],
    [200, { "content-range": "items 0-1/7" }, "partial_content"],
    [200, link('</2>; rel="next"'), "more_elsewhere"],
    [200, link("</1>; rel=prev, </2>; rel=next"), "more_elsewhere"],
    [200, { "x-total-count": "3" }, "total_not_reached"],
    [200, { "x-total-count": "2" }, undefined],
    [200, { "x-total-count": "many" }, undefined],
    [200, link('</a.css>; rel="preload"; title="next"'), undefined],
    [200, {}, undefined],
  ] as const)("%j %j: %s", (status, headers, reason) => {
    expect(doubtOfHeaders({ status, headers }, 2, [])?.reason).toBe(reason);
  });
});

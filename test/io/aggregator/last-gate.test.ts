import { describe, expect, it } from "vitest";
import type { HttpMethod, Purpose } from "../../../src/domain/http.ts";
import type { Json } from "../../../src/domain/result.ts";
import { gateProblem } from "../../../src/io/aggregator/last-gate.ts";

const BASE = "https://aggregator.example/backend";

type Given = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly purpose?: Purpose;
};

function problemOf(method: HttpMethod, url: string, given: Given = {}): string | undefined {
  const { headers = {}, body, purpose = method === "GET" ? "read" : "act" } = given;
  const whole = new URL(url.startsWith("/") ? `${BASE}${url}` : url);
  return gateProblem(
    { method, url: whole, headers, ...(body === undefined ? {} : { body }) },
    new URL(BASE),
    purpose,
  );
}

const TOGGLE = "/api/v1/exchange/toggle/OKX";

describe("the last gate", () => {
  it("lets reads pass, and the three actions", () => {
    for (const path of ["/api/v1/exchange/list", "/order/status?status=NEW", "/x;v=1/a%20b"])
      expect(problemOf("GET", path), path).toBeUndefined();
    expect(problemOf("POST", TOGGLE)).toBeUndefined();
    expect(problemOf("POST", `${TOGGLE}/ORN-USDT`)).toBeUndefined();
    expect(problemOf("DELETE", "/api/v1/order/force/0x5f")).toBeUndefined();
  });

  it.each(["https://me@aggregator.example/backend/x", "https://:pw@aggregator.example/backend/x"])(
    "refuses a URL that carries a user name or a password alone: %s",
    (url) => {
      expect(problemOf("GET", url)).toBe("it would carry a user name or password");
    },
  );

  it.each([
    ["a dot segment below the first layer of encoding", "/a/%252e%252e/b", "dot segment"],
    ["one at the end", "/a/%252e", "dot segment"],
    ["one between other signs for a slash", "/a%5c..%5cb", "dot segment"],
    ["an action's path", "/api/v1/exchange/toggle/OKX", "an action"],
    ["one in other capitals", "/Exchange/TOGGLE", "an action"],
    ["one that is encoded twice", "/exchange/%2574oggle/OKX", "an action"],
    ["one with parameters of segments", "/exchange;a/toggle;b/OKX", "an action"],
    ["one with spaces", "/exchange%20/toggle%20/OKX", "an action"],
    ["one with empty segments", "/exchange//toggle/OKX", "an action"],
    ["seven layers of encoding", `/${"%25".repeat(1)}${"25".repeat(6)}41`, "too many layers"],
  ])("refuses a read of %s", (_, path, why) => {
    expect(problemOf("GET", path)).toContain(why);
  });

  it("refuses what leaves the base URL's path, though it comes back to it", () => {
    expect(problemOf("GET", "https://aggregator.example/x/backend/pairs")).toBe(
      "it would leave the base URL's path",
    );
  });

  it("reads as far as it can what is not encoded well", () => {
    expect(problemOf("GET", "/pairs/100%/list")).toBeUndefined();
    expect(problemOf("GET", "/exchange/toggle/100%")).toContain("an action");
  });

  it.each([
    ["DELETE", TOGGLE],
    ["DELETE", `${TOGGLE}/ORN-USDT`],
    ["DELETE", "/api/v1/order"],
  ] as const)("knows what must never be sent by itself: %s %s", (method, path) => {
    expect(problemOf(method, path)).toBe(
      `${method} on this path is a call that aggwatch never makes`,
    );
  });

  it.each([
    ["the toggle of an action behind another", "POST", "/order/force/exchange/toggle/OKX"],
    ["a longer path than it has arguments for", "POST", `${TOGGLE}/a/b/c/d/e`],
    ["another path that ends alike", "POST", "/my-exchange/toggle-all/OKX"],
    ["a forced cancellation without its word", "DELETE", "/api/v1/order/0x5f"],
  ] as const)("refuses as an action %s", (_, method, path) => {
    expect(problemOf(method, path)).toBeDefined();
  });

  it("refuses an action's path to a read by POST, and a read's to an action", () => {
    expect(problemOf("POST", TOGGLE, { purpose: "read" })).toBeDefined();
    expect(problemOf("POST", "/order/history", { purpose: "act" })).toBeDefined();
    for (const path of ["/order/history", "/pairs/exchangeInfo/spot"])
      expect(problemOf("POST", path, { purpose: "read" }), path).toBeUndefined();
  });

  it.each([
    ["a parameter's name", "/x?_method=1", {}],
    ["a parameter's value", "/x?a=%20delete", {}],
    ["a header's name", "/x", { headers: { "X-HTTP-Method-Override": "1" } }],
    ["a header's value", "/x", { headers: { "x-a": "PUT" } }],
    ["a field's name deep in its body", "/x", { body: { a: [{ _method: "1" }] } }],
    ["a field's value", "/x", { body: { a: { b: "patch" } } }],
  ])("refuses what may change the method by %s", (_, path, given: Given) => {
    expect(problemOf("GET", path, given)).toMatch(/^".*" may change its method$/);
    expect(problemOf("GET", "/x?a=b", { headers: { "x-a": "b" }, body: { a: 1 } })).toBeUndefined();
  });
});

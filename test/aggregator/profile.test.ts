import { describe, expect, test } from "vitest";
import { joinUrl, parseBaseUrl } from "../../src/aggregator/base-url.ts";
import { LIMITED } from "../../src/aggregator/endpoints/definition.ts";
import type { WireOverrides } from "../../src/aggregator/profile.ts";
import { compileProfile } from "../../src/aggregator/profile.ts";
import { buildRequest } from "../../src/aggregator/request.ts";

function problemsOf(overrides: WireOverrides): readonly string[] {
  const compiled = compileProfile(overrides);
  return compiled.ok
    ? []
    : compiled.problem.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function built(
  overrides: WireOverrides,
  name: "swapHistory" | "orderHistory" | "order",
  args: Record<string, string>,
) {
  const compiled = compileProfile(overrides);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem));
  return buildRequest(compiled.value, name, args);
}

describe("compileProfile", () => {
  test("takes what the settings say and keeps the defaults for the rest", () => {
    const compiled = compileProfile({
      swapHistory: {
        path: "/api/v1/atomic-swap/history/all",
        query: { limit: null, market: "SPOT" },
      },
      exchanges: {
        method: "post",
        body: {},
        headers: { "X-Partner-Id": "1", "X-Security-Level": "2", "X-Site": "3" },
        success: [200, 203],
      },
    });
    expect(compiled.ok && compiled.value.swapHistory).toMatchObject({
      method: "GET",
      path: "/api/v1/atomic-swap/history/all",
      query: { sender: "{sender}", market: "SPOT" },
    });
    expect(compiled.ok && compiled.value.exchanges).toMatchObject({
      method: "POST",
      body: {},
      headers: { "X-Partner-Id": "1", "X-Site": "3" },
      success: [200, 203],
    });
  });

  test("ignores of a history that there is more, whatever else it is to ignore", () => {
    const compiled = compileProfile({ swapHistory: { ignore: ["duplicate_key"] } });
    expect(compiled.ok && compiled.value.swapHistory.ignore).toEqual([...LIMITED, "duplicate_key"]);
    expect(compiled.ok && compiled.value.orderHistory.ignore).toEqual(LIMITED);
  });

  test.each<[WireOverrides, string]>([
    [
      { enablePair: { ignore: ["duplicate_key"] } },
      "enablePair.ignore: the body of an action is not read",
    ],
    [{ exchange: {} }, 'exchange: there is no endpoint "exchange"'],
    [{ exchanges: { method: "DELETE" } }, "exchanges.method: DELETE is not allowed here"],
    [{ enablePair: { method: "PUT" } }, "enablePair.method: PUT is not allowed here"],
    [{ forceCancel: { method: "GET" } }, "forceCancel.method: GET is not allowed here"],
    [{ exchanges: { body: {} } }, "exchanges.body: a GET has no body"],
    [{ exchanges: { path: "/a/{name}" } }, "exchanges.path: there is no argument {name}"],
    [{ exchanges: { query: { a: "x{b}" } } }, "exchanges.query: there is no argument {b}"],
    [{ estimations: { body: { a: ["{b}"] } } }, "estimations.body: there is no argument {b}"],
    [
      { order: { path: "/o/{owner}" } },
      "order.path: {owner} is optional and cannot be in the path",
    ],
    [
      { enablePair: { path: "/exchange/toggle/{exchange}" } },
      "enablePair.path: {assetPair} is used nowhere",
    ],
    [{ exchanges: { path: "/a/../b" } }, 'exchanges.path: ".." is not a segment that can be sent'],
    [
      { exchanges: { path: "/a%2fb" } },
      'exchanges.path: "a%2fb" is not a segment that can be sent',
    ],
    [{ exchanges: { path: "/a//b" } }, "exchanges.path: an empty segment inside the path"],
    [
      { exchanges: { path: "/a?b=c" } },
      'exchanges.path: "a?b=c" is not a segment that can be sent',
    ],
    [
      { exchanges: { path: "//evil.example" } },
      'exchanges.path: "" is not a segment that can be sent',
    ],
    [
      { estimations: { path: "/API/V1/Order/" } },
      "estimations.path: POST /API/V1/Order/ places a spot order, which aggwatch never does",
    ],
    [
      { forceCancel: { path: "/api/v1/exchange/toggle/{orderId}" } },
      "forceCancel.path: DELETE /api/v1/exchange/toggle/{orderId} disables an exchange, which aggwatch never does",
    ],
    [
      { enableExchange: { headers: { "x-http-method-override": "DELETE" } } },
      'enableExchange.headers: "x-http-method-override" may change the method',
    ],
    [
      { exchanges: { headers: { "X-Original-URL": "/x" } } },
      'exchanges.headers: the header "X-Original-URL" is not a setting',
    ],
    [
      { exchanges: { query: { kind: "delete " } } },
      'exchanges.query: "kind" may change the method',
    ],
    [
      { orderHistory: { body: { deep: [{ verb: "x" }] } } },
      'orderHistory.body: "verb" may change the method',
    ],
    [
      { poolReserves: { method: "POST", path: "/api/v1/exchange/toggle/OKX" } },
      "poolReserves.path: /api/v1/exchange/toggle/OKX must hold pools/reservations if the method is POST",
    ],
    [
      { enableExchange: { path: "/api/v1/order/{exchange}" } },
      "enableExchange.path: /api/v1/order/{exchange} must hold exchange/toggle if the method is POST",
    ],
    [
      { exchanges: { path: "/api/v1/Order/Force/1" } },
      "exchanges.path: /api/v1/Order/Force/1 is the path of an action",
    ],
    [
      { exchanges: { headers: { Authorization: "x" } } },
      'exchanges.headers: the header "Authorization" is not a setting',
    ],
    [
      { exchanges: { headers: { "x-a": "b\r\nc: d" } } },
      "exchanges.headers: not a header that can be sent",
    ],
    [
      { enablePair: { query: { _method: "DELETE" } } },
      'enablePair.query: "_method" may change the method',
    ],
    [
      { exchanges: { success: [404] } },
      "exchanges.success: a success is one or more of 200 to 299",
    ],
    [{ exchanges: { success: [] } }, "exchanges.success: a success is one or more of 200 to 299"],
    [{ enablePair: { map: "$" } }, "enablePair.map: the body of an action is not read"],
    [
      { exchanges: { map: "{ a: [" } },
      'exchanges.map: Expected "]" before end of expression at character 6 [S0203]',
    ],
  ])("refuses %j", (overrides, problem) => {
    expect(problemsOf(overrides)).toEqual([problem]);
  });

  test("puts one prefix instead of /api/v1 in all default paths", () => {
    const form = { apiPrefix: "/backend/v2", instants: "seconds" } as const;
    const compiled = compileProfile({ pairs: { path: "/api/v1/pairs" } }, form);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem));
    const { pairs, ...others } = compiled.value;
    expect(pairs.path).toBe("/api/v1/pairs");
    expect(others.swapHistory.path).toBe("atomic-swap/backend/v2/history/all");
    const paths = Object.values(others).map(({ path }) => path);
    expect(paths.filter((path) => path.includes("api/v1"))).toEqual([]);
    const root = compileProfile({}, { ...form, apiPrefix: "" });
    expect(root.ok && root.value.enableExchange.path).toBe("/exchange/toggle/{exchange}");
  });

  test("keeps the arguments of a read if its method carries them", () => {
    const asked = { address: "0x1", limit: "20" };
    const byGet = built({ orderHistory: { method: "GET" } }, "orderHistory", asked);
    expect(byGet).toEqual({
      ok: true,
      value: {
        method: "GET",
        path: "/api/v1/order/history",
        query: { address: "0x1", limit: "20" },
        headers: {},
      },
    });
    const byPost = built({ swapHistory: { method: "POST" } }, "swapHistory", { sender: "0x1" });
    expect(byPost).toMatchObject({ value: { method: "POST", query: {}, body: { sender: "0x1" } } });
    const own = { method: "POST", query: { page: "1" }, body: { from: "{sender}" } };
    expect(built({ swapHistory: own }, "swapHistory", { sender: "0x1" })).toMatchObject({
      value: { query: { page: "1" }, body: { from: "0x1" } },
    });
    const without = { method: "GET", query: { limit: null, max: "{limit}" } };
    expect(built({ orderHistory: without }, "orderHistory", asked)).toMatchObject({
      value: { query: { address: "0x1", max: "20" } },
    });
  });

  test.each(["brokerBalances", "futuresHistory", "estimations"])(
    "lets %s, which is asked by POST, be a GET without a body",
    (name) => {
      expect(problemsOf({ [name]: { method: "GET" } })).toEqual([]);
      expect(problemsOf({ [name]: { method: "GET", body: {} } })).toEqual([
        `${name}.body: a GET has no body`,
      ]);
    },
  );

  test("gives all problems at once, each with a hint", () => {
    const compiled = compileProfile({
      nonsense: {},
      exchanges: { method: "PUT", path: "a b", map: "(" },
    });
    expect(compiled.ok).toBe(false);
    if (compiled.ok) return;
    expect(compiled.problem).toHaveLength(4);
    expect(compiled.problem.every(({ hint }) => hint !== "")).toBe(true);
  });
});

describe("buildRequest", () => {
  test("refuses a read that an argument turns into the path of an action", () => {
    const overrides = {
      order: { path: "/order/{orderId}", query: { orderId: null, owner: null } },
    };
    expect(built(overrides, "order", { orderId: "1" }).ok).toBe(true);
    expect(built(overrides, "order", { orderId: "Force" })).toMatchObject({
      ok: false,
      problem: { message: "order cannot be asked: /order/Force is the path of an action" },
    });
  });

  test("leaves out what optional arguments would fill", () => {
    expect(built({}, "swapHistory", { sender: "0x1" })).toEqual({
      ok: true,
      value: {
        method: "GET",
        path: "/atomic-swap/api/v1/history/all",
        query: { sender: "0x1" },
        headers: {},
      },
    });
    expect(built({}, "orderHistory", { address: "0x1", limit: "20" })).toMatchObject({
      value: { body: { address: "0x1", limit: 20 } },
    });
  });

  test("fills arguments in once: braces that an argument holds stay what they are", () => {
    const overrides = { order: { query: { key: "{orderId}:{owner}" } } };
    expect(built(overrides, "order", { orderId: "{owner}", owner: "$&" })).toMatchObject({
      value: { query: { key: "{owner}:$&" } },
    });
  });

  test.each([
    [{}, "the argument orderId is empty"],
    [{ orderId: "" }, "the argument orderId is empty"],
    [{ orderId: "1", more: "2" }, "there is no argument more"],
    [{ orderId: "\ud800" }, "the argument orderId is not well-formed text"],
  ])("refuses the arguments %j", (args: Record<string, string>, why) => {
    expect(built({}, "order", args)).toMatchObject({
      ok: false,
      problem: { reason: "internal", message: `order cannot be asked: ${why}` },
    });
  });
});

describe("parseBaseUrl", () => {
  test.each([
    "ftp://host",
    "host",
    "https://u:p@host",
    "https://host/?a=b",
    "https://host/#a",
    "https://host/a%2fb",
    "https://host//a",
  ])("refuses %s", (text) => {
    expect(parseBaseUrl(text).ok).toBe(false);
  });

  test.each([
    ["https://host", "https://host/api/v1/order?a=b+c"],
    ["https://host/", "https://host/api/v1/order?a=b+c"],
    ["http://host:81/bsc/backend/", "http://host:81/bsc/backend/api/v1/order?a=b+c"],
  ])("%s keeps its own path", (text, expected) => {
    const base = parseBaseUrl(text);
    if (!base.ok) throw new Error(base.problem);
    for (const path of ["/api/v1/order", "api/v1/order"])
      expect(joinUrl(base.value, path, { a: "b c" }).href).toBe(expected);
  });
});

/** Tests src/actions: actions. */
import { describe, expect, test } from "vitest";
import { actions, actionsByName } from "../../src/actions/index.ts";
import { compileProfile } from "../../src/aggregator/profile.ts";
import { buildRequest } from "../../src/aggregator/request.ts";
import type { ActionName } from "../../src/domain/action.ts";
import { ACTION_NAMES } from "../../src/domain/action.ts";
import type { Facts } from "../../src/domain/entity.ts";
import { kinds } from "../../src/pollers/kinds.ts";

function actionOf(name: ActionName) {
  const action = actionsByName.get(name);
  if (action === undefined) throw new Error(`no action ${name}`);
  return action;
}

describe("every action", () => {
  test("is listed under its name, repairs a known kind, and only the cancel cannot be undone", () => {
    expect(actions.map(({ name }) => name)).toEqual(ACTION_NAMES);
    for (const { kind } of actions) expect(kinds.has(kind)).toBe(true);
    expect(actions.filter(({ irreversible }) => irreversible).map(({ name }) => name)).toEqual([
      "force_cancel_order",
    ]);
  });

  test.each(ACTION_NAMES)("%s calls nothing if a fact that it needs is missing", (name) => {
    expect(actionOf(name).call({ id: "X", facts: {} })).toBeUndefined();
  });
});

describe("what is called", () => {
  test.each<[ActionName, Facts, string]>([
    ["enable_exchange", { name: "BINANCE" }, "POST /api/v1/exchange/toggle/BINANCE"],
    [
      "enable_pair",
      { exchange: "BINANCE", asset_pair: "ORN-USDT" },
      "POST /api/v1/exchange/toggle/BINANCE/ORN-USDT",
    ],
    ["force_cancel_order", { order_id: "0xF1" }, "DELETE /api/v1/order/force/0xF1"],
  ])("%s of %j", (name, facts, expected) => {
    const profile = compileProfile({});
    const call = actionOf(name).call({ id: "X", facts });
    if (!profile.ok || call === undefined) throw new Error("no call");
    const request = buildRequest(profile.value, call.endpoint, call.args);
    expect(request.ok && `${request.value.method} ${request.value.path}`).toBe(expected);
  });
});

describe("a name that no request can hold", () => {
  test.each<[ActionName, Facts]>([
    ["enable_exchange", { name: ".." }],
    ["enable_exchange", { name: "%2e%2e" }],
    ["enable_exchange", { name: "%252e%252E" }],
    ["enable_exchange", { name: "a\nb" }],
    ["enable_exchange", { name: "x".repeat(301) }],
    ["enable_exchange", { name: "" }],
    ["enable_pair", { exchange: "BINANCE", asset_pair: "../ORN" }],
    ["enable_pair", { exchange: ".", asset_pair: "ORN-USDT" }],
    ["enable_pair", { exchange: "order", asset_pair: "futures" }],
    ["force_cancel_order", { order_id: ".." }],
    ["force_cancel_order", { order_id: "\uD800" }],
  ])("%s of %j is never called, and so costs no budget", (name, facts) => {
    expect(actionOf(name).call({ id: "X", facts })).toBeUndefined();
  });
});

describe("what counts as done", () => {
  test.each<[ActionName, Facts | undefined, string]>([
    ["enable_exchange", { status: "enabled", listed: true, disabled: false }, "reached"],
    ["enable_exchange", { status: "disabled", listed: true, disabled: true }, "open"],
    ["enable_exchange", { status: "disabled", listed: false, disabled: true }, "open"],
    ["enable_exchange", { status: "missing", listed: false, disabled: false }, "open"],
    ["enable_exchange", undefined, "open"],
    ["enable_pair", undefined, "reached"],
    ["enable_pair", { status: "disabled" }, "open"],
    ["force_cancel_order", { status: "CANCELED", final: true }, "reached"],
    ["force_cancel_order", { status: "NEW", final: false }, "open"],
    ["force_cancel_order", { status: "NOT_FOUND" }, "unknown"],
    ["force_cancel_order", undefined, "unknown"],
  ])("%s sees %j as %s", (name, facts, expected) => {
    expect(actionOf(name).aim(facts === undefined ? undefined : { facts })).toBe(expected);
  });
});

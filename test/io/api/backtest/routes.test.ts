/** Tests src/io/api/backtest/routes.ts. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { BacktestJson } from "../../../../src/io/api/answers.ts";
import type { Backtesting, BacktestStatus } from "../../../../src/io/api/backtest/answer.ts";
import { createApp } from "../../../../src/io/api/server.ts";
import { createTokenGate } from "../../../../src/io/api/tokens.ts";
import { rule } from "../../../core/fixtures.ts";
import { scriptedWorld, START } from "../../../core/world.ts";
import { sourceOf } from "../server-fixture.ts";

const TOKEN = "a-token-of-a-reader";
const sha256 = createHash("sha256").update(TOKEN).digest("hex");

const gate = createTokenGate({
  tokens: () => [{ name: "rita", sha256, scopes: ["read"] }],
  clock: { now: () => START },
  onRefused: () => {},
});

it("says which rules are tried, as its result is not that of others", async () => {
  const tried = ["Mine", "Other"];
  for (const [status, said] of [
    [{ state: "running", progress: 0, tried }, tried],
    [{ state: "running", progress: 0 }, null],
  ] as const) {
    const backtesting = { status: () => status, start: () => false, cancel: () => {} };
    const app = createApp(sourceOf(scriptedWorld({ rules: [] }), { gate, backtesting }));
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await app.request("/api/v1/backtest", { headers });
    expect(((await reply.json()) as BacktestJson).tried).toEqual(said);
  }
});

it("gives a backtest the id that its caller chose, who knows it by that if the answer is lost", async () => {
  let status: BacktestStatus = { state: "idle", progress: 0 };
  const backtesting: Backtesting = {
    status: () => status,
    start: (by, { id, since, until }) => {
      status = { state: "running", progress: 0, by, id, since, until };
      return true;
    },
    cancel: () => {},
  };
  const app = createApp(sourceOf(scriptedWorld({ rules: [] }), { gate, backtesting }));
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const post = async (id: unknown) => {
    const body = JSON.stringify({ since: new Date(START - 1_000).toISOString(), id });
    return await app.request("/api/v1/backtest", { method: "POST", headers, body });
  };
  const idNow = async () => {
    const reply = await app.request("/api/v1/backtest", { headers });
    return ((await reply.json()) as BacktestJson).id;
  };
  expect(await idNow()).toBeNull();
  expect(await (await post("mine")).json()).toMatchObject({ by: "rita", id: "mine" });
  expect(await idNow()).toBe("mine");
  expect((await post(undefined)).status).toBe(202);
  expect(await idNow()).toBeNull();
  for (const wrong of ["", "a".repeat(65), 5]) expect((await post(wrong)).status).toBe(400);
});

it("names what a backtest found by the alias that people gave it, if it is still watched", async () => {
  const world = scriptedWorld({ rules: [rule()] });
  const facts = { name: "A", alias: "the big one", status: "disabled" };
  world.sees("exchanges", [{ kind: "exchange", id: "A", facts }]);
  const runOf = (id: string) => ({
    rule: "ExchangeDisabled",
    entity: { aggregator: "bsc", kind: "exchange", id },
    counterfactual: false,
  });
  const alertOf = (id: string) => ({
    ...runOf(id),
    severity: "critical",
    startedAt: world.now,
    firedAt: world.now,
    badMs: 0,
  });
  const sent = { at: world.now, action: "enable_exchange", state: "verified", detail: "" } as const;
  const result = {
    since: 0,
    until: world.now,
    polls: 1,
    gaps: [],
    problems: [],
    counts: {
      alertsTold: 1,
      alertsWould: 2,
      alertsMore: 2,
      alertsFewer: 1,
      alertsMoved: 1,
      actionsMore: 1,
      actionsFewer: 1,
    },
    alertsMore: [alertOf("A"), alertOf("gone")],
    alertsFewer: [{ ...alertOf("A"), lostAt: START }],
    alertsMoved: [{ would: alertOf("A"), told: alertOf("A") }],
    actionsMore: [{ ...runOf("A"), ...sent }],
    actionsFewer: [{ ...runOf("A"), ...sent }],
    guards: [],
  };
  const backtesting = {
    status: () => ({ state: "done", progress: 1, result }) as const,
    start: () => true,
    cancel: () => {},
  };
  const app = createApp(sourceOf(world, { gate, backtesting }));
  const reply = await app.request("/api/v1/backtest", {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const { result: found } = (await reply.json()) as BacktestJson;
  expect(found?.alerts_more.map(({ alias }) => alias)).toEqual(["the big one", null]);
  expect(found?.alerts_more.map(({ lost_at: at }) => at)).toEqual([null, null]);
  expect(found?.alerts_fewer.map(({ lost_at: at }) => at)).toEqual(["2026-01-01T00:00:00.000Z"]);
  const moved = (found?.alerts_moved ?? []).flatMap(({ would, told }) => [would, told]);
  const others = [found?.alerts_fewer, found?.actions_more, found?.actions_fewer, moved];
  expect(others.flatMap((runs) => runs?.map(({ alias }) => alias))).toEqual(
    Array.from({ length: 5 }, () => "the big one"),
  );
});

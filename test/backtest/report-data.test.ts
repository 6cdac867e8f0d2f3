/** Tests src/backtest/report-data.ts. */
import { expect, it } from "vitest";
import type { AlertRun } from "../../src/backtest/outcome.ts";
import { backtestReport } from "../../src/backtest/report-data.ts";
import { START } from "../core/world.ts";

it("gives an entity of the same name on each aggregator a track of its own", () => {
  const runOf = (aggregator: string): AlertRun => ({
    rule: "ExchangeDisabled",
    entity: { aggregator, kind: "exchange", id: "BINANCE" },
    counterfactual: false,
    severity: "critical",
    startedAt: START,
    firedAt: START,
    badMs: 0,
  });
  const alerts = [runOf("bsc"), runOf("eth"), runOf("bsc")];
  const outcome = { alerts, actions: [], stopped: [], divergences: [] };
  const backtest = {
    since: START,
    until: START + 1,
    gaps: [],
    unknownMs: 0,
    polls: 1,
    outcome,
    problems: [],
  };
  const { timeline } = backtestReport(backtest, [], { rules: "rules" });
  expect(timeline?.tracks.map(({ name, spans }) => [name, spans.length])).toEqual([
    ["ExchangeDisabled exchange BINANCE of bsc", 2],
    ["ExchangeDisabled exchange BINANCE of eth", 1],
  ]);
});

/** Tests src/config/rules: shipped rules. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Facts } from "../../../src/domain/entity.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { readRuleFiles } from "../../../src/io/process/files.ts";
import { problemsOf, rulesOf, scope } from "./rule-text.ts";

const root = join(import.meta.dirname, "../../..");
const files = readRuleFiles(join(root, "rules"));
const texts = files.ok ? files.value.map(({ text }) => text) : [];
const rules = rulesOf(...texts);

function verdict(alert: string, facts: Facts, now = 0): string {
  const rule = rules.find((candidate) => candidate.alert === alert);
  return rule?.when.judge(scope(rule.kind, facts, now)).truth ?? "no such rule";
}

describe("the shipped rules", () => {
  it("compile without a problem", () => {
    expect(problemsOf(...texts)).toEqual([]);
    expect(rules.length).toBeGreaterThanOrEqual(13);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    "tell people what to do: %s",
    (alert, rule) => {
      expect(Object.keys(rule.annotations).sort()).toEqual([
        "description",
        "runbook_url",
        "summary",
      ]);
      const runbook = rule.annotations["runbook_url"]?.source ?? "";
      expect(runbook).toBe(`docs/runbooks/${alert}.md`);
      expect(existsSync(join(root, runbook)), runbook).toBe(true);
      const text = readFileSync(join(root, runbook), "utf8");
      for (const heading of ["Meaning", "Impact", "Diagnosis", "Mitigation"])
        expect(text).toContain(`## ${heading}\n`);
      // A hold stops the repairs of one entity, and ends by itself; the file stops all.
      const [hold, kill] = [text.indexOf("aggwatch hold"), text.search(/kill file/i)];
      if (kill >= 0) expect(hold >= 0 && hold < kill, "a hold before the kill file").toBe(true);
      expect(["critical", "warning", "info"]).toContain(rule.severity);
      const listed = readFileSync(join(root, "docs/rules.md"), "utf8").includes(
        `| ${alert} | ${rule.severity} |`,
      );
      expect(listed, "a row in docs/rules.md").toBe(true);
    },
  );

  it("repair exchanges and pairs, and only propose to cancel an order", () => {
    const acting = rules.flatMap(({ alert, act }) => (act ? [[alert, act.action, act.mode]] : []));
    expect(acting).toEqual([
      ["ExchangeDisabled", "enable_exchange", "act"],
      ["PairDisabled", "enable_pair", "act"],
      ["LiquidationStuck", "force_cancel_order", "propose"],
    ]);
  });

  it("wait before they speak, as one bad reading is not an alert", () => {
    // What aggwatch knows of its own repairing is not a reading.
    const read = rules.filter(({ kind }) => kind !== "repair");
    expect(read.filter(({ forMs }) => forMs < 30_000).map(({ alert }) => alert)).toEqual([]);
  });

  it.each<[string, Facts, number, string]>([
    ["ExchangeDisabled", { status: "disabled" }, 0, "bad"],
    ["ExchangeDisabled", { status: "enabled" }, 0, "ok"],
    ["ExchangeDisabled", {}, 0, "unknown"],
    ["ExchangeMissing", { status: "missing" }, 0, "bad"],
    ["ExchangeMissing", { status: "disabled" }, 0, "ok"],
    ["PairDisabled", { status: "disabled" }, 0, "bad"],
    ["LiquidationStuck", { final: false, since: 0 }, 11 * MINUTE, "bad"],
    ["LiquidationStuck", { final: false, since: 0 }, 9 * MINUTE, "ok"],
    ["LiquidationStuck", { final: true, since: 0 }, HOUR, "ok"],
    ["LiquidationStuck", { since: 0 }, HOUR, "unknown"],
    ["LiquidationStatusUnknown", { status: "REFUNDED", missing: false }, 0, "bad"],
    ["LiquidationStatusUnknown", { status: "NEW", final: false, missing: false }, 0, "ok"],
    ["LiquidationStatusUnknown", { missing: true }, 0, "ok"],
    ["LiquidationMissing", { missing: true }, 0, "bad"],
    ["LiquidationMissing", { status: "NEW", missing: false }, 0, "ok"],
    ["PoolDrained", { base: 0, quote: 5 }, 0, "bad"],
    ["PoolDrained", { base: 5, quote: 0 }, 0, "bad"],
    ["PoolDrained", { base: 5, quote: 5 }, 0, "ok"],
    ["PoolReserveDropped", { base: 4, quote: 9, base_1h_max: 9, quote_1h_max: 9 }, 0, "bad"],
    ["PoolReserveDropped", { base: 5, quote: 5, base_1h_max: 9, quote_1h_max: 9 }, 0, "ok"],
    ["PoolReserveDropped", { base: 5, quote: 5 }, 0, "unknown"],
    ["SwapStuck", { active: true, first_seen: 0 }, 16 * MINUTE, "bad"],
    ["SwapStuck", { active: true, first_seen: 0 }, 14 * MINUTE, "ok"],
    ["SwapStuck", { active: false, first_seen: 0 }, HOUR, "ok"],
    ["SwapStatusUnknown", { status: "LOCKED", active: true }, 0, "bad"],
    ["SwapStatusUnknown", { status: "ACTIVE", active: true, final: false }, 0, "ok"],
    ["SwapExpired", { active: true, expires: 5 }, 6, "bad"],
    ["SwapExpired", { active: true, expires: 7 }, 6, "ok"],
    ["SwapExpired", { active: true }, 6, "unknown"],
    ["PollFailing", { up: false }, 0, "bad"],
    ["PollFailing", {}, 0, "unknown"],
    ["PollStale", { stale: true }, 0, "bad"],
    ["PollStale", { stale: false }, 0, "ok"],
    ["PollPartlyFailing", { up: true, failing_surfaces: 3 }, 0, "bad"],
    ["PollPartlyFailing", { up: false, failing_surfaces: 3 }, 0, "ok"],
    ["ListingTruncated", { truncated_surfaces: 1 }, 0, "bad"],
    ["ListingTruncated", { truncated_surfaces: 0 }, 0, "ok"],
    ["TooManyEntities", { left_out: 1 }, 0, "bad"],
    ["TooManyEntities", { left_out: 0 }, 0, "ok"],
  ])("judge %s with %j at %d ms: %s", (alert, facts, now, expected) => {
    expect(verdict(alert, facts, now)).toBe(expected);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noteEvidence } from "../../../src/core/observe/surface.ts";
import {
  DOUBT_REASONS,
  LISTED_IS_SURE,
  type DoubtReason,
} from "../../../src/domain/observation.ts";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import { AGGREGATOR, exchange, factIs, pair, repair, rule } from "../fixtures.ts";
import type { Evidence } from "../readings.ts";
import { scriptedWorld, type World } from "../world.ts";

const acts = rule({ act: repair({ cooldownMs: 0, attempts: 100 }) });
const actsOnPairs = rule({
  alert: "PairDisabled",
  kind: "pair",
  when: factIs("status", "disabled"),
  act: repair({ action: "enable_pair", cooldownMs: 0, attempts: 100 }),
});
const disabled = [exchange("BINANCE", "disabled"), exchange("KRAKEN", "enabled")];
const enabled = [exchange("BINANCE", "enabled"), exchange("KRAKEN", "enabled")];

const UNSURE = DOUBT_REASONS.filter(
  (reason) => !LISTED_IS_SURE.includes(reason) && reason !== "contradiction",
);
const doubted = (reason: DoubtReason): Evidence => ({ doubt: { reason, detail: "so it says" } });
const contradicted = (...ids: readonly string[]): Evidence => ({
  contradictions: ids.map((id) => ({ kind: "exchange", id, detail: "said to be two things" })),
});
const ways: ReadonlyArray<readonly [string, Evidence]> = [
  ...UNSURE.map((reason) => [reason, doubted(reason)] as const),
  ["contradiction", contradicted("BINANCE")],
];

function world(): World {
  return scriptedWorld({ rules: [acts, actsOnPairs], probes: "silent" });
}

const why = (seen: World): string | undefined =>
  seen.alert("ExchangeDisabled", "exchange", "BINANCE")?.suppressed?.detail;

describe("evidence that contradicts itself, or that is a part only", () => {
  it.each(ways)("raises an alert and justifies no action: %s", (reason, evidence) => {
    const seen = world().reads("exchanges", enabled);
    seen.at("10s").reads("exchanges", disabled, { evidence });
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing"]);
    seen.at("1m").reads("exchanges", disabled, { evidence });
    expect(seen.probes).toStrictEqual([]);
    expect(why(seen)).toMatch(new RegExp(`^${reason}: `));
    expect(seen.entity("poller", "exchanges")?.facts["reason"]).toBe(reason);
    expect(seen.found("polled").at(-1)).toMatchObject({ doubt: reason });
    const id = { aggregator: AGGREGATOR, kind: "exchange", id: "BINANCE" };
    const it = explain(seen.policy, seen.state, "ExchangeDisabled", id, seen.now);
    if (it === undefined) throw new Error("nothing to explain");
    expect(explanationSentences(seen.policy.kinds, it).join("\n")).toMatch(
      new RegExp(
        `doubted \\(${reason}: .*enable_exchange is not sent \\(stale\\): ${reason}: `,
        "s",
      ),
    );
  });

  it.each(ways)("does not confirm an action: %s", (_, evidence) => {
    const seen = world().sees("exchanges", disabled);
    expect(seen.probes).toHaveLength(1);
    seen.reads("exchanges", disabled, { origin: "probe", evidence });
    expect(seen.sent).toStrictEqual([]);
    expect(seen.suppressions()).toStrictEqual(["stale"]);
  });

  it.each(ways)("resolves nothing, and verifies no repair: %s", (_, evidence) => {
    const seen = world().sees("exchanges", disabled);
    seen.reads("exchanges", disabled, { origin: "probe" });
    seen.replies("r1", "acknowledged").passes("2s");
    seen.reads("exchanges", enabled, { origin: "probe", evidence });
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled BINANCE firing (unknown)"]);
    expect(seen.remediation("r1")?.state).toBe("acknowledged");
    seen.reads("exchanges", enabled, { origin: "probe" });
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled BINANCE resolved"]);
    expect(seen.remediation("r1")?.state).toBe("verified");
  });

  it.each(ways)("gives way to whole evidence, by which it is repaired: %s", (_, evidence) => {
    const seen = world().reads("exchanges", disabled, { evidence });
    seen.at("10s").reads("exchanges", disabled);
    seen.reads("exchanges", disabled, { origin: "probe" });
    expect(seen.remediations()).toStrictEqual(["r1 requested"]);
  });

  it("keeps no other exchange from being repaired, if it is of one entity alone", () => {
    const listed = [...disabled, exchange("OKX", "disabled")];
    const seen = world().reads("exchanges", listed, { evidence: contradicted("OKX") });
    seen.reads("exchanges", listed, { evidence: contradicted("OKX"), origin: "probe" });
    expect(seen.sent.map(({ call }) => call.args)).toStrictEqual([{ exchange: "BINANCE" }]);
    expect(seen.entity("poller", "exchanges")?.facts["error"]).toBe("OKX is said to be two things");
  });

  it("leads to no action, whatever else is read, and in whatever order", () => {
    const listed = fc.subarray([...disabled, pair("BINANCE", "X-Y"), pair("KRAKEN", "X-Y")]);
    const evidence = fc.constantFrom(
      ...UNSURE.map(doubted),
      ...(["cut", "malformed_names", "too_many"] as const).map(doubted),
      contradicted("BINANCE", "KRAKEN"),
    );
    const reading = fc.record({
      listed,
      evidence: fc.option(evidence, { nil: undefined }),
      origin: fc.constantFrom("poll" as const, "probe" as const),
    });
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 12 }), (readings) => {
        const seen = world();
        for (const { listed: entities, evidence: how, origin } of readings) {
          const before = seen.sent.length;
          const options = how === undefined ? { origin } : { origin, evidence: how };
          seen.passes("2s").reads("exchanges", entities, options);
          const since = seen.sent.slice(before);
          // A contradiction is about the exchanges that it names, and not about their pairs.
          const about = how?.doubt === undefined ? "enable_exchange" : undefined;
          const wrong = since.filter(({ action }) => about === undefined || action === about);
          if (how !== undefined) expect(wrong).toStrictEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is noted of the surface: each doubt is forgotten with the next reading", () => {
    expect(noteEvidence).toBeTypeOf("function");
    const seen = world().reads("exchanges", disabled, { evidence: doubted("duplicate_key") });
    expect(seen.state.surfaces.get("bsc/exchanges/all")?.doubt?.reason).toBe("duplicate_key");
    seen.reads("exchanges", disabled, { evidence: contradicted("BINANCE") });
    const surface = seen.state.surfaces.get("bsc/exchanges/all");
    expect(surface?.doubt).toBeUndefined();
    expect([...(surface?.contradictions.keys() ?? [])]).toStrictEqual(["bsc/exchange/BINANCE"]);
  });
});

it("keeps nothing of its own for what no listing lacks or contradicts", () => {
  const seen = world().sees("exchanges", enabled).sees("pools", []);
  const [first, second] = seen.state.surfaces.values();
  expect(first?.losses).toBe(second?.losses);
  expect(first?.contradictions).toBe(second?.contradictions);
  seen.at("10s").reads("exchanges", enabled, { evidence: contradicted("BINANCE") });
  expect([first?.contradictions.size, second?.contradictions.size]).toEqual([1, 0]);
  seen.at("20s").sees("exchanges", enabled);
  expect(first?.contradictions).toBe(second?.contradictions);
});

import { expect, it } from "vitest";
import { aboutOf } from "../../../src/io/api/details/about-finding.ts";
import { findingRowOf } from "../../../src/io/api/finding-row.ts";
import { exchange, repair, rule } from "../../core/fixtures.ts";
import { scriptedWorld } from "../../core/world.ts";

it("tells a poller of one unit from that of another", () => {
  const polled = { type: "polled", aggregator: "bsc", poller: "swaps", origin: "poll" } as const;
  const failed = { ...polled, outcome: "failed", durationMs: 5, detail: "" } as const;
  const ofUnit = { ...failed, id: "swaps/2" };
  expect(findingRowOf({ at: 0, finding: failed }).subject).toBe("bsc/swaps");
  expect(findingRowOf({ at: 0, finding: ofUnit }).subject).toBe("bsc/swaps/2");
  expect(aboutOf(ofUnit)).toEqual({ entity: "bsc/poller/swaps/2" });
});

it("says of a watch list how many it holds, and one as one", () => {
  const row = (entries: number, ended: number) =>
    findingRowOf({
      at: 0,
      finding: {
        type: "watch",
        aggregator: "bsc",
        source: "file",
        name: "desks.yaml",
        entries,
        ended,
      },
    }).what;
  expect(row(1, 1)).toBe("1 entry, 1 entity ended");
  expect(row(2, 0)).toBe("2 entries, 0 entities ended");
});

it("says what a reload changed, and that it left the rules alone", () => {
  const none = { type: "policy", added: [], removed: [], changed: [] } as const;
  const what = (change: object) => findingRowOf({ at: 0, finding: { ...none, ...change } }).what;
  expect(what({})).toBe("unchanged");
  expect(what({ changed: ["A"] })).toBe("0 added, 0 removed, 1 changed");
  expect(what({ moved: ["eth", "bsc"] })).toBe("unchanged; base_url changed: eth, bsc");
});

it("says who switched, and what keeps the switch on", () => {
  const kill = { type: "kill", by: "ann", detail: "a storm" } as const;
  const row = (change: { source: "operator" | "file"; on: boolean; stillOn?: string[] }) => {
    const { what, by } = findingRowOf({ at: 0, finding: { ...kill, ...change } });
    return [what, by];
  };
  expect(row({ source: "operator", on: true })).toEqual(["on", "ann"]);
  expect(row({ source: "operator", on: false, stillOn: ["file"] })).toEqual([
    "off, still on by file",
    "ann",
  ]);
  expect(row({ source: "file", on: false, stillOn: [] })).toEqual(["off", undefined]);
});

it("says of a settled remediation that is known afterwards not to have been sent", () => {
  const world = scriptedWorld({ rules: [rule({ act: repair() })] });
  world
    .at("1d")
    .sees("exchanges", [exchange("BINANCE", "disabled")])
    .passes("1s");
  const requested = world.state.tables.remediation.get("r1");
  if (requested === undefined) throw new Error("nothing was requested");
  const remediation = { ...requested, state: "verified" } as const;
  const finding = { type: "remediation", remediation, detail: "not sent: held" } as const;
  const { subject, what } = findingRowOf({ at: 0, finding: { ...finding, corrected: true } });
  expect([subject, what]).toEqual([remediation.alert, "r1 enable_exchange verified, but not sent"]);
  expect(findingRowOf({ at: 0, finding }).what).toBe("r1 enable_exchange verified");
});

it("says whose actions a storm concerned: of one rule, or of all after a hold or a kill switch", () => {
  const row = (rule: string, aggregator: string) => {
    const storm = { type: "storm", change: "ended", rule, aggregator, detail: "" } as const;
    return findingRowOf({ at: 0, finding: storm }).subject;
  };
  expect(row("ExchangeDisabled", "bsc")).toBe("ExchangeDisabled on bsc");
  expect(row("*", "*")).toBe("all rules");
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/domain/step.ts";
import { toEnd } from "../../src/domain/slices.ts";
import { createRowCount, rowsToKeep } from "../../src/core/restore-limits.ts";
import { channel } from "./tell/channels.ts";
import { exchange, factIs, policyOf, repair, rule } from "./fixtures.ts";
import { scriptedWorld, START } from "./world.ts";

const POLICY = {
  ...policyOf([rule()]),
  limits: { entities: 3, entitiesPerEntry: 1, vanished: 2 },
};

function row(
  id: string,
  change: { status?: string; since?: number; unknownSince?: number; surface?: string } = {},
): Change {
  const { status = "enabled", since = START, ...rest } = change;
  const value = {
    aggregator: "bsc",
    kind: "exchange",
    id,
    surface: "bsc/exchanges/all",
    facts: { name: id, status },
    firstSeen: since,
    since,
    ...rest,
  };
  return { table: "entity", key: `bsc/exchange/${id}`, value };
}

const keptOf = (rows: readonly Change[]): string[] =>
  rows
    .filter(toEnd(rowsToKeep(POLICY, () => rows)).stays)
    .map(({ key }) => key.replace("bsc/exchange/", ""));

describe("a journal with more than the limits allow", () => {
  it("is seen by the first row that is too many", () => {
    const isOver = createRowCount(POLICY);
    expect(["A", "B", "C", "D"].map((id) => isOver(row(id)))).toStrictEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it("loses the oldest evidence first: what vanished, then what is unknown, then what is newest", () => {
    const rows = [
      row("GONE-1", { status: "missing", since: START + 1 }),
      row("GONE-2", { status: "missing", since: START + 2 }),
      row("LOST", { unknownSince: START + 3 }),
      row("NEW", { since: START + 9 }),
      row("OLD"),
      row("OLDER", { since: START - 1 }),
    ];
    expect(keptOf(rows)).toStrictEqual(["NEW", "OLD", "OLDER"]);
    expect(keptOf(rows.slice(0, 5))).toStrictEqual(["LOST", "NEW", "OLD"]);
    expect(toEnd(rowsToKeep(POLICY, () => rows)).leftOut).toStrictEqual(
      new Map([["bsc/exchange", 3]]),
    );
  });

  it("loses what vanished before what is unknown, also if it vanished later", () => {
    const rows = [
      row("LOST", { unknownSince: START + 1 }),
      row("GONE", { status: "missing", since: START + 2 }),
      row("A"),
      row("B"),
    ];
    expect(keptOf(rows)).toStrictEqual(["LOST", "A", "B"]);
  });

  it("loses what the process before had not read since it started before what it had", () => {
    const rows: Change[] = [
      row("UNREAD", { surface: "bsc/exchanges/unread" }),
      ...["A", "B", "C"].map((id) => row(id, { since: START + 9 })),
      { table: "unread", key: "bsc/exchanges/unread", value: { since: START + 5 } },
    ];
    expect(keptOf(rows).slice(0, -1)).toStrictEqual(["A", "B", "C"]);
    expect(keptOf(rows.slice(0, -1))).toContain("UNREAD");
  });

  it("loses the alerts of what it loses", () => {
    const rows: Change[] = [
      ...["A", "B"].map((id): Change => {
        const entity = { aggregator: "bsc", kind: "exchange", id };
        return { table: "alert", key: `R|bsc/exchange/${id}`, value: { entity, state: "firing" } };
      }),
      row("A", { status: "missing" }),
      ...["B", "C", "D"].map((id) => row(id)),
    ];
    expect(keptOf(rows)).toStrictEqual(["R|B", "B", "C", "D"]);
  });

  it("keeps the alert that was told to fire of what is gone: its end has still to be told", () => {
    const alertOf = (id: string): Change => {
      const entity = { aggregator: "bsc", kind: "exchange", id };
      return { table: "alert", key: `R|bsc/exchange/${id}`, value: { entity, state: "firing" } };
    };
    const entity = { aggregator: "bsc", kind: "exchange", id: "TOLD" };
    const told = { news: { type: "alert", state: "firing", entity }, at: START };
    const rows: Change[] = [
      alertOf("TOLD"),
      alertOf("UNTOLD"),
      ...["A", "B", "C", "D"].map((id) => row(id)),
      { table: "notification", key: "ops|told", value: { channel: "ops", subject: "told", told } },
    ];
    expect(keptOf(rows)).toStrictEqual(["R|TOLD", "A", "B", "C", "ops|told"]);
  });

  it("keeps the same, whatever the order of its rows", () => {
    const one = fc.record({
      status: fc.constantFrom("enabled", "missing"),
      since: fc.integer({ min: START, max: START + 5 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), (ones) => {
        const rows = ones.map((change, index) => row(`X${index}`, change));
        expect(keptOf(rows.toReversed()).sort()).toStrictEqual(keptOf(rows).sort());
        expect(keptOf(rows)).toHaveLength(Math.min(3, rows.length));
      }),
    );
  });
});

describe("a start on such a journal", () => {
  it("never forgets what an action is under way on, what is held, quarantined, or was told to fire", () => {
    const missing = rule({ alert: "ExchangeMissing", when: factIs("status", "missing") });
    const seen = scriptedWorld({
      rules: [rule({ act: repair() }), missing],
      channels: [channel("ops")],
    });
    const ids = ["ACTED", "HELD", "FOUGHT", "TOLD", "A", "B", "C"];
    const enabled = ids.map((id) => exchange(id, "enabled"));
    seen.sees("exchanges", enabled);
    seen
      .passes("1s")
      .sees(
        "exchanges",
        enabled.filter(({ id }) => id !== "TOLD"),
      )
      .passes("5s");
    seen.commands({
      name: "hold",
      scope: { kind: "exchange", id: "HELD" },
      until: START + 86_400_000,
    });
    const rest = enabled.filter(({ id }) => id !== "ACTED" && id !== "TOLD");
    seen.sees("exchanges", [exchange("ACTED", "disabled"), ...rest]).passes("1s");
    expect(seen.remediations()).toStrictEqual(["r1 requested"]);
    const rows = [
      ...seen.journal.reopen(),
      {
        table: "quarantine",
        key: "bsc/exchange/FOUGHT",
        value: { since: START, reason: "a tug of war" },
      } as const,
    ];
    expect(seen.told()).toContain("ops alert ExchangeMissing|bsc/exchange/TOLD firing");
    const needed = ["ACTED", "FOUGHT", "HELD", "TOLD"];
    expect(keptOf(rows.filter(({ table }) => table !== "alert"))).toEqual(
      expect.arrayContaining(needed),
    );
  });
});

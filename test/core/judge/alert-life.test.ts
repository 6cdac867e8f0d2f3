import { describe, expect, it } from "vitest";
import { advance, advanceByTime, type AlertLife } from "../../../src/core/judge/alert-life.ts";
import type { Truth } from "../../../src/domain/rule.ts";

const pending: AlertLife = { state: "pending", activeAt: 100 };
const firing: AlertLife = { state: "firing", activeAt: 0, firedAt: 100 };
const keeping: AlertLife = { ...firing, keepFiringSince: 150 };
const resolved: AlertLife = {
  state: "resolved",
  activeAt: 0,
  resolvedAt: 120,
  resolvedBecause: "ok",
};
const timing = { forMs: 120, keepFiringForMs: 60 };

type Row = {
  readonly what: string;
  readonly from: AlertLife;
  readonly truth: Truth | "time";
  readonly at: number;
  readonly change: string | undefined;
  readonly to: AlertLife;
};

const unknownFrom150 = { ...pending, unknownSince: 150 };

const rows: readonly Row[] = [
  {
    what: "bad before a raised for is over is pending again, since it was bad first",
    from: firing,
    truth: "bad",
    at: 110,
    change: "pending",
    to: { state: "pending", activeAt: 0 },
  },
  {
    what: "bad again before a raised for is over is pending again, as it was well in between",
    from: { ...keeping, keepFiringSince: 105 },
    truth: "bad",
    at: 110,
    change: "pending",
    to: { state: "pending", activeAt: 110 },
  },
  {
    what: "bad before for is over stays pending",
    from: pending,
    truth: "bad",
    at: 219,
    change: undefined,
    to: pending,
  },
  {
    what: "bad when for is over fires",
    from: pending,
    truth: "bad",
    at: 220,
    change: "firing",
    to: { state: "firing", activeAt: 100, firedAt: 220 },
  },
  {
    what: "time alone fires what is pending",
    from: pending,
    truth: "time",
    at: 220,
    change: "firing",
    to: { state: "firing", activeAt: 100, firedAt: 220 },
  },
  {
    what: "time alone does not fire early",
    from: pending,
    truth: "time",
    at: 219,
    change: undefined,
    to: pending,
  },
  {
    what: "ok drops what is pending",
    from: pending,
    truth: "ok",
    at: 150,
    change: "dropped",
    to: pending,
  },
  {
    what: "unknown stops a pending alert",
    from: pending,
    truth: "unknown",
    at: 150,
    change: "unknown",
    to: unknownFrom150,
  },
  {
    what: "unknown is said once",
    from: unknownFrom150,
    truth: "unknown",
    at: 160,
    change: undefined,
    to: unknownFrom150,
  },
  {
    what: "time does not fire while unknown",
    from: unknownFrom150,
    truth: "time",
    at: 9_999,
    change: undefined,
    to: unknownFrom150,
  },
  {
    what: "a gap moves for by its length",
    from: unknownFrom150,
    truth: "bad",
    at: 1_150,
    change: "known",
    to: { state: "pending", activeAt: 1_100 },
  },
  {
    what: "a gap does not hold back what was due before it",
    from: { ...pending, unknownSince: 220 },
    truth: "bad",
    at: 300,
    change: "firing",
    to: { state: "firing", activeAt: 180, firedAt: 300 },
  },
  {
    what: "ok after a gap drops what is pending",
    from: unknownFrom150,
    truth: "ok",
    at: 160,
    change: "dropped",
    to: { state: "pending", activeAt: 110 },
  },
  {
    what: "firing stays firing while bad",
    from: firing,
    truth: "bad",
    at: 500,
    change: undefined,
    to: firing,
  },
  {
    what: "ok keeps firing for keep_firing_for",
    from: firing,
    truth: "ok",
    at: 150,
    change: undefined,
    to: keeping,
  },
  {
    what: "bad again ends the keeping",
    from: keeping,
    truth: "bad",
    at: 160,
    change: undefined,
    to: firing,
  },
  {
    what: "ok resolves when keep_firing_for is over",
    from: keeping,
    truth: "ok",
    at: 210,
    change: "resolved",
    to: { ...firing, state: "resolved", resolvedAt: 210, resolvedBecause: "ok" },
  },
  {
    what: "time alone resolves when keep_firing_for is over",
    from: keeping,
    truth: "time",
    at: 210,
    change: "resolved",
    to: { ...firing, state: "resolved", resolvedAt: 210, resolvedBecause: "ok" },
  },
  {
    what: "time alone does not resolve early",
    from: keeping,
    truth: "time",
    at: 209,
    change: undefined,
    to: keeping,
  },
  {
    what: "unknown stops a firing alert",
    from: firing,
    truth: "unknown",
    at: 150,
    change: "unknown",
    to: { ...firing, unknownSince: 150 },
  },
  {
    what: "unknown stops keep_firing_for",
    from: { ...keeping, unknownSince: 160 },
    truth: "time",
    at: 9_999,
    change: undefined,
    to: { ...keeping, unknownSince: 160 },
  },
  {
    what: "a gap moves keep_firing_for by its length",
    from: { ...keeping, unknownSince: 160 },
    truth: "ok",
    at: 260,
    change: "known",
    to: { ...firing, keepFiringSince: 250 },
  },
  {
    what: "time alone never resolves what is bad",
    from: firing,
    truth: "time",
    at: 9_999,
    change: undefined,
    to: firing,
  },
  {
    what: "what fires and would not by a for that was raised is pending again, and its time counts",
    from: { ...firing, firedAt: 10 },
    truth: "bad",
    at: 119,
    change: "pending",
    to: { state: "pending", activeAt: 0 },
  },
  {
    what: "where it was well meanwhile and kept firing, its time counts from when it is bad again",
    from: { ...firing, firedAt: 10, keepFiringSince: 50 },
    truth: "bad",
    at: 100,
    change: "pending",
    to: { state: "pending", activeAt: 100 },
  },
  {
    what: "resolved stays resolved when bad",
    from: resolved,
    truth: "bad",
    at: 500,
    change: undefined,
    to: resolved,
  },
  {
    what: "resolved stays resolved when unknown",
    from: resolved,
    truth: "unknown",
    at: 500,
    change: undefined,
    to: resolved,
  },
];

describe("the life of an alert", () => {
  it.each(rows)("$what", ({ from, truth, at, change, to }) => {
    const alert = { ...from };
    const said =
      truth === "time"
        ? advanceByTime(alert, "ok", timing, at)
        : advance(alert, truth, "ok", timing, at);
    expect(said).toBe(change);
    expect(alert).toStrictEqual(to);
  });

  it("fires at once if the rule has no for", () => {
    const alert: AlertLife = { state: "pending", activeAt: 100 };
    expect(advance(alert, "bad", "ok", { forMs: 0, keepFiringForMs: 0 }, 100)).toBe("firing");
  });

  it("resolves at once if the rule does not keep firing, and says why", () => {
    const alert = { ...firing };
    expect(advance(alert, "ok", "gone", { forMs: 0, keepFiringForMs: 0 }, 130)).toBe("resolved");
    expect(alert.resolvedBecause).toBe("gone");
  });

  it("resolves at once, whatever the rule keeps, if it is not watched any more", () => {
    for (const from of [firing, keeping]) {
      const alert = { ...from };
      expect(advance(alert, "ok", "unwatched", timing, 160)).toBe("resolved");
      expect(alert.resolvedBecause).toBe("unwatched");
    }
  });

  it("says that it is gone also when keep_firing_for ran out in between", () => {
    const alert = { ...keeping };
    expect(advanceByTime(alert, "gone", timing, 210)).toBe("resolved");
    expect(alert.resolvedBecause).toBe("gone");
  });
});

import { describe, expect, it } from "vitest";
import { differenceOf, isDifferent, type Difference } from "../../src/backtest/difference.ts";
import type { ActionRun, AlertRun, Outcome } from "../../src/backtest/outcome.ts";

const entity = { aggregator: "bsc", kind: "exchange", id: "A" };

/** An alert from one instant to another; without the second it fires still. */
const alert = (startedAt: number, resolvedAt?: number, rule = "Down"): AlertRun => ({
  rule,
  entity,
  severity: "warning",
  startedAt,
  firedAt: startedAt,
  badMs: 0,
  counterfactual: false,
  ...(resolvedAt === undefined ? {} : { resolvedAt }),
});

const action = (at: number, id = "A"): ActionRun => ({
  rule: "Down",
  entity: { ...entity, id },
  counterfactual: false,
  at,
  action: "enable_exchange",
  state: "verified",
  detail: "",
});

const outcome = (alerts: readonly AlertRun[], actions: readonly ActionRun[] = []): Outcome => ({
  alerts,
  actions,
  stopped: [],
  divergences: [],
});

const SPAN = { since: 100, until: 200 };
const NONE: Difference = {
  alerts: { more: [], fewer: [] },
  actions: { more: [], fewer: [] },
  moved: [],
};

describe("the difference of two outcomes", () => {
  it("pairs alerts of one rule and entity whose times overlap, and each with one", () => {
    const ones = [alert(110, 120), alert(130, 140), alert(150, 160, "Thin")];
    const others = [alert(120, 130), alert(141, 150), alert(150, 160)];
    const { alerts, moved } = differenceOf(outcome(ones), outcome(others), SPAN);
    expect(moved).toEqual([{ rules: ones[0], against: others[0] }]);
    expect(alerts).toEqual({ more: ones.slice(1), fewer: others.slice(1) });
    const reversed = differenceOf(outcome(others), outcome(ones), SPAN);
    expect(reversed.moved).toEqual([{ rules: others[0], against: ones[0] }]);
  });

  it("pairs an alert that fires still with one that it outlasts", () => {
    const [one, other] = [alert(110), alert(190, 195)];
    const { alerts, moved } = differenceOf(outcome([one]), outcome([other]), SPAN);
    expect({ ...NONE, alerts, moved }).toEqual({
      ...NONE,
      moved: [{ rules: one, against: other }],
    });
  });

  it("takes no notice of what is outside the report, or within the slack", () => {
    const of = (one: AlertRun, other: AlertRun, slackMs?: number) =>
      differenceOf(outcome([one]), outcome([other]), {
        ...SPAN,
        ...(slackMs === undefined ? {} : { slackMs }),
      }).moved.length;
    expect(of(alert(50, 150), alert(90, 150))).toBe(0);
    expect(of(alert(150), alert(150, 200))).toBe(0);
    expect(of(alert(150, 210), alert(150, 205))).toBe(0);
    expect(of(alert(150, 160), alert(150, 161))).toBe(1);
    expect(of(alert(150, 160), alert(151, 160))).toBe(1);
    expect(of(alert(150, 160), alert(155, 165), 5)).toBe(0);
    expect(of(alert(150, 160), alert(155, 166), 5)).toBe(1);
  });

  it("pairs actions on one entity in their order, whenever they were sent", () => {
    const ones = [action(110), action(190), action(120, "B")];
    const others = [action(150)];
    expect(differenceOf(outcome([], ones), outcome([], others), SPAN).actions).toEqual({
      more: ones.slice(1),
      fewer: [],
    });
    expect(differenceOf(outcome([], others), outcome([], ones), SPAN).actions).toEqual({
      more: [],
      fewer: ones.slice(1),
    });
  });

  it.each<[string, Partial<Difference>]>([
    ["an alert more", { alerts: { more: [alert(110)], fewer: [] } }],
    ["an alert fewer", { alerts: { more: [], fewer: [alert(110)] } }],
    ["an action more", { actions: { more: [action(110)], fewer: [] } }],
    ["an action fewer", { actions: { more: [], fewer: [action(110)] } }],
    ["an alert at another time", { moved: [{ rules: alert(110), against: alert(120) }] }],
  ])("is one, if it is %s alone", (_, change) => {
    expect(isDifferent({ ...NONE, ...change })).toBe(true);
    expect(isDifferent(NONE)).toBe(false);
  });
});

/** Tests src/backtest/verdict.ts. */
import { describe, expect, it } from "vitest";
import type { Backtest } from "../../src/backtest/backtest.ts";
import type { Difference } from "../../src/backtest/difference.ts";
import type { ActionRun, AlertRun } from "../../src/backtest/outcome.ts";
import { backtestVerdict } from "../../src/backtest/verdict.ts";
import type { SuppressionReason } from "../../src/domain/guard.ts";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { rulesOf, ruleFile } from "../config/rules/rule-text.ts";

const rules = rulesOf(
  ruleFile("alert: Down", "each: exchange", "when: exchange.disabled"),
  ruleFile("alert: Thin", "each: pool", "when: pool.base < 1.0"),
);

const run = (firedAt: number, lastsMs: number | undefined, id = "A"): AlertRun => ({
  rule: "Down",
  entity: { aggregator: "bsc", kind: "exchange", id },
  severity: "warning",
  startedAt: firedAt,
  firedAt,
  badMs: lastsMs ?? 0,
  counterfactual: false,
  ...(lastsMs === undefined ? {} : { resolvedAt: firedAt + lastsMs, because: "ok" }),
});

const action = (at: number, state: "verified" | "unverified", id = "A"): ActionRun => ({
  rule: "Down",
  entity: { aggregator: "bsc", kind: "exchange", id },
  counterfactual: false,
  at,
  action: "enable_exchange",
  state,
  detail: "",
});

const backtest = (alerts: readonly AlertRun[], change: Partial<Backtest> = {}): Backtest => ({
  since: 0,
  until: 2 * DAY,
  gaps: [],
  unknownMs: 0,
  polls: 9,
  outcome: { alerts, actions: [], stopped: [], divergences: [] },
  problems: [],
  ...change,
});

describe("the verdict of a backtest", () => {
  it("is quiet if nothing fired", () => {
    expect(backtestVerdict(backtest([]), rules)).toEqual([
      "Quiet: of 2 rules, none fired in 2d.",
      "Nothing would have been sent.",
    ]);
  });

  it("says how often it fired, and what still fires", () => {
    const [sum] = backtestVerdict(backtest([run(0, HOUR), run(DAY, undefined)]), rules);
    expect(sum).toBe("Of 2 rules, 1 fired: 2 alerts in 2d, 1.0 a day. At the end 1 still fires.");
  });

  it("says nothing of a rate within a day, and of what still fires only if anything does", () => {
    const within = (until: number, ...alerts: readonly AlertRun[]) =>
      backtestVerdict(backtest(alerts, { until }), rules)[0];
    expect(within(DAY - MINUTE, run(0, HOUR))).toBe("Of 2 rules, 1 fired: 1 alert in 23h59m.");
    expect(within(DAY, run(0, HOUR))).toBe("Of 2 rules, 1 fired: 1 alert in 1d, 1.0 a day.");
    const open = [run(0, undefined), run(0, undefined, "B")];
    expect(within(DAY - MINUTE, ...open)).toMatch(/ in 23h59m\. At the end 2 still fire\.$/);
    // Whether this one still fires is not known.
    const lost = { ...run(0, undefined), lostAt: HOUR };
    expect(within(DAY - MINUTE, lost)).toBe("Of 2 rules, 1 fired: 1 alert in 23h59m.");
  });

  it("says what would have been sent, and what guards would have held back", () => {
    const sentences = (actions: readonly ActionRun[], reasons: readonly SuppressionReason[]) => {
      const stopped = reasons.map((reason) => ({ ...action(0, "verified"), reason }));
      const outcome = { alerts: [], actions, stopped, divergences: [] } as Backtest["outcome"];
      return backtestVerdict(backtest([], { outcome }), rules)[1];
    };
    expect(sentences([action(0, "verified"), action(1, "unverified")], [])).toBe(
      "2 actions would have been sent, of which 1 is seen to have worked.",
    );
    expect(sentences([action(0, "unverified")], ["killed"])).toBe(
      "1 action would have been sent, of which 0 are seen to have worked. Guards would have held back 1 action, most by killed (1).",
    );
    expect(sentences([], ["killed", "cooldown", "cooldown"])).toBe(
      "Nothing would have been sent. Guards would have held back 3 actions, most by cooldown (2).",
    );
  });

  it("names each way in which it differs from that of the other rules, and no other", () => {
    const against = (change: Partial<Difference>) => {
      const none = { more: [], fewer: [] };
      const difference = { alerts: none, actions: none, moved: [], ...change };
      const { outcome } = backtest([]);
      return backtestVerdict(backtest([], { against: { outcome, difference } }), rules)[2];
    };
    const [one, two] = [run(0, HOUR), run(DAY, HOUR)];
    const sent = action(0, "verified");
    expect(against({})).toBe(
      "Against the other rules there is no difference, in alerts or actions.",
    );
    expect(against({ alerts: { more: [one], fewer: [] } })).toBe(
      "Against the other rules: 1 alert more.",
    );
    expect(
      against({
        alerts: { more: [], fewer: [one, two] },
        actions: { more: [sent, sent], fewer: [] },
      }),
    ).toBe("Against the other rules: 2 alerts fewer, 2 actions more.");
    expect(
      against({
        moved: [{ rules: one, against: two }],
        actions: { more: [], fewer: [sent] },
      }),
    ).toBe("Against the other rules: 1 alert at another time, 1 action fewer.");
  });

  it("counts what rests on an action that the record does not have", () => {
    const doubt = (alerts: readonly AlertRun[], actions: readonly ActionRun[]) => {
      const outcome = { alerts, actions, stopped: [], divergences: [] };
      return backtestVerdict(backtest([], { outcome }), rules).at(-1);
    };
    const made = { counterfactual: true };
    expect(doubt([{ ...run(0, HOUR), ...made }], [action(0, "verified")])).toMatch(
      /^1 line of it is uncertain: /,
    );
    expect(doubt([{ ...run(0, HOUR), ...made }], [{ ...action(0, "verified"), ...made }])).toMatch(
      /^2 lines of it are uncertain: /,
    );
  });

  it("calls an alert short of less than five minutes, and one again of less than fifteen", () => {
    const found = (shortMs: number, againMs: number) => {
      const alerts = [
        run(0, shortMs),
        run(shortMs + againMs, shortMs),
        run(DAY, HOUR),
        run(DAY + 1, undefined, "B"),
      ];
      const said = backtestVerdict(backtest(alerts), rules).join(" ");
      return said.match(/noisy|flaps/g) ?? [];
    };
    expect(found(5 * MINUTE - 1, HOUR)).toEqual(["noisy"]);
    expect(found(5 * MINUTE, HOUR)).toEqual([]);
    expect(found(HOUR, 15 * MINUTE - 1)).toEqual(["flaps"]);
    expect(found(HOUR, 15 * MINUTE)).toEqual([]);
  });

  it("names a rule that is noisy, and one that flaps", () => {
    const short = [run(0, MINUTE), run(5 * HOUR, MINUTE), run(9 * HOUR, HOUR)];
    expect(backtestVerdict(backtest(short), rules)[1]).toMatch(/^Down is noisy: 2 of 3 alerts/);
    const long = [run(0, HOUR), run(HOUR + MINUTE, HOUR), run(9 * HOUR, HOUR)];
    expect(backtestVerdict(backtest(long), rules)[1]).toMatch(/^Down flaps: 1 of 3 alerts/);
    const gone = short.map((one) => ({ ...one, because: "gone" as const }));
    expect(backtestVerdict(backtest(gone), rules)).toHaveLength(2);
    const others = [run(0, HOUR), run(HOUR + MINUTE, HOUR, "B"), run(9 * HOUR, HOUR)];
    expect(backtestVerdict(backtest(others), rules)).toHaveLength(2);
  });

  it("looks at each of many repairs a few times, not once for each alert", () => {
    const alerts = Array.from({ length: 500 }, (_, index) =>
      run(index * HOUR, MINUTE, `E${index}`),
    );
    let looks = 0;
    const actions = alerts.map(({ rule, entity, firedAt }): ActionRun => ({
      rule,
      entity,
      counterfactual: false,
      at: firedAt,
      action: "enable_exchange",
      get state() {
        looks += 1;
        return "verified" as const;
      },
      detail: "",
    }));
    const outcome = { alerts, actions, stopped: [], divergences: [] };
    const verdict = backtestVerdict(backtest(alerts, { outcome }), rules);
    expect(verdict.join()).not.toMatch(/noisy/);
    expect(looks).toBeLessThan(10 * actions.length);
  });

  it("calls a rule not noisy whose alerts ended by their repair", () => {
    const short = [run(0, MINUTE), run(5 * HOUR, MINUTE), run(9 * HOUR, HOUR)];
    const verdictWith = (...actions: readonly ActionRun[]): string | undefined => {
      const outcome = { alerts: short, actions, stopped: [], divergences: [] };
      return backtestVerdict(backtest(short, { outcome }), rules).find((one) => /noisy/.test(one));
    };
    expect(verdictWith(action(30_000, "verified"))).toBeUndefined();
    expect(verdictWith(action(30_000, "unverified"))).toMatch(/2 of 3 alerts/);
    expect(verdictWith(action(30_000, "verified", "B"))).toMatch(/2 of 3 alerts/);
    expect(verdictWith(action(2 * HOUR, "verified"))).toMatch(/2 of 3 alerts/);
    expect(verdictWith(action(-1, "verified"))).toMatch(/2 of 3 alerts/);
  });

  it("calls nothing quiet of which little or nothing is known", () => {
    const [most, ...more] = backtestVerdict(
      backtest([], { gaps: [{ from: HOUR, until: 2 * DAY }], unknownMs: 2 * DAY - HOUR }),
      rules,
    );
    expect(most).toBe("Of 2 rules, none fired in the 1h of 2d of which something is known.");
    expect(more.at(-1)).toBe("Nothing is known of 1d23h of it (98 %).");
    const [all] = backtestVerdict(
      backtest([], { gaps: [{ from: -1, until: 2 * DAY }], unknownMs: 2 * DAY }),
      rules,
    );
    expect(all).toBe("Nothing is known of these 2d, so none of 2 rules could fire.");
  });

  it("says what is not known", () => {
    const gaps = [{ from: -HOUR, until: 12 * HOUR }];
    const unknownMs = 12 * HOUR;
    expect(backtestVerdict(backtest([], { gaps, unknownMs }), rules).at(-1)).toBe(
      "Nothing is known of 12h of it (25 %).",
    );
    const ofOne = backtestVerdict(backtest([], { gaps, unknownMs: 2 * HOUR }), rules);
    expect(ofOne.slice(-2)).toEqual([
      "Nothing is known of 2h of it (4 %).",
      "Of 10h of it, the record of at least one unit is missing.",
    ]);
  });
});

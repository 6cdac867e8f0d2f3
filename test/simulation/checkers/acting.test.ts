/** Tests src/simulation/checkers: acting. */
import { describe, expect, it, test } from "vitest";
import type { RunEvent } from "../../../src/simulation/run-event.ts";
import type { Event, Finding } from "../../../src/domain/step.ts";
import { HOUR } from "../../../src/domain/time.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import type { Facts } from "../../../src/domain/entity.ts";
import { condition, exchange, policyOf } from "../../core/fixtures.ts";
import {
  isActing,
  onStep,
  repairing,
  repairs,
  inspected,
  withAct,
  withActing,
} from "./tampered-run.ts";
import type { Step, Tamper } from "./tampered-run.ts";

const policy = (change: (before: Step["policy"]) => Step["policy"]): Tamper =>
  onStep((step) => ({ ...step, policy: change(step.policy) }));

/** What an acting step was told, with one thing changed. */
const atAct = (change: (step: Step) => RunEvent | readonly RunEvent[]): Tamper =>
  onStep((step) => (isActing(step) ? change(step) : step));

/** The reading of an observed step, changed. */
function reread(step: Step, change: object): Step {
  if (step.event.type !== "observed") return step;
  const { observation } = step.event;
  const parts = observation.parts.map((part) => ({
    ...part,
    reading: { ...part.reading, ...change },
  }));
  const event = { ...step.event, observation: { ...observation, parts } } as Event;
  return { ...step, event };
}

/** A command that was accepted, as a step of its own before. */
function said(step: Step, command: Extract<Event, { type: "command" }>["command"]): Step {
  const finding: Finding = {
    type: "command",
    by: "alice",
    reason: "",
    name: command.name,
    subject: "h1",
    accepted: true,
    detail: "",
  };
  const result = { changes: [], effects: [], findings: [finding] };
  return { ...step, event: { type: "command", by: "alice", reason: "", command }, result };
}

it("A repair as it should be violates nothing", () => {
  const { world, violations } = inspected();
  repairs(world);
  expect(world.remediations()).toEqual(["r1 verified"]);
  expect(violations).toEqual([]);
});

it("A storm that a restart with other limits ends is over from that start on", () => {
  const limits = (max: number) =>
    repairing({ storm: { max, maxRatio: 1, withinMs: 0 }, budget: { max: 9, perMs: HOUR } });
  const acting = { rampIntervalMs: 10_000, settleAfterStartMs: 0, maxAgeMs: HOUR };
  const { world, violations } = inspected(undefined, { rules: [limits(1)], acting });
  const bad = [exchange("A", "disabled"), exchange("B", "disabled"), exchange("C", "enabled")];
  world.sees("exchanges", bad).passes("20s");
  expect(world.remediations()).toEqual([]);
  world.policy = policyOf([limits(4)], acting);
  world.restarts().passes("500ms").sees("exchanges", bad).passes("3s").sees("exchanges", bad);
  expect(world.remediations()).toHaveLength(1);
  world.passes("6500ms").sees("exchanges", bad).passes("400ms");
  expect(world.remediations()).toHaveLength(2);
  expect(violations).toEqual([]);
});

it("What was sent in shorter intervals, before a reload, does not count in the longer ones", () => {
  const acting = { rampIntervalMs: 10_000, settleAfterStartMs: 0, maxAgeMs: HOUR };
  // Each vanishes as the next is seen: those that were bad lately would be a storm.
  const storm = { max: 9, maxRatio: 1, withinMs: 0 };
  const rules = [repairing({ storm, budget: { max: 9, perMs: HOUR } })];
  const { world, violations } = inspected(undefined, { rules, acting });
  world.commands({ name: "kill", source: "operator" });
  world.commands({ name: "unkill", source: "operator" });
  repairs(world, "A");
  world.passes("4s");
  repairs(repairs(world, "B"), "C");
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = policyOf(rules, { ...acting, rampIntervalMs: 20_000 });
  world.tell({ type: "policy_changed", rulesBefore, moved: [] });
  repairs(world, "D");
  expect(world.remediations()).toHaveLength(4);
  expect(violations).toEqual([]);
});

it("A growth that is over stays over, also if a reload makes its intervals longer", () => {
  const acting = { rampIntervalMs: 1_000, settleAfterStartMs: 0, maxAgeMs: HOUR };
  const storm = { max: 9, maxRatio: 1, withinMs: 0 };
  const rules = [repairing({ storm, budget: { max: 9, perMs: HOUR } })];
  const { world, violations } = inspected(undefined, { rules, acting });
  world.commands({ name: "kill", source: "operator" });
  world.commands({ name: "unkill", source: "operator" });
  world.passes("6s");
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = policyOf(rules, { ...acting, rampIntervalMs: HOUR });
  world.tell({ type: "policy_changed", rulesBefore, moved: [] });
  world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]).passes("2s");
  expect(world.sent).toHaveLength(2);
  expect(violations).toEqual([]);
});

it("A storm has cleared when its rule leaves, and not when the rule comes back with another limit", () => {
  const acting = { rampIntervalMs: 1_000, settleAfterStartMs: 0, maxAgeMs: HOUR };
  const limited = (max: number) =>
    repairing({
      storm: { max, maxRatio: 1, withinMs: 0 },
      budget: { max: 9, perMs: HOUR },
    });
  const { world, violations } = inspected(undefined, { rules: [limited(1)], acting });
  const reloads = (rules: readonly Rule[]): void => {
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = policyOf(rules, acting);
    world.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("20s");
  };
  const disabled = ["A", "B", "C"].map((name) => exchange(name, "disabled"));
  world.sees("exchanges", disabled).passes("2s");
  expect(world.state.tables.storm.size).toBe(1);
  reloads([]);
  reloads([{ ...limited(9), hash: "more" }]);
  expect(world.sent).toHaveLength(3);
  expect(violations).toEqual([]);
});

it("What was bad before a start is not a storm of a rule that comes back with that start", () => {
  const acting = { rampIntervalMs: 10_000, settleAfterStartMs: 0, maxAgeMs: HOUR };
  const limited = repairing({
    storm: { max: 2, maxRatio: 1, withinMs: 0 },
    budget: { max: 9, perMs: HOUR },
  });
  const { world, violations } = inspected(undefined, { rules: [limited], acting });
  const seen = (bad: string): void => {
    const all = ["A", "B", "C", "D"];
    world.sees(
      "exchanges",
      all.map((name) => exchange(name, bad.includes(name) ? "disabled" : "enabled")),
    );
  };
  const restartsWith = (rules: readonly Rule[]): void => {
    world.policy = policyOf(rules, acting);
    world.restarts().passes("500ms");
  };
  seen("ABCD");
  restartsWith([]);
  world.passes("12s");
  restartsWith([limited]);
  seen("AB");
  world.passes("2s");
  expect(world.sent).toHaveLength(2);
  expect(violations).toEqual([]);
});

it("What time alone makes bad again counts from the tick that notices it", () => {
  const slow = condition(
    "disabled for 3s",
    ({ status, since }, now) => status === "disabled" && now - Number(since) > 3_000,
    true,
  );
  const when = {
    ...slow,
    nextFlip: ({ facts, now }: { facts: Facts; now: number }) =>
      now <= Number(facts["since"]) + 3_000 ? Number(facts["since"]) + 3_001 : Infinity,
  };
  const { world, violations } = inspected(undefined, {
    rules: [{ ...repairing(), when }],
    acting: { undoLimit: 1 },
  });
  const good = [exchange("A", "enabled"), exchange("Z", "enabled")];
  const bad = [exchange("A", "disabled"), exchange("Z", "enabled")];
  world.sees("exchanges", good).passes("2s").sees("exchanges", bad).passes("5s");
  world.becomes("exchanges", good).replies("r1", "acknowledged").passes("3s");
  expect(world.remediations()).toEqual(["r1 verified"]);
  world.sees("exchanges", bad).passes("3100ms").sees("exchanges", bad).passes("2s");
  expect(world.state.tables.quarantine.size).toBe(1);
  expect(violations).toEqual([]);
});

const everything = { name: "hold", scope: {}, until: Date.UTC(2027, 0, 1) } as const;
const another = { ...everything, scope: { id: "B" } } as const;

describe("An action is caught that", () => {
  test.each<[string, RegExp, Tamper]>([
    [
      "rests on old data",
      /^1 fresh data: .*old, max_age is 0s/,
      policy((one) => withActing(one, { maxAgeMs: -1 })),
    ],
    [
      "comes right after a start",
      /^1 fresh data: .*settle_after_start/,
      policy((one) => withActing(one, { settleAfterStartMs: HOUR })),
    ],
    [
      "rests on a cut listing",
      /^1 fresh data: .*was cut/,
      atAct((step) => reread(step, { complete: false })),
    ],
    [
      "rests on a failed reading",
      /^1 fresh data: .*failed/,
      atAct((step) => reread(step, { ok: false, failure: { reason: "timeout" } })),
    ],
    [
      "rests on a reading that shows it well",
      /^1 fresh data: .*is false/,
      atAct((step) => reread(step, { entities: [exchange("A", "enabled")] })),
    ],
    [
      "was not confirmed",
      /^1 fresh data: .*no confirmation was wanted/,
      onStep((step) => ({
        ...step,
        result: {
          ...step.result,
          effects: step.result.effects.filter(({ type }) => type === "act"),
        },
      })),
    ],
    [
      "is over the budget of its rule",
      /^2 budgets: .*budget of ExchangeDisabled on bsc is 0/,
      policy((one) => withAct(one, { budget: { max: 0, perMs: HOUR } })),
    ],
    [
      "is over the budget of the action",
      /^2 budgets: .*of enable_exchange is 0/,
      policy((one) => withActing(one, { budgets: { enable_exchange: { max: 0, perMs: HOUR } } })),
    ],
    [
      "is over the budget of all",
      /^2 budgets: .*over all rules is 0/,
      policy((one) => withActing(one, { budget: { max: 0, perMs: HOUR } })),
    ],
    [
      "is sent while killed",
      /^2 overrides: .*kill switch \(operator\)/,
      atAct((step) => [said(step, { name: "kill", source: "operator" }), step]),
    ],
    [
      "is sent while held",
      /^2 overrides: .*hold h1 on everything/,
      atAct((step) => [said(step, everything), step]),
    ],
    [
      "is sent in shadow mode",
      /^2 permission: .*mode is shadow/,
      policy((one) => withActing(one, { mode: "shadow" })),
    ],
    [
      "nobody has approved",
      /^2 permission: .*0 of 2 persons/,
      policy((one) => withAct(withActing(one, { mode: "propose" }), { approvals: 2 })),
    ],
    [
      "has no attempts",
      /^2 attempts: .*0 of 0 attempts/,
      policy((one) => withAct(one, { attempts: 0 })),
    ],
    [
      "is verified without a reading",
      /^3 verified: .*without a reading/,
      onStep((step) =>
        step.result.findings.some(
          (one) => one.type === "remediation" && one.remediation.state === "verified",
        )
          ? { ...step, event: { type: "tick" } }
          : step,
      ),
    ],
    [
      "leaves twice",
      /^4 sent once: .*again: r1/,
      (seen) => (seen.type === "sent" ? [seen, seen] : seen),
    ],
    [
      "leaves though its commit failed",
      /^4 sent once: .*no step on disk/,
      atAct((step) => ({ ...step, durable: false })),
    ],
    [
      "leaves for another entity",
      /^4 sent once: .*no step on disk/,
      (seen) => (seen.type === "sent" ? { ...seen, path: "/api/v1/exchange/toggle/B" } : seen),
    ],
    [
      "leaves late",
      /^4 sent once: .*after r1 was decided/,
      (seen) => (seen.type === "sent" ? { ...seen, at: seen.at + 6_000 } : seen),
    ],
    [
      "leaves by another method",
      /^6 allow-list: DELETE/,
      (seen) => (seen.type === "sent" ? { ...seen, method: "DELETE" } : seen),
    ],
  ])("%s", (_, expected, tamper) => {
    const { world, violations } = inspected(tamper);
    repairs(world);
    expect(world.remediations()).toEqual(["r1 verified"]);
    expect(violations).toContainEqual(expect.stringMatching(expected));
  });

  it("comes too soon after another", () => {
    const { world, violations } = inspected(policy((one) => withAct(one, { cooldownMs: HOUR })));
    repairs(repairs(world));
    expect(violations).toEqual([expect.stringMatching(/^2 attempts: r2 .*the cooldown is 1h/)]);
  });

  it("repairs what was undone too often", () => {
    const acting = { undoLimit: 9 };
    const { world, violations } = inspected(
      policy((one) => withActing(one, { undoLimit: 1 })),
      { acting },
    );
    repairs(repairs(world));
    expect(violations).toContainEqual(expect.stringMatching(/^2 tug of war: r2 .*undone 1 times/));
  });

  it("repairs one of too many", () => {
    const limit = { storm: { max: 1, maxRatio: 1, withinMs: 0 } };
    const { world, violations } = inspected(policy((one) => withAct(one, limit)));
    const bad = ["A", "B"].map((name) => exchange(name, "disabled"));
    world.sees("exchanges", bad).passes("1s");
    expect(violations).toContainEqual(expect.stringMatching(/^2 storms: .*2 are bad at once/));
  });

  it("is asked for again after a crash", () => {
    let act: Step | undefined;
    const { world, violations, show } = inspected(atAct((step) => (act = step)));
    repairs(world).restarts();
    if (act !== undefined) show(act);
    expect(violations).toContainEqual(
      expect.stringMatching(/^4 sent once: r1 .*is asked for again/),
    );
  });
});

const sent = (violations: readonly string[]): string[] =>
  violations.filter((one) => /^2 overrides: .*was sent though/.test(one));

it("A hold on something else stands against nothing", () => {
  const { world, violations } = inspected(atAct((step) => [said(step, another), step]));
  repairs(world);
  expect(sent(violations)).toEqual([]);
});

it.each([true, false])("After a crash a hold stands if it was committed: %s", (durable) => {
  const { world, violations, show } = inspected();
  world.sees("exchanges", [exchange("A", "enabled"), exchange("Z", "enabled")]).passes("1s");
  const { now, policy: own, state } = world;
  const result = { changes: [], effects: [], findings: [] };
  const event = { type: "tick" } as const;
  const at = { at: now, stampedAt: now };
  show(said({ type: "step", ...at, policy: own, state, event, result, durable }, everything));
  repairs(world.restarts());
  expect(sent(violations)).toHaveLength(durable ? 1 : 0);
});

it("Five seconds of the slowest steady clock are no wait that is too long", () => {
  for (const [waitedMs, count] of [
    [5_020, 0],
    [5_120, 1],
  ] as const) {
    const { world, violations } = inspected((seen) =>
      seen.type === "sent" ? { ...seen, at: seen.at + waitedMs } : seen,
    );
    repairs(world);
    expect(violations.filter((one) => one.startsWith("4 sent once"))).toHaveLength(count);
  }
});

it("More than one may be open for different entities, and none past its deadline", () => {
  const silence = onStep((step) => ({
    ...step,
    result: {
      ...step.result,
      findings: step.result.findings.filter(
        (one) => one.type !== "remediation" || one.remediation.state === "requested",
      ),
    },
  }));
  const { world, violations } = inspected(silence, {
    rules: [repairing({ verifyWithinMs: 5_000 })],
  });
  repairs(world).passes("10s");
  expect(violations).toContainEqual(expect.stringMatching(/^3 remediations: r1 .*it had 5s/));
});

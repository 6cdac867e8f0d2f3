import { expect, test } from "vitest";
import { MINUTE } from "../../src/domain/time.ts";
import type { Outcome } from "../../src/simulation/outcome.ts";
import type { Plan } from "../../src/simulation/plan.ts";
import type { Pool } from "../../src/simulation/pool.ts";
import { renderNarration } from "../../src/simulation/report.ts";
import { EMPTY_TALLY } from "../../src/simulation/tally.ts";
import { shrink } from "../../src/simulation/shrink.ts";
import { planOf } from "../../src/simulation/swarm.ts";
import type { Task } from "../../src/simulation/task.ts";

/** Runs nothing: a plan fails where the test says so. */
function judging(
  violatedAt: (plan: Plan) => number | undefined,
): Pool & { readonly tries: number[] } {
  const tries: number[] = [];
  const run = ({ of }: Task): Promise<Outcome> => {
    if (!("plan" in of)) throw new Error("a plan is expected");
    tries.push(of.plan.events.length);
    const at = violatedAt(of.plan);
    const violations = at === undefined ? [] : [{ at, invariant: "2 budgets", text: "too many" }];
    const narration = violations.map(({ text }) => ({
      at: at ?? 0,
      text: `VIOLATED 2 budgets: ${text}`,
    }));
    const figures = {
      hash: "",
      steps: 0,
      simulatedMs: 0,
      tally: EMPTY_TALLY,
      worstDetection: undefined,
      moments: [],
    };
    return Promise.resolve({ seed: of.plan.seed, ...figures, violations, narration });
  };
  return {
    tries,
    run,
    runUnless: async (_signal, task) => await run(task),
    close: () => Promise.resolve(),
  };
}

const plan = planOf(7, { faultsFor: 30 * MINUTE, calmFor: 15 * MINUTE });
const kinds = (shown: Plan): string[] => shown.events.map((one) => one.do);

test("What is left are the events that make the failure, and nothing else", async () => {
  const guilty = [plan.events[5], plan.events.at(-4)];
  const pool = judging((tried) =>
    guilty.every((one) => one !== undefined && tried.events.includes(one))
      ? 29 * MINUTE + 59_000
      : undefined,
  );
  const shrunk = await shrink(plan, "2 budgets", pool);
  expect(shrunk.plan.events).toStrictEqual(guilty);
  expect(shrunk.eventsBefore).toBe(plan.events.length);
  expect(plan.events.length).toBeGreaterThan(20);
});

test("What comes after the failure is left out at once", async () => {
  const [first] = plan.events;
  const pool = judging(({ events: [one] }) => (one === first ? first?.at : undefined));
  const shrunk = await shrink(plan, "2 budgets", pool);
  expect(kinds(shrunk.plan)).toStrictEqual([first?.do]);
  expect(shrunk.plan.endsAfter).toBeLessThan(plan.faultsEndAfter);
  expect(renderNarration(shrunk).at(-1)).toContain("VIOLATED 2 budgets: too many");
});

test("A failure that needs no event shrinks to none", async () => {
  const shrunk = await shrink(
    plan,
    "2 budgets",
    judging(() => MINUTE),
  );
  expect(shrunk.plan.events).toStrictEqual([]);
});

test("A failure that needs everything ends after a bounded number of tries", async () => {
  const all = plan.events.length;
  const pool = judging(({ events }) => (events.length === all ? 44 * MINUTE : undefined));
  const shrunk = await shrink(plan, "2 budgets", pool);
  expect(shrunk.plan.events).toHaveLength(all);
  expect(pool.tries.length).toBeLessThan(700);
});

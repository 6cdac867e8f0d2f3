import { expect, test } from "vitest";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { RandomChoices } from "../../../src/simulation/faults/random-choices.ts";
import { scheduleOf } from "../../../src/simulation/faults/schedule.ts";
import type { Plan, ScheduledEvent } from "../../../src/simulation/plan.ts";
import { planOf } from "../../../src/simulation/swarm.ts";
import { createTaskRunner } from "../../../src/simulation/task.ts";
import { seedRandom } from "../../../src/simulator/model/random.ts";
import { shippedCampaign } from "../campaign.ts";

const swarm = { faultsFor: 3 * MINUTE, calmFor: 4 * MINUTE, replicas: 3 };
const run = createTaskRunner(shippedCampaign(swarm));

/** An exchange is disabled after a minute and a second, and acting is as quick as it can be. */
function planWith(more: readonly ScheduledEvent[]): Plan {
  const made = planOf(1, swarm);
  const [member] = made.fleet;
  const [{ acting, ...variant }] = made.variants;
  const command = { do: "disable_exchange", exchange: member?.world.exchanges?.[0]?.name };
  const aggregator = member?.watched.name ?? "";
  const inForce = { mode: "act", maxAgeMs: 30 * SECOND, confirmWithinMs: 15 * SECOND } as const;
  return {
    ...made,
    variants: [{ ...variant, acting: { ...acting, ...inForce }, rules: { pace: 0.1 } }],
    events: [{ at: MINUTE + SECOND, do: "control", aggregator, command }, ...more],
  };
}

async function told(more: readonly ScheduledEvent[]): Promise<readonly string[]> {
  const of = { plan: planWith(more) };
  const { narration, violations } = await run({ of, withNarration: true });
  expect(violations).toStrictEqual([]);
  return narration.map(({ text }) => text);
}

const crash = { do: "crash", boundary: "now", downFor: 30 * SECOND, variant: 0 } as const;
const LOST = "what was committed last is lost";

test("An owner whose commits are lost stands by, and the next goes on from what is left", async () => {
  const all = await told([{ at: MINUTE, do: "lose_commits", from: "now", after: MINUTE }]);
  const before = all.slice(0, all.indexOf(LOST));
  const after = all.slice(all.indexOf(LOST));
  expect(before.some((text) => /^r1 enable_exchange .*: verified/.test(text))).toBe(true);
  // It is fenced at its next commit, or another takes the lease before, as its renewals are lost too.
  expect(after.filter((text) => text.startsWith("the process crashes"))).toHaveLength(1);
  expect(after.filter((text) => text.endsWith("is the owner, in epoch 2"))).toHaveLength(1);
});

test("An action whose commit is lost a moment later leaves once, or is decided again", async () => {
  const all = await told([{ at: MINUTE, do: "lose_commits", from: "next_action", after: 20 }]);
  expect(all).toContain(LOST);
  expect(all.filter((text) => text.includes("applies enable_exchange"))).toHaveLength(1);
});

test("Who wakes with a take-over that was lost leaves the same epoch to the one who has it now", async () => {
  const stall = { length: 18 * SECOND, asleep: false };
  const all = await told([
    { at: MINUTE, do: "lose_commits", from: "next_take_over", after: 200, stall },
    { at: MINUTE + 1, ...crash },
  ]);
  const lost = all.findIndex((text) => text.startsWith("a copy of the database that lacks"));
  const owners = all.filter((text) => text.endsWith("is the owner, in epoch 2"));
  expect(owners).toHaveLength(1);
  expect(lost).toBeGreaterThan(0);
  expect(all.indexOf(owners[0] ?? "")).toBeGreaterThan(lost);
});

test("A seed draws losses apart: what else goes wrong is what it was without them", () => {
  const around = { fleet: planOf(1, swarm).fleet, variants: 2, until: 12 * MINUTE };
  const events = (apart: number): readonly ScheduledEvent[] =>
    scheduleOf(new RandomChoices(seedRandom(1)), new RandomChoices(seedRandom(apart)), {
      ...around,
      hasScenario: false,
      hasReplicas: true,
    });
  const seeds = Array.from({ length: 20 }, (_, index) => index);
  const each = seeds.map(events);
  const least = each.toSorted((one, other) => one.length - other.length)[0] ?? [];
  expect(each.some(({ length }) => length > least.length)).toBe(true);
  for (const more of each) expect(more).toEqual(expect.arrayContaining([...least]));
  const alone = planOf(1, { ...swarm, replicas: undefined }).events.map((event) => event.do);
  expect(alone).not.toContain("lose_commits");
});

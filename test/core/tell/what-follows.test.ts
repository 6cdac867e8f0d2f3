/** Tests src/core/tell/what-follows.ts: what a message about a failed attempt says of the next. */
import { expect, it } from "vitest";
import { formatInstant, MINUTE, SECOND } from "../../../src/domain/time.ts";
import type { RuleAction } from "../../../src/domain/rule.ts";
import { exchange, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";
import { channel } from "./channels.ts";

const disabled = [exchange("BINANCE", "disabled")];

function acting(act: Partial<RuleAction>): World {
  const rules = [rule({ act: repair({ cooldownMs: MINUTE, ...act }) })];
  return scriptedWorld({ rules, channels: [channel("hook")] });
}

/** The texts about a remediation whose last word is this. */
function saidOf(world: World, word: string): readonly string[] {
  const items = world.delivered.flatMap((batch) => batch.items);
  return items.flatMap(({ notification: one }) =>
    one.type === "event" && one.word === word ? [one.detail] : [],
  );
}

function goesOnFor(world: World, seconds: number): World {
  for (let passed = 0; passed < seconds; passed += 1)
    world.passes("1s").sees("exchanges", disabled);
  return world;
}

it("names the attempt, and when the next may follow", () => {
  const world = acting({ attempts: 2 }).sees("exchanges", disabled).passes("2s");
  world.replies("r1", "rejected").passes("1s");
  // The cooldown doubles with each failure.
  const at = (world.sent[0]?.at ?? 0) + 2 * MINUTE;
  expect(saidOf(world, "rejected")).toEqual([
    `r1: rejected; attempt 1 of 2: another may follow from ${formatInstant(at)} on`,
  ]);
  goesOnFor(world, 130);
  expect((world.sent[1]?.at ?? 0) - at).toBeGreaterThanOrEqual(0);
  expect((world.sent[1]?.at ?? 0) - at).toBeLessThan(5 * SECOND);
  world.replies("r2", "acknowledged");
  goesOnFor(world, 70);
  expect(saidOf(world, "unverified")).toEqual([
    "r2: not seen to be done within 1m; attempt 2 of 2: no other follows by itself",
  ]);
});

it("says that none may follow while it is quarantined, also if that begins with this failure", () => {
  const world = acting({ attempts: 9, cooldownMs: 0, verifyWithinMs: 30 * SECOND });
  world.sees("exchanges", disabled);
  for (let round = 0; round < 4; round += 1) {
    world.passes("2s").replies(`r${world.sent.length}`, "acknowledged");
    goesOnFor(world, 31);
  }
  expect(world.state.tables.quarantine.size).toBe(1);
  expect(saidOf(world, "unverified").at(-1)).toBe(
    "r3: not seen to be done within 30s; attempt 3 of 9: no other follows before it is released, as it is quarantined now",
  );
});

it("says nothing of it if it was not sent, if it was done, or if its alert is over", () => {
  const unsent = acting({}).sees("exchanges", disabled).passes("2s");
  unsent.replies("r1", "unsent").passes("1s");
  expect(saidOf(unsent, "rejected")).toEqual(["r1: unsent"]);
  const done = acting({}).sees("exchanges", disabled).passes("2s");
  done.becomes("exchanges", [exchange("BINANCE", "enabled")]);
  done.replies("r1", "acknowledged").passes("5s");
  expect(saidOf(done, "verified")[0]).toMatch(/^r1: seen to be done after \w+$/);
  const over = acting({}).sees("exchanges", disabled).passes("2s");
  over
    .sees("exchanges", [exchange("KRAKEN", "enabled")])
    .replies("r1", "rejected")
    .passes("1s");
  expect(saidOf(over, "rejected")).toEqual(["r1: rejected"]);
});

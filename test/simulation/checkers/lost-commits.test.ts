/** Tests src/simulation/ledger: what a database loses is forgotten, and only that. */
import { describe, expect, it } from "vitest";
import { restore } from "../../../src/core/start.ts";
import { HOUR, type Instant } from "../../../src/domain/time.ts";
import { exchange, rule } from "../../core/fixtures.ts";
import { START, type World } from "../../core/world.ts";
import { channel } from "../../core/tell/channels.ts";
import {
  inspected,
  isActing,
  onStep,
  repairs,
  withAct,
  type Step,
  type Tamper,
} from "./tampered-run.ts";

type Inspected = ReturnType<typeof inspected>;

/**
 * Keeps the rows as they are, and gives what puts them back; whoever looks on is shown that, unless it is hidden. The last
 * commit that is left may be said to be of a later instant.
 */
function keep({ world, show }: Inspected): (isShown?: boolean, lastAt?: Instant) => World {
  const kept = [...world.journal.rows];
  return (isShown = true, lastAt) => {
    world.journal.rows.clear();
    for (const [key, row] of kept) world.journal.rows.set(key, row);
    if (lastAt !== undefined)
      world.journal.rows.set("counter at", { table: "counter", key: "at", value: lastAt });
    const state = restore(world.journal.reopen());
    if (isShown) show({ type: "lost", at: world.now, state });
    return world;
  };
}

/** The checkers believe that an entity is left alone for an hour. */
const withCooldown = (): Inspected =>
  inspected(onStep((step) => ({ ...step, policy: withAct(step.policy, { cooldownMs: HOUR }) })));

it("A repair that was lost counts for no limit, and its id is had once more", () => {
  const seen = withCooldown();
  seen.world.passes("1s");
  const lose = keep(seen);
  repairs(seen.world);
  expect(seen.world.remediations()).toEqual(["r1 verified"]);
  repairs(lose().restarts());
  expect(seen.world.remediations()).toEqual(["r1 verified"]);
  expect(seen.violations).toEqual([]);
});

it("A repair is lost with its commit, also if the last one that is left is of the same instant", () => {
  const seen = withCooldown();
  seen.world.passes("1s");
  const lose = keep(seen);
  const { remediation } = repairs(seen.world).state.tables;
  repairs(lose(true, remediation.get("r1")?.requestedAt).restarts());
  expect(seen.violations).toEqual([]);
});

it("A repair that was there before is not forgotten", () => {
  const seen = withCooldown();
  repairs(seen.world);
  const lose = keep(seen);
  seen.world.passes("5s");
  repairs(lose().restarts());
  expect(seen.violations).toEqual([expect.stringMatching(/^2 attempts: r2 .*the cooldown is 1h/)]);
});

it("Rows that are missing though nothing was lost are missed", () => {
  const seen = inspected();
  const lose = keep(seen);
  repairs(seen.world);
  lose(false).restarts();
  expect(seen.violations).toContainEqual(expect.stringMatching(/^4 what was committed: .*is lost/));
});

it("A process that goes on as if nothing was lost has in memory what is not there", () => {
  const seen = inspected();
  seen.world.passes("1s");
  const lose = keep(seen);
  const world = repairs(seen.world);
  lose().passes("2s");
  const { now: at, policy, state } = world;
  seen.show({ type: "ended", at, policy, state, truth: [] });
  expect(seen.violations).toContainEqual(
    expect.stringMatching(/^4 what was committed: in memory at the end .*, and was written as $/),
  );
});

it("An action leaves only if it is on disk, or was until a moment ago", () => {
  const unwritten = inspected(
    onStep((step) => {
      const changes = step.result.changes.filter(({ table }) => table !== "remediation");
      return isActing(step) ? { ...step, result: { ...step.result, changes } } : step;
    }),
  );
  repairs(unwritten.world);
  expect(unwritten.violations).toContainEqual(
    expect.stringMatching(/^4 sent once: .*, and r1 of it is not on disk$/),
  );
  let hasLost = false;
  const lost: Inspected = inspected((seen) => {
    if (seen.type !== "sent" || seen.purpose !== "act" || hasLost) return seen;
    hasLost = true;
    lose();
    return seen;
  });
  lost.world.passes("1s");
  const lose = keep(lost);
  repairs(lost.world);
  expect(hasLost).toBe(true);
  expect(lost.violations.filter((one) => one.startsWith("4 sent once"))).toEqual([]);
});

it("A notification of an alert that was lost is not due again", () => {
  const seen = inspected(undefined, { rules: [rule()], channels: [channel("phone")] });
  const { world, violations, show } = seen;
  world.at("5s");
  const lose = keep(seen);
  world.at("10s").sees("exchanges", [exchange("A", "disabled"), exchange("Z", "enabled")]);
  const told = { key: "alert ExchangeDisabled|bsc/exchange/A", state: "firing" };
  const alerts = [{ ...told, firedAt: START + 10_000 }];
  show({ type: "delivered", at: world.now, sentAt: world.now, alerts });
  lose().restarts();
  world.sees("exchanges", [exchange("A", "enabled"), exchange("Z", "enabled")]).passes("10m");
  show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
  expect(violations.filter((one) => one.startsWith("5 deliveries"))).toEqual([]);
});

describe("What a loss of power would still take back", () => {
  const unsyncedIf = (isSo: (step: Step) => boolean): Tamper =>
    onStep((step) => (isSo(step) ? { ...step, unsynced: true } : step));

  it("may be what an aggregator said, if nothing leaves", () => {
    const { world, violations } = inspected(
      unsyncedIf(
        ({ event, result }) =>
          event.type === "observed" && result.effects.every(({ type }) => type === "probe"),
      ),
    );
    repairs(world);
    expect(violations).toEqual([]);
  });

  it("may not be an action", () => {
    const { world, violations } = inspected(unsyncedIf(isActing));
    repairs(world);
    expect(violations).toEqual(["4 synced: an effect to act could be lost with the power"]);
  });

  it.each(["tick", "acted"])("may not be a %s event", (type) => {
    const { world, violations } = inspected(unsyncedIf(({ event }) => event.type === type));
    repairs(world);
    expect(new Set(violations)).toEqual(
      new Set([`4 synced: a ${type} event could be lost with the power`]),
    );
  });
});

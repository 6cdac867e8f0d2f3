import { describe, expect, it } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import { START } from "../../core/world.ts";
import { exchange, rule } from "../../core/fixtures.ts";
import { channel } from "../../core/tell/channels.ts";
import { inspected } from "./tampered-run.ts";

const bad = [exchange("A", "disabled"), exchange("Z", "enabled")];
const good = [exchange("A", "enabled"), exchange("Z", "enabled")];

const KEY = "alert ExchangeDisabled|bsc/exchange/A";

/** What is said of a run in which A fires ten seconds after the start, and is well twenty seconds later. */
function said(told: ReadonlyArray<"firing" | "resolved">, isMended = true, firedAfter = 10_000) {
  const { world, violations, show } = inspected(undefined, { rules: [rule()] });
  world.at("10s").sees("exchanges", bad).passes("20s");
  if (isMended) world.sees("exchanges", good);
  for (const state of told) {
    const alerts = [{ key: KEY, state, firedAt: START + firedAfter }];
    show({ type: "delivered", at: world.now, sentAt: world.now, alerts });
  }
  world.passes("10m");
  show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
  return violations.filter((one) => one.startsWith("5 deliveries"));
}

/** What is said of a run in which A fires and the receiver hears of it, and is well in the next process. */
function saidAfterRestart(broken: { brokenFrom: string; untilHeals?: boolean }): string[] {
  const { world, violations, show } = inspected(undefined, {
    rules: [rule()],
    channels: [channel("phone")],
  });
  const breaks = (from: string): void => {
    if (broken.brokenFrom === from) world.journal.broken = true;
  };
  world.at("5s");
  breaks("5s");
  world.at("10s").sees("exchanges", bad).passes("10s");
  show({
    type: "delivered",
    at: world.now,
    sentAt: world.now,
    alerts: [{ key: KEY, state: "firing", firedAt: START + 10_000 }],
  });
  if (broken.untilHeals === true) world.journalHeals();
  world.at("29s");
  breaks("29s");
  world.at("30s").restarts();
  world.journal.broken = false;
  world.sees("exchanges", good).passes("10m");
  show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
  return violations.filter((one) => one.startsWith("5 deliveries"));
}

describe("What people are told is caught if", () => {
  it("nobody hears of what fired", () => {
    expect(said([])).toEqual([expect.stringMatching(/A fired at .*, and was not delivered/)]);
    expect(said([], false)).toContainEqual(expect.stringMatching(/A fires since .* got nothing/));
  });

  it("nobody hears that it is over", () => {
    expect(said(["firing"])).toEqual([expect.stringMatching(/A does not fire, .* not delivered/)]);
  });

  it("it is said to be over, or of another time, and fires", () => {
    expect(said(["firing", "resolved"], false)).toEqual([
      expect.stringMatching(/A fires since .* got resolved since/),
    ]);
    expect(said(["firing"], false, 5_000)).toEqual([
      expect.stringMatching(/A fires since .* got firing since/),
    ]);
  });

  it("nobody hears that it is over, and the next process can know that it began", () => {
    const expected = [expect.stringMatching(/A does not fire, .* not delivered/)];
    expect(saidAfterRestart({ brokenFrom: "29s" })).toEqual(expected);
    expect(saidAfterRestart({ brokenFrom: "5s", untilHeals: true })).toEqual(expected);
  });

  it("but not if what was sent before its end arrives after it", () => {
    const { world, violations, show } = inspected(undefined, { rules: [rule()] });
    const arrives = (state: "firing" | "resolved", sentAt: number): void => {
      const alerts = [{ key: KEY, state, firedAt: START + 10_000 }];
      show({ type: "delivered", at: world.now, sentAt, alerts });
    };
    world.at("10s").sees("exchanges", bad).passes("1s");
    const before = world.now;
    world.passes("10s").sees("exchanges", good).passes("1s");
    arrives("resolved", world.now);
    world.passes("5s");
    arrives("firing", before);
    world.passes("10m");
    show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
    expect(violations.filter((one) => one.startsWith("5 deliveries"))).toEqual([]);
  });

  it("but not if nothing of it was on disk when the process ended", () => {
    expect(saidAfterRestart({ brokenFrom: "5s" })).toEqual([]);
  });

  it.each([
    [
      "nobody hears that it goes on, and the next process can know that its end was told",
      "29s",
      true,
    ],
    ["but not where nothing of that end was on disk when the process ended", "20s", false],
  ])("%s", (_, brokenFrom, isViolated) => {
    const { world, violations, show } = inspected(undefined, {
      rules: [rule()],
      channels: [channel("phone")],
    });
    const told = (state: "firing" | "resolved"): void => {
      const alerts = [{ key: KEY, state, firedAt: START + 10_000 }];
      show({ type: "delivered", at: world.now, sentAt: world.now, alerts });
    };
    world.at("10s").sees("exchanges", bad).passes("1s");
    told("firing");
    world.at("20s");
    if (brokenFrom === "20s") world.journal.broken = true;
    world.at("25s").sees("exchanges", good).passes("1s");
    told("resolved");
    world.at("30s").restarts();
    world.journal.broken = false;
    world.sees("exchanges", bad).passes("10m");
    show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
    expect(violations.some((one) => one.startsWith("5 deliveries"))).toBe(isViolated);
  });

  it("but not if it was told of another time, of which nothing was on disk when the process ended", () => {
    const { world, violations, show } = inspected(undefined, {
      rules: [rule()],
      channels: [channel("phone")],
    });
    const told = (state: "firing" | "resolved", firedAt: number): void =>
      show({
        type: "delivered",
        at: world.now,
        sentAt: world.now,
        alerts: [{ key: KEY, state, firedAt }],
      });
    world.at("10s").sees("exchanges", bad).passes("1s");
    told("firing", START + 10_000);
    world.at("20s");
    world.journal.broken = true;
    world.at("25s").sees("exchanges", good).passes("1s");
    told("resolved", START + 10_000);
    world.at("28s").sees("exchanges", bad).passes("1s");
    told("firing", START + 28_000);
    world.at("30s").restarts();
    world.journal.broken = false;
    world.sees("exchanges", bad).passes("10m");
    show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
    expect(violations.filter((one) => one.startsWith("5 deliveries"))).toEqual([]);
  });

  it.each([
    ["but not if it was silenced while it waited for a receiver that was down", true],
    ["what waited for a receiver that was down is never delivered", false],
  ])("%s", (_, isSilenced) => {
    const { world, violations, show } = inspected(undefined, {
      rules: [rule()],
      channels: [channel("phone")],
    });
    world.receives = () => "failed";
    const other = exchange("Z", "disabled");
    // Only what was not sent before is muted.
    world
      .at("10s")
      .sees("exchanges", [exchange("A", "enabled"), other])
      .passes("90s");
    world.sees("exchanges", [exchange("A", "disabled"), other]);
    if (isSilenced)
      world.commands({ name: "silence", scope: { id: "A" }, until: world.now + 20 * MINUTE });
    world.receives = () => "delivered";
    world.passes("2m").sees("exchanges", good).passes("10m");
    show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth: [] });
    const ofA = violations.filter((one) => one.startsWith(`5 deliveries: ${KEY}`));
    expect(ofA.length).toBe(isSilenced ? 0 : 1);
  });

  it("and that all was told is not a violation, nor that only the end was", () => {
    expect(said(["firing", "resolved"])).toEqual([]);
    expect(said(["resolved"])).toEqual([]);
    expect(said(["firing"], false)).toEqual([]);
  });
});

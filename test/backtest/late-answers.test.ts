/** Tests src/record/recorder.ts and src/backtest/replay.ts: of answers that come after the settling, or never. */
import { describe, expect, it } from "vitest";
import { landmarksOf } from "../../src/backtest/landmarks.ts";
import { replay, type Divergence } from "../../src/backtest/replay.ts";
import { toEnd } from "../../src/domain/slices.ts";
import { SECOND } from "../../src/domain/time.ts";
import type { Recorded } from "../../src/record/rebuild.ts";
import { exchange, policyOf, repair, rule } from "../core/fixtures.ts";
import { START } from "../core/world.ts";
import { recorded, type Found } from "./eventful.ts";

const EAGER = rule({
  act: repair({ cooldownMs: SECOND, verifyWithinMs: 2 * SECOND, attempts: 9 }),
});
const bad = [exchange("A", "disabled")];
const good = [exchange("A", "enabled")];

function replayed(told: readonly Recorded[], rules = [EAGER]) {
  const found: Found[] = [];
  const divergences: Divergence[] = [];
  const options = {
    policy: policyOf(rules),
    record: told,
    landmarks: toEnd(landmarksOf(told)),
    onFinding: (at: number, finding: Found["finding"]) =>
      void found.push({ at, finding: structuredClone(finding) }),
    onDivergence: (_at: number, _entity: string, why: Divergence) => void divergences.push(why),
  };
  toEnd(replay(options));
  return { found, divergences };
}

/** What became of actions, and what held them back. */
function acts(found: readonly Found[]): string[] {
  return found.flatMap(({ at, finding }) => {
    const after = `${at - START}ms`;
    if (finding.type === "suppressed") return [`${after} ${finding.reason}: ${finding.detail}`];
    if (finding.type !== "remediation") return [];
    return [`${after} ${finding.remediation.id} ${finding.remediation.state}`];
  });
}

/** A world in which r1 was just sent. */
function acting(rules = [EAGER]) {
  const made = recorded(rules);
  made.world.sees("exchanges", bad).passes("2s");
  expect(made.world.remediations()).toEqual(["r1 requested"]);
  return made;
}

/** What the replay did is what was done live, and nothing differed. */
function expectSame({ live, told }: Pick<ReturnType<typeof recorded>, "live" | "told">): void {
  const { found, divergences } = replayed(told());
  expect(acts(found)).toEqual(acts(live));
  expect(divergences).toEqual([]);
}

describe("a replay by the rules that were in force sends what was sent live", () => {
  it("if the answer comes after the action was given up", () => {
    const { world, live, told } = acting();
    world.passes("4s");
    expect(world.remediations()).toEqual(["r1 unverified"]);
    world.replies("r1", "in_doubt").passes("9s");
    expect(world.sent).toHaveLength(2);
    expectSame({ live, told });
  });

  it("if the answer comes after others were seen to have done it, and it was undone", () => {
    const { world, live, told } = acting();
    world.becomes("exchanges", good).passes("4s");
    expect(world.remediations()).toEqual(["r1 verified"]);
    world.sees("exchanges", bad).passes("5s").replies("r1", "acknowledged").passes("9s");
    expect(world.sent).toHaveLength(2);
    expectSame({ live, told });
  });

  it("if the answer never comes", () => {
    const { world, live, told } = acting();
    world.passes("60s");
    expect(world.sent).toHaveLength(1);
    expectSame({ live, told });
  });

  it("if the journal could not be written, so that the action was not sent", () => {
    const { world, live, told } = recorded([EAGER]);
    world.sees("exchanges", bad);
    world.journal.broken = true;
    world.passes("2s").journalHeals().passes("9s");
    expect(world.remediations()[0]).toBe("r1 rejected");
    expect(world.sent).not.toEqual([]);
    const { found, divergences } = replayed(told());
    expect(acts(found).slice(0, 2)).toEqual(acts(live).slice(0, 2));
    expect(acts(found)).toContainEqual(expect.stringMatching(/r2 requested$/));
    expect(divergences).toEqual([]);
  });
});

describe("a record of a version that left out answers which came after the settling", () => {
  it("is replayed as it was, and holds no entity in flight for ever", () => {
    const { world, live, told } = acting();
    // That version sent the next one without waiting for the answer.
    for (let passed = 0; passed < 9; passed += 1) {
      world.state.unanswered.clear();
      world.passes("1s");
    }
    expect(world.sent.length).toBeGreaterThan(1);
    const then = told().map((one) => (one.type === "sent" ? { ...one, isAwaited: false } : one));
    const { found, divergences } = replayed(then);
    expect(acts(found)).toEqual(acts(live));
    expect(divergences).toEqual([]);
  });
});

describe("an action that was really sent, while the replay still waits for an earlier answer,", () => {
  it("is one that these rules would not have sent", () => {
    const { world, told } = acting();
    world.passes("4s").replies("r1", "in_doubt").passes("9s");
    expect(world.sent).toHaveLength(2);
    const lost = told().filter(({ type }) => type !== "acted");
    const { found, divergences } = replayed(lost);
    expect(acts(found)).not.toContainEqual(expect.stringContaining("r2"));
    expect(divergences).toEqual(["not_sent"]);
  });
});

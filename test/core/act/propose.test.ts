import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { stoppedBy } from "../../../src/core/act/last-look.ts";
import { indexRules } from "../../../src/core/policy.ts";
import type { Rule, RuleAction } from "../../../src/domain/rule.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { exchange, factIs, order, repair, rule, template } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const cancels = repair({ action: "force_cancel_order", mode: "propose", attempts: 2 });
const stuck = rule({
  alert: "Stuck",
  kind: "liquidation",
  when: factIs("final", false),
  act: cancels,
});
const KEY = "Stuck|bsc/liquidation/o1";

/** A world in which `p1` proposes to cancel the stuck order `o1`. */
function proposed(options: { probes?: "silent"; expires?: number } = {}): World {
  const { probes = "answered", expires = HOUR } = options;
  const world = scriptedWorld({
    rules: [stuck],
    probes,
    acting: { approvalExpiresAfterMs: expires },
  });
  return polling(world, 0);
}

function polling(world: World, seconds: number, status: "STUCK" | "CANCELED" = "STUCK"): World {
  for (let passed = 0; passed <= seconds; passed += 10) {
    if (passed > 0) world.passes("10s");
    world.polls("liquidations", { o1: [order("o1", status)] });
  }
  return world;
}

function denied(): World {
  return proposed().commands({ name: "deny", proposal: "p1" });
}

/** A reload puts the rule in force, changed like this. */
function reloads(
  world: World,
  change: Partial<Omit<Rule, "act">> & { act?: RuleAction | undefined },
): World {
  const { act = "act" in change ? undefined : cancels, ...others } = change;
  const { act: _, ...plain } = stuck;
  const changed = { ...plain, ...others, ...(act && { act }), hash: `${world.now}` };
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = { ...world.policy, ...indexRules([changed]) };
  return world.tell({ type: "policy_changed", rulesBefore, moved: [] });
}

function proposals(world: World): string[] {
  return [...world.state.tables.proposal.values()].map(({ id }) => id);
}

describe("a proposal", () => {
  it("is made once for a run of an alert, and waits", () => {
    const world = polling(proposed(), 60);
    expect(world.found("proposed")).toMatchObject([
      { proposal: "p1", action: "force_cancel_order" },
    ]);
    expect(world.suppressions()).toStrictEqual(["approval"]);
    expect(world.sent).toStrictEqual([]);
    expect(world.probes).toStrictEqual([]);
  });

  it("that is approved is read again first, sent once, and used up", () => {
    const world = proposed().approves("p1");
    expect(world.probes).toMatchObject([{ surface: "o1", why: "confirm" }]);
    expect(world.sent).toStrictEqual([]);
    world.passes("1s");
    expect(world.sent).toMatchObject([{ call: { args: { orderId: "o1" } } }]);
    expect(world.remediation("r1")?.approvedBy).toBe("alice");
    expect(proposals(world)).toStrictEqual([]);
    world.replies("r1", "rejected");
    polling(world, 30 * 60);
    expect(world.sent).toHaveLength(1);
    expect(proposals(world)).toStrictEqual(["p2"]);
  });

  it("that is approved is still asked of every guard", () => {
    const world = proposed().commands({ name: "kill", source: "file" });
    world.approves("p1").passes("5s");
    expect(world.sent).toStrictEqual([]);
    expect(world.suppressions().at(-1)).toBe("killed");
    world.commands({ name: "unkill", source: "file" }).passes("1s");
    expect(world.sent).toHaveLength(1);
  });

  it("that is denied stays denied for as long as the alert fires", () => {
    const world = proposed({ expires: MINUTE }).commands({ name: "deny", proposal: "p1" });
    polling(world, 5 * 60);
    expect(world.sent).toStrictEqual([]);
    expect(proposals(world)).toStrictEqual(["p1"]);
    expect(world.found("proposed")).toHaveLength(1);
    expect(world.alert("Stuck", "liquidation", "o1")?.suppressed?.detail).toBe(
      "denied by alice: she said so",
    );
    expect(world.suppressions()).toStrictEqual(["approval"]);
    world.approves("p1");
    expect(world.found("command").map(({ accepted }) => accepted)).toStrictEqual([true, false]);
    expect(world.passes("5s").sent).toStrictEqual([]);
  });

  it("that is denied while its confirmation is awaited is not sent", () => {
    const world = proposed({ probes: "silent" }).approves("p1");
    world.commands({ name: "deny", proposal: "p1" }).passes("1s");
    polling(world, 0);
    expect(world.sent).toStrictEqual([]);
  });

  it("that is denied stays so if a reload lets its rule act by itself", () => {
    const world = reloads(denied(), { act: { ...cancels, mode: "act" } });
    polling(world, 60);
    expect(world.sent).toStrictEqual([]);
    expect(world.alert("Stuck", "liquidation", "o1")?.suppressed).toMatchObject({
      reason: "approval",
      detail: "denied by alice: she said so",
    });
  });

  it.each([
    { what: "a longer for makes its alert pending again", between: { forMs: 5 * MINUTE } },
    { what: "its rule does not act for a while", between: { act: undefined } },
  ])("that is denied stays so if $what", ({ between }) => {
    const world = polling(reloads(denied(), between), 30);
    polling(reloads(world, {}), 60);
    expect(world.alerts()).toStrictEqual(["Stuck o1 firing"]);
    expect(world.found("proposed")).toHaveLength(1);
    expect(world.sent).toStrictEqual([]);
    // The next run of its alert is another matter.
    polling(polling(world, 10, "CANCELED"), 10);
    expect(proposals(world)).toStrictEqual(["p2"]);
  });

  it("expires, and another is made while it is still wanted", () => {
    const world = polling(proposed({ expires: MINUTE }), 50);
    expect(proposals(world)).toStrictEqual(["p1"]);
    polling(world, 10);
    expect(proposals(world)).toStrictEqual(["p2"]);
    world.approves("p1");
    expect(world.found("command")).toMatchObject([
      {
        accepted: false,
        detail:
          "no proposal p1 waits: it was never made, was used, has expired or was withdrawn, or its alert has ended",
      },
    ]);
  });

  it("takes its approval with it when it expires before it could be used", () => {
    const world = proposed({ expires: MINUTE }).commands({ name: "kill", source: "file" });
    world.approves("p1");
    polling(world, 60).commands({ name: "unkill", source: "file" }).passes("5s");
    expect(world.sent).toStrictEqual([]);
    expect(proposals(world)).toStrictEqual(["p2"]);
  });

  it("ends with its alert", () => {
    const world = polling(proposed(), 10, "CANCELED");
    expect(proposals(world)).toStrictEqual([]);
    expect(world.journal.rows.has(`proposal ${KEY}`)).toBe(false);
  });

  it("and its approval survive a restart", () => {
    const world = proposed().approves("p1").restarts();
    expect(world.sent).toStrictEqual([]);
    expect(polling(world, 10).sent).toHaveLength(1);
  });

  it("does not, nor does its approval, survive a restart with another base_url", () => {
    const sentAfter = (address: number): number => {
      const world = polling(proposed().restartsAt(1), 0).approves("p1").restartsAt(address);
      return polling(world, 10).sent.length;
    };
    expect(sentAfter(1)).toBe(1);
    expect(sentAfter(2)).toBe(0);
  });

  it("tells who approves it twice that another person must", () => {
    const two = scriptedWorld({
      rules: [{ ...stuck, act: { ...cancels, approvals: 2 } }],
      acting: { approvalExpiresAfterMs: HOUR },
    });
    const world = polling(two, 0);
    world.approves("p1");
    world.passes("5s").approves("p1");
    expect(world.found("command").map(({ accepted, detail }) => [accepted, detail])).toStrictEqual([
      [
        true,
        `approved force_cancel_order of ${KEY}: 1 of 2 approvals; another person must approve too`,
      ],
      [
        false,
        "p1 was approved by alice already, at 2026-01-01T00:00:00.000Z: 1 of 2 approvals; another person must approve too",
      ],
    ]);
    expect(world.sent).toStrictEqual([]);
  });

  it.each([
    ["changes", { annotations: { summary: template("status") } }, "the rule was changed"],
    ["leaves", undefined, undefined],
  ])("that is approved is not sent any more if a reload %s its rule first", (_what, to, why) => {
    const world = proposed().approves("p1").passes("1s");
    if (to !== undefined) reloads(world, to);
    const problem = stoppedBy({ policy: world.policy, state: world.state, at: world.now }, "r1");
    expect(problem).toBe(why && `it has changed: ${why}`);
  });

  it("that was denied tells who approves it by whom, and that this stands", () => {
    const world = proposed().commands({ name: "deny", proposal: "p1" });
    world.approves("p1");
    expect(world.found("command").at(-1)?.detail).toBe(
      "p1 was denied by alice at 2026-01-01T00:00:00.000Z, which stands while its alert lasts",
    );
  });

  it("that nobody made is not approved", () => {
    const world = proposed().approves("p7");
    expect(world.found("command")).toMatchObject([
      { name: "approve", by: "alice", accepted: false },
    ]);
  });
});

it("an action of mode act needs no approval, one of mode shadow gets none", () => {
  const seen = [exchange("BINANCE", "disabled")];
  const acts = scriptedWorld({ rules: [rule({ act: repair() })] }).sees("exchanges", seen);
  expect(acts.passes("1s").sent).toHaveLength(1);
  const shadow = scriptedWorld({ rules: [stuck], acting: { mode: "shadow" } });
  polling(shadow, 10);
  expect(shadow.found("proposed")).toStrictEqual([]);
  expect(shadow.suppressions()).toStrictEqual(["shadow"]);
  expect(shadow.now).toBe(START + 10_000);
});

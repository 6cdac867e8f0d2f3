/** Tests src/core/act: shown, propose and decide, as to what an approval is for. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf, shownOf } from "../../../src/core/act/shown.ts";
import type { Facts } from "../../../src/domain/entity.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import type { ChannelPolicy } from "../../../src/domain/notification.ts";
import { condition, factIs, order, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const cancels = repair({ action: "force_cancel_order", mode: "propose" });
const stuck = rule({
  alert: "Stuck",
  kind: "liquidation",
  when: factIs("final", false),
  act: cancels,
  hash: "one",
});
const PHONE: ChannelPolicy = {
  name: "phone",
  type: "webhook",
  topics: ["remediations"],
  leastSeverity: "info",
  match: {},
  most: 10,
  grouping: "any",
};

type Options = {
  readonly rule?: Rule;
  readonly approvals?: number;
  readonly probes?: "silent";
  readonly channels?: readonly ChannelPolicy[];
};

/** `p1` proposes to cancel the stuck order `o1` with the amount 10. */
function proposed({ probes, channels = [], ...options }: Options = {}): World {
  const own = options.rule ?? stuck;
  const world = scriptedWorld({
    rules: [{ ...own, act: { ...cancels, approvals: options.approvals ?? 1 } }],
    probes: probes ?? "answered",
    acting: { approvalExpiresAfterMs: HOUR },
    channels,
  });
  return reads(world, { amount: 10 });
}

function reads(world: World, change: Facts): World {
  return world.polls("liquidations", { o1: [order("o1", "STUCK", change)] });
}

/** Every proposal as `p1 waiting`, `p1 withdrawn`, or the names of those who have approved it. */
function proposals({ state }: World): string[] {
  return [...state.tables.proposal.values()].map(({ id, withdrawn, approvals }) => {
    const by = approvals.map((one) => one.by).join(", ");
    return `${id} ${withdrawn === undefined ? by || "waiting" : "withdrawn"}`;
  });
}

function refusals(world: World): string[] {
  return world.found("command").flatMap(({ accepted, detail }) => (accepted ? [] : [detail]));
}

describe("an approval is for what was shown", () => {
  it("and not for what changed before it was given", () => {
    const world = proposed();
    const digest = [...world.state.tables.proposal.values()][0]?.digest;
    reads(world, { amount: 10_000 });
    expect(proposals(world)).toStrictEqual(["p2 waiting"]);
    world.commands({ name: "approve", proposal: "p1", digest });
    const [now] = world.state.tables.proposal.values();
    expect(refusals(world)).toStrictEqual([
      `no proposal p1 waits: p2 took its place (p1 was withdrawn: amount was 10, is 10000); look at it, and name its digest ${now?.digest} to approve it`,
    ]);
    expect(world.found("command").at(-1)?.subject).toBe("p2");
    expect(world.passes("5s").sent).toStrictEqual([]);
    expect(world.approves("p2").passes("5s").sent).toHaveLength(1);
  });

  it("and not for what changes between the approval and the reading right before the request", () => {
    const world = proposed().becomes(
      "liquidations",
      [order("o1", "STUCK", { amount: 10_000 })],
      "o1",
    );
    world.approves("p1").passes("5s");
    expect(world.probes).toMatchObject([{ why: "confirm" }]);
    expect(world.sent).toStrictEqual([]);
    expect(proposals(world)).toStrictEqual(["p2 waiting"]);
    expect(world.found("withdrawn")).toMatchObject([
      { proposal: "p1", detail: "amount was 10, is 10000" },
    ]);
    expect(world.approves("p2").passes("5s").sent).toHaveLength(1);
  });

  it("and not for what changes while another guard objects", () => {
    const world = proposed().commands({ name: "kill", source: "operator" }).approves("p1");
    reads(world, { amount: 10_000 });
    expect(proposals(world)).toStrictEqual(["p1 withdrawn"]);
    world.approves("p1");
    expect(refusals(world)).toStrictEqual([
      "p1 was withdrawn at 2026-01-01T00:00:00.000Z: amount was 10, is 10000",
    ]);
    // As it was, and approved then: that is over all the same.
    reads(world, { amount: 10 }).commands({ name: "unkill", source: "operator" }).passes("5s");
    expect(world.sent).toStrictEqual([]);
    expect(proposals(world)).toStrictEqual(["p2 waiting"]);
  });

  it("and stands if what shows a change is doubted, by which nothing is sent", () => {
    const world = proposed({ probes: "silent" }).approves("p1", "alice");
    const changed = [order("o1", "STUCK", { amount: 10_000 })];
    const evidence = { doubt: { reason: "partial_content", detail: "status 206" } } as const;
    world.reads("liquidations", changed, { surface: "o1", evidence }).passes("5s");
    expect(proposals(world)).toStrictEqual(["p1 alice"]);
    expect(world.sent).toStrictEqual([]);
    world.reads("liquidations", changed, { surface: "o1", origin: "probe" });
    expect(proposals(world)).toStrictEqual(["p2 waiting"]);
  });

  it("so one person's of two does not carry over", () => {
    const world = proposed({ approvals: 2 }).approves("p1", "alice");
    reads(world, { amount: 10_000 }).approves("p2", "bob").passes("5s");
    expect(proposals(world)).toStrictEqual(["p2 bob"]);
    expect(world.sent).toStrictEqual([]);
    expect(world.approves("p2", "alice").passes("5s").sent).toHaveLength(1);
  });

  it.each([[undefined], ["0123456789abcdef"]])("so it names the digest, and not %s", (digest) => {
    const world = proposed().commands({ name: "approve", proposal: "p1", digest });
    const [now] = world.state.tables.proposal.values();
    expect(refusals(world)[0]).toContain(`name its digest ${now?.digest}`);
    expect(world.passes("5s").sent).toStrictEqual([]);
  });

  it("of the rule as it was: another rule withdraws it", () => {
    const world = proposed().commands({ name: "kill", source: "operator" });
    const changed = { ...stuck, hash: "two", act: { ...cancels, budget: { max: 1, perMs: HOUR } } };
    const rules = new Map([["Stuck", changed]]);
    world.policy = { ...world.policy, rules, rulesByKind: new Map([["liquidation", [changed]]]) };
    world.tell({ type: "policy_changed", rulesBefore: new Map([["Stuck", "one"]]), moved: [] });
    expect(world.found("withdrawn")).toMatchObject([{ detail: "the rule was changed" }]);
    world.commands({ name: "unkill", source: "operator" });
    expect(proposals(world)).toStrictEqual(["p2 waiting"]);
  });

  it("at the address that was shown: another one withdraws it", () => {
    const world = proposed().commands({ name: "kill", source: "operator" }).approves("p1");
    world.tell({
      type: "policy_changed",
      rulesBefore: new Map([["Stuck", "one"]]),
      moved: ["bsc"],
    });
    expect(proposals(world)).toStrictEqual(["p1 withdrawn"]);
    expect(world.found("withdrawn")).toMatchObject([{ detail: "base_url was changed" }]);
  });

  it("and lasts while nothing sure is known, and over a restart", () => {
    const world = proposed().commands({ name: "kill", source: "operator" }).approves("p1");
    world.polls("liquidations", { o1: "failed" }).passes("20s").restarts();
    reads(world, { amount: 10 });
    expect(proposals(world)).toStrictEqual(["p1 alice"]);
    world.commands({ name: "unkill", source: "operator" }).passes("5s");
    expect(world.sent).toHaveLength(1);
  });

  it("and does not hang on a fact that drifts, unless the rule reads it", () => {
    const first = { amount: 10, updated: 1_000 };
    const world = reads(proposed().passes("1s"), first);
    expect(proposals(world)).toStrictEqual(["p1 waiting"]);
    const when = { ...condition("reads updated", () => true), reads: ["updated"] };
    const reading = reads(proposed({ rule: { ...stuck, when } }), first);
    expect(proposals(reading)).toStrictEqual(["p2 waiting"]);
    expect(reading.found("withdrawn")).toMatchObject([
      { detail: "updated was not known, is 1970-01-01T00:00:01.000Z" },
    ]);
  });
});

describe("a denial is of the action, whatever is shown of it by now", () => {
  const denies = (world: World): World => world.commands({ name: "deny", proposal: "p1" });

  function staysDenied(world: World, id: string): void {
    const given = world.found("command").find(({ name }) => name === "deny");
    expect(given).toMatchObject({ accepted: true, subject: id });
    for (const amount of [20, 30, 40]) reads(world.passes("10s"), { amount });
    world.approves(id).passes("5s");
    expect(refusals(world)).toStrictEqual([expect.stringContaining(`${id} was denied by alice`)]);
    expect(proposals(world)).toStrictEqual([`${id} waiting`]);
    expect(world.sent).toStrictEqual([]);
  }

  it("so it holds though the facts changed before it was given", () => {
    const world = denies(reads(reads(proposed(), { amount: 10_000 }), { amount: 10 }));
    expect(world.found("command").at(-1)?.detail).toBe(
      "denied force_cancel_order of Stuck|bsc/liquidation/o1, which p3 proposes by now",
    );
    staysDenied(world, "p3");
  });

  it("so it voids an approval of what took the place of what was denied", () => {
    const world = reads(proposed({ probes: "silent" }), { amount: 10_000 }).approves("p2", "bob");
    denies(world);
    reads(world, { amount: 10_000 });
    world.reads("liquidations", [order("o1", "STUCK", { amount: 10_000 })], {
      surface: "o1",
      origin: "probe",
    });
    expect(world.sent).toStrictEqual([]);
  });

  it("so it holds though what it is of was withdrawn, and is not proposed again yet", () => {
    const world = proposed().commands({ name: "kill", source: "operator" });
    denies(reads(world, { amount: 10_000 }));
    world.commands({ name: "unkill", source: "operator" });
    staysDenied(world, "p1");
  });
});

describe("people are notified of what waits for them", () => {
  const titles = (world: World): string[] =>
    world.delivered.flatMap(({ items }) =>
      items.map(({ notification }) => {
        if (notification.type === "alert") return "alert";
        return `${notification.word} ${notification.labels["proposal"] ?? ""}`;
      }),
    );

  it("with the digest, the request and the facts, so that what is read is what is approved", () => {
    const world = proposed({ channels: [PHONE] }).passes("1s");
    const [item] = world.delivered[0]?.items ?? [];
    const [now] = world.state.tables.proposal.values();
    expect(item?.notification).toMatchObject({
      command: `aggwatch approve p1 --digest ${now?.digest} --reason "why"`,
      labels: { proposal: "p1", digest: now?.digest },
    });
    expect(item?.notification).toMatchObject({
      detail: expect.stringContaining(": forceCancel orderId=o1; amount 10 · ") as unknown,
    });
  });

  it("once if it changes once, and less and less often if it changes with each reading", () => {
    const once = proposed({ channels: [PHONE] }).passes("10s");
    reads(once, { amount: 10_000 }).passes("10m");
    expect(titles(once)).toStrictEqual(["proposed p1", "proposed p2"]);
    const often = proposed({ channels: [PHONE] });
    for (let round = 0; round < 240; round += 1) {
      often.passes("15s");
      reads(often, { amount: round % 2 === 0 ? 10_000 : 10 });
    }
    expect(often.found("proposed")).toHaveLength(241);
    // At once, at once, and then after 1, 2, 4, 8 and 16 minutes.
    expect(titles(often)).toHaveLength(7);
    const announced = often.state.tables.proposal.values().next().value?.announcement;
    expect(announced?.dueAt).toBeLessThanOrEqual(often.now + 64 * MINUTE);
  });
});

describe("the digest", () => {
  const world = proposed();
  const [entity] = world.state.tables.entity.values();
  const about = { rule: "Stuck", action: "force_cancel_order", entity } as const;
  const digest = (facts: Facts, own: Rule): string => {
    const { policy, now: at } = world;
    if (entity === undefined) throw new Error("there is no entity");
    const changed = { ...entity, facts };
    const shown = shownOf({ policy, rule: own, act: cancels, entity: changed, at });
    if (shown === undefined) throw new Error("nothing is shown");
    return digestOf({ ...about, entity: changed }, shown);
  };
  const value = fc.oneof(fc.string({ unit: "binary" }), fc.double({ noNaN: true }), fc.boolean());
  const facts = fc.dictionary(fc.string({ minLength: 1 }), value, { noNullPrototype: true });

  it("is another one exactly if a fact is another one, whatever their order", () => {
    fc.assert(
      fc.property(facts, fc.string({ minLength: 1 }), value, value, (some, name, one, other) => {
        fc.pre(!Object.is(one, other) && one !== other);
        const before = { ...some, [name]: one };
        const turned = Object.fromEntries(Object.entries(before).toReversed());
        expect(digest(turned, stuck)).toBe(digest(before, stuck));
        expect(digest({ ...some, [name]: other }, stuck)).not.toBe(digest(before, stuck));
        expect(digest(before, { ...stuck, hash: "two" })).not.toBe(digest(before, stuck));
      }),
    );
  });

  it("keeps apart what looks alike if it is written without marks", () => {
    expect(digest({ a: "1" }, stuck)).not.toBe(digest({ a: 1 }, stuck));
    expect(digest({ a: Infinity }, stuck)).not.toBe(digest({ a: -Infinity }, stuck));
    expect(digest({ a: 'b","c' }, stuck)).not.toBe(digest({ a: "b", c: "" }, stuck));
    expect(digest({ a: "\ud800" }, stuck)).not.toBe(digest({ a: "\ufffd" }, stuck));
  });
});

import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { previewPolicy } from "../../../src/core/change/reload-report.ts";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import { copyState } from "../../../src/core/state.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import type { ActingPolicy, Policy } from "../../../src/domain/step.ts";
import { HOUR, SECOND } from "../../../src/domain/time.ts";
import {
  exchange,
  factIs,
  pair,
  planning,
  policyOf,
  pool,
  repair,
  rule,
  template,
} from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const A_DISABLED = [exchange("A", "disabled"), exchange("B", "enabled")];

/** Another policy comes into force, as the loop puts it there. */
function adopts(world: World, next: Policy, moved: readonly string[] = []): World {
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = next;
  return world.tell({ type: "policy_changed", rulesBefore, moved });
}

function reloads(world: World, rules: readonly Rule[], acting: Partial<ActingPolicy> = {}): World {
  return adopts(world, policyOf(rules, acting));
}

/** A fires since 10 s after the start, and was seen two seconds ago. */
function firing(own: Rule = rule(), acting: Partial<ActingPolicy> = {}): World {
  return scriptedWorld({ rules: [own], acting })
    .at("10s")
    .sees("exchanges", A_DISABLED)
    .passes("2s");
}

function changesSince(world: World, act: () => void): string[] {
  const before = world.found("alert").length;
  act();
  return world
    .found("alert")
    .slice(before)
    .map(({ change, alert }) => `${alert.rule} ${alert.entity.id} ${change}`);
}

const alertOf = (world: World) => world.alert("ExchangeDisabled", "exchange", "A");

describe("a reload and the alerts of a rule", () => {
  it("does nothing at all to an unchanged rule's alerts, firing and pending", () => {
    const slow = rule({ alert: "Slow", forMs: 20 * SECOND });
    const world = scriptedWorld({ rules: [rule(), slow] }).sees("exchanges", A_DISABLED);
    world.passes("10s");
    const before = structuredClone([...world.state.tables.alert]);
    const more = rule({ alert: "More", when: factIs("status", "missing"), hash: "m" });
    expect(changesSince(world, () => reloads(world, [rule(), slow, more]))).toEqual([]);
    expect([...world.state.tables.alert]).toEqual(before);
    world.passes("10s");
    expect(world.alert("Slow", "exchange", "A")).toMatchObject({
      state: "firing",
      firedAt: START + 20 * SECOND,
    });
  });

  it("judges all entities by a new rule at once", () => {
    const world = firing();
    const fresh = rule({ alert: "New", when: factIs("status", "enabled"), hash: "new" });
    expect(changesSince(world, () => reloads(world, [rule(), fresh]))).toEqual(["New B firing"]);
  });

  it("keeps the run of a changed rule that is still bad, under the new texts", () => {
    const world = firing();
    const changed = rule({
      hash: "changed",
      severity: "warning",
      annotations: { summary: template("name") },
      labels: { team: template("name") },
    });
    expect(changesSince(world, () => reloads(world, [changed]))).toEqual([]);
    expect(alertOf(world)).toMatchObject({
      state: "firing",
      startedAt: START + 10 * SECOND,
      firedAt: START + 10 * SECOND,
      severity: "warning",
      annotations: { summary: "A" },
      labels: { team: "A" },
    });
    expect(world.journal.rows.get(`alert ${alertOf(world)?.key ?? ""}`)?.value).toMatchObject({
      severity: "warning",
    });
  });

  it("resolves the alert of a changed rule that is not bad any more", () => {
    const world = firing();
    const changed = rule({ when: factIs("status", "missing"), hash: "changed" });
    expect(changesSince(world, () => reloads(world, [changed]))).toEqual([
      "ExchangeDisabled A resolved",
    ]);
    expect(alertOf(world)).toMatchObject({ resolvedBecause: "ok" });
  });

  it("lets a changed rule's alert stand still if the new condition is unknown", () => {
    const world = firing();
    const changed = rule({ when: factIs("no_such_fact", true), hash: "changed" });
    reloads(world, [changed]);
    expect(alertOf(world)).toMatchObject({ state: "firing", unknownSince: world.now });
  });

  it("lets an alert of an entity that is unknown stand still under a changed rule", () => {
    const world = firing().fails("exchanges");
    reloads(world, [rule({ when: factIs("status", "missing"), hash: "changed" })]);
    expect(world.alerts()).toEqual(["ExchangeDisabled A firing (unknown)"]);
  });

  it("puts a firing alert back to pending if `for` was raised beyond its age", () => {
    const world = firing();
    const raised = rule({ forMs: 20 * SECOND, hash: "raised" });
    expect(changesSince(world, () => reloads(world, [raised]))).toEqual([
      "ExchangeDisabled A pending",
    ]);
    expect(alertOf(world)?.firedAt).toBeUndefined();
    world.at("29s");
    expect(alertOf(world)?.state).toBe("pending");
    world.at("30s");
    expect(alertOf(world)).toMatchObject({ state: "firing", firedAt: START + 30 * SECOND });
  });

  it("lets it fire on if it is older than the raised `for`", () => {
    const world = firing().passes("20s");
    reloads(world, [rule({ forMs: 20 * SECOND, hash: "raised" })]);
    expect(alertOf(world)).toMatchObject({ state: "firing", firedAt: START + 10 * SECOND });
  });

  it("fires a pending alert at once if `for` was lowered below its age", () => {
    const world = firing(rule({ forMs: HOUR }));
    expect(
      changesSince(world, () => reloads(world, [rule({ forMs: SECOND, hash: "lowered" })])),
    ).toEqual(["ExchangeDisabled A firing"]);
  });

  it("resolves what kept firing for longer than a lowered keep_firing_for", () => {
    const world = firing(rule({ keepFiringForMs: HOUR })).sees("exchanges", [
      exchange("A", "enabled"),
    ]);
    world.passes("10s");
    expect(alertOf(world)?.state).toBe("firing");
    reloads(world, [rule({ hash: "lowered" })]);
    expect(alertOf(world)).toMatchObject({ state: "resolved", resolvedBecause: "ok" });
  });

  it("resolves a removed rule's alert, drops its pending one, and begins again when it is back", () => {
    const slow = rule({ alert: "Slow", forMs: HOUR });
    const world = scriptedWorld({ rules: [rule(), slow] }).sees("exchanges", A_DISABLED);
    expect(changesSince(world, () => reloads(world, []))).toEqual([
      "ExchangeDisabled A resolved",
      "Slow A dropped",
    ]);
    expect(alertOf(world)).toMatchObject({ resolvedBecause: "rule_removed" });
    world.passes("5s");
    reloads(world, [rule()]);
    expect(alertOf(world)).toMatchObject({ state: "firing", startedAt: world.now });
  });

  it("ends the alerts of the old kind if a rule judges another kind now", () => {
    const world = firing().sees("pools", [pool("P", 1)]);
    const other = rule({ kind: "pool", when: factIs("name", "P"), hash: "other" });
    expect(changesSince(world, () => reloads(world, [other]))).toEqual([
      "ExchangeDisabled A resolved",
      "ExchangeDisabled P firing",
    ]);
  });
});

describe("a reload and the actions", () => {
  const acting = rule({ act: repair() });

  it("follows what was sent to its end, although its rule is gone", () => {
    const world = firing(acting);
    expect(world.remediations()).toEqual(["r1 requested"]);
    reloads(world, []);
    world.replies("r1", "acknowledged").sees("exchanges", [exchange("A", "enabled")]);
    world.passes("2s");
    expect(world.remediations()).toEqual(["r1 verified"]);
  });

  it("gives up what was sent to an address that is no more: the new one cannot tell", () => {
    const world = firing(acting);
    expect(world.remediations()).toEqual(["r1 requested"]);
    adopts(world, policyOf([acting]), ["bsc"]);
    expect(world.found("policy").at(-1)).toMatchObject({ changed: [], moved: ["bsc"] });
    expect(world.remediation("r1")).toMatchObject({
      state: "unverified",
      detail: "base_url was changed before it was answered: see at the old address",
    });
    world
      .replies("r1", "acknowledged")
      .sees("exchanges", [exchange("A", "enabled")])
      .passes("5s");
    expect(world.remediations()).toEqual(["r1 unverified"]);
  });

  it("gives it up too if the aggregator was not watched meanwhile, and is somewhere else now", () => {
    const at = (address: number): Policy => {
      const policy = policyOf([acting]);
      return { ...policy, aggregators: policy.aggregators.map((one) => ({ ...one, address })) };
    };
    const world = scriptedWorld({ rules: [acting] });
    adopts(world, at(1)).at("10s").sees("exchanges", A_DISABLED).passes("2s");
    expect(world.remediations()).toEqual(["r1 requested"]);
    adopts(world, { ...at(1), aggregators: [] });
    adopts(world, at(2))
      .sees("exchanges", [exchange("A", "enabled")])
      .passes("15s");
    expect(world.remediations()).toEqual(["r1 unverified"]);
  });

  it("follows what was sent to an aggregator whose address stays, while another one moves", () => {
    const world = firing(acting);
    adopts(world, policyOf([acting]), ["eth"]);
    expect(world.remediations()).toEqual(["r1 requested"]);
  });

  it("acts on no reading of an address that is no more", () => {
    const world = scriptedWorld({ rules: [acting], probes: "silent" });
    world.at("10s").sees("exchanges", A_DISABLED).passes("1s");
    expect(world.probes).toHaveLength(1);
    adopts(world, policyOf([acting]), ["bsc"]);
    world.reads("exchanges", A_DISABLED, { origin: "probe" });
    expect(world.sent).toEqual([]);
  });

  it("sends at the new ceiling, after the reading right before", () => {
    const world = firing(acting, { mode: "shadow" });
    expect(world.suppressions()).toEqual(["shadow"]);
    reloads(world, [acting]);
    expect(world.sent).toEqual([]);
    world.passes("1s");
    expect(world.sent).toHaveLength(1);
  });

  it("sends nothing more once the ceiling is lowered, though a confirmation is under way", () => {
    const world = scriptedWorld({ rules: [acting], probes: "silent" });
    world.sees("exchanges", A_DISABLED);
    reloads(world, [acting], { mode: "shadow" });
    world.passes("1s").reads("exchanges", A_DISABLED, { origin: "probe" });
    expect(world.sent).toEqual([]);
    expect(world.suppressions()).toEqual(["shadow"]);
  });

  it("asks a person again if the proposing rule changed, and keeps a denial", () => {
    const proposing = (hash: string) => rule({ act: repair({ mode: "propose" }), hash });
    const world = firing(proposing("1"));
    reloads(world, [proposing("2")]);
    expect([...world.state.tables.proposal.values()].map(({ id }) => id)).toEqual(["p2"]);
    world.commands({ name: "deny", proposal: "p2" });
    reloads(world, [proposing("3")]);
    expect([...world.state.tables.proposal.values()]).toMatchObject([
      { id: "p2", denial: { by: "alice" } },
    ]);
  });

  it("ends the proposals of a rule that is gone", () => {
    const world = firing(rule({ act: repair({ mode: "propose" }) }));
    expect(world.state.tables.proposal.size).toBe(1);
    reloads(world, []);
    expect(world.state.tables.proposal.size).toBe(0);
  });
});

describe("a reload and what is watched", () => {
  const without = (policy: Policy, poller: string): Policy => ({
    ...policy,
    aggregators: policy.aggregators.map((one) => ({
      ...one,
      pollers: one.pollers.filter(({ name }) => name !== poller),
    })),
  });

  it("forgets what a removed poller saw, and its alerts end, as it is not watched", () => {
    const world = firing().sees("pools", [pool("P", 1)]);
    adopts(world, without(world.policy, "exchanges"));
    expect(alertOf(world)).toMatchObject({ state: "resolved", resolvedBecause: "unwatched" });
    expect(world.entity("exchange", "A")).toBeUndefined();
    expect(world.entity("poller", "exchanges")).toBeUndefined();
    expect(world.entity("pool", "P")).toBeDefined();
    expect([...world.state.surfaces.keys()]).toEqual(["bsc/pools/all"]);
  });

  it("ends what kept firing of an aggregator that is removed, though its entity was gone before", () => {
    const kept = rule({ alert: "PairDisabled", kind: "pair", keepFiringForMs: HOUR });
    const world = scriptedWorld({ rules: [kept] });
    world.sees("exchanges", [pair("A", "X-Y")]).sees("exchanges", []);
    expect(world.alerts()).toEqual(["PairDisabled A/X-Y firing"]);
    adopts(world, { ...world.policy, aggregators: [] });
    expect([...world.state.tables.alert.values()]).toMatchObject([
      { state: "resolved", resolvedBecause: "unwatched" },
    ]);
  });

  it("expects a new poller, which is stale only when it had its time", () => {
    const world = scriptedWorld({ rules: [] });
    adopts(world, without(world.policy, "pools")).at("5m");
    reloads(world, []);
    expect(world.entity("poller", "pools")?.facts).toEqual({ name: "pools" });
    world.passes("20s");
    expect(world.entity("poller", "pools")?.facts["stale"]).toBeUndefined();
    world.passes("20s");
    expect(world.entity("poller", "pools")?.facts["stale"]).toBe(true);
  });

  it("keeps what is known of a poller that stays", () => {
    const world = firing();
    const before = structuredClone(world.entity("poller", "exchanges"));
    reloads(world, [rule()]);
    expect(world.entity("poller", "exchanges")).toEqual(before);
    expect(before?.facts["up"]).toBe(true);
  });

  it("trusts nothing that was read at another address, and does not act before it is read here", () => {
    const acting = rule({ act: repair() });
    const world = firing(acting, { mode: "shadow" });
    adopts(world, policyOf([acting]), ["bsc"]);
    expect(world.alerts()).toEqual(["ExchangeDisabled A firing (unknown)"]);
    world.passes("3s");
    expect(world.sent).toEqual([]);
    world.sees("exchanges", A_DISABLED).passes("1s");
    expect(world.sent).toHaveLength(1);
  });

  it("says that nothing was read since base_url was changed, and not that it never was", () => {
    const acting = rule({ act: repair() });
    const world = firing(acting, { mode: "shadow" });
    adopts(world, policyOf([acting]), ["bsc"]).fails("exchanges");
    const id = { aggregator: "bsc", kind: "exchange", id: "A" };
    const it_ = explain(world.policy, world.state, "ExchangeDisabled", id, world.now);
    const told = (it_ && explanationSentences(world.policy.kinds, it_))?.join("\n");
    expect(told).toContain("It was not read since base_url was changed (");
    expect(told).toContain(
      "starting: no complete reading of its surface since base_url was changed",
    );
    expect(told).not.toContain("since the start");
  });
});

describe("a reload that watches some pools for all, or all for some", () => {
  const drained = rule({ alert: "PoolDrained", kind: "pool", when: factIs("base", 1) });
  const bothDrained = [pool("F/P", 1), pool("F/Q", 1)];

  function watches(world: World, ...surfaces: string[]): World {
    return adopts(world, planning(world.policy, surfaces));
  }

  /** Both pools fire since the start; the last poll was a second ago. */
  function firingOn(surfaces: Readonly<Record<string, readonly SeenEntity[]>>): World {
    const world = watches(scriptedWorld({ rules: [drained] }), ...Object.keys(surfaces));
    return world.polls("pools", surfaces).passes("1s");
  }

  it("keeps the alert of a pool that stays watched, and ends that of one that does not", () => {
    const world = watches(firingOn({ all: bothDrained }), "F/P");
    expect(world.alerts()).toEqual([
      "PoolDrained F/P firing (unknown)",
      "PoolDrained F/Q resolved",
    ]);
    world.polls("pools", { "F/P": "failed" });
    expect(world.alerts()).toContain("PoolDrained F/P firing (unknown)");
    world.polls("pools", { "F/P": [pool("F/P", 1)] });
    expect(world.alerts()).toContain("PoolDrained F/P firing");
    expect(world.alert("PoolDrained", "pool", "F/P")?.firedAt).toBe(START);
  });

  it("keeps the alerts of all pools if the last entry goes, and ends those of pools that are gone", () => {
    const each = { "F/P": [pool("F/P", 1)], "F/Q": [pool("F/Q", 1)] };
    const world = watches(firingOn(each), "all");
    expect(world.alerts()).toEqual([
      "PoolDrained F/P firing (unknown)",
      "PoolDrained F/Q firing (unknown)",
    ]);
    world.polls("pools", { all: [pool("F/P", 1)] });
    expect(world.alerts()).toEqual(["PoolDrained F/P firing", "PoolDrained F/Q resolved"]);
    expect(world.alert("PoolDrained", "pool", "F/P")?.firedAt).toBe(START);
    expect(world.entity("pool", "F/Q")).toBeUndefined();
  });

  it("ends no pool that a cut listing lacks, if the last entry has gone", () => {
    const each = { "F/P": [pool("F/P", 1)], "F/Q": [pool("F/Q", 1)] };
    const world = watches(firingOn(each), "all");
    world.reads("pools", [pool("F/P", 1)], { complete: false });
    expect(world.alerts()).toEqual(["PoolDrained F/P firing", "PoolDrained F/Q firing (unknown)"]);
    world.polls("pools", { all: [pool("F/P", 1)] });
    expect(world.alerts()).toEqual(["PoolDrained F/P firing", "PoolDrained F/Q resolved"]);
  });

  it("ends a pool that left a list with other pools at once", () => {
    const each = { "F/P": [pool("F/P", 1)], "F/Q": [pool("F/Q", 1)] };
    const world = watches(firingOn(each), "F/P");
    expect(world.alerts()).toEqual(["PoolDrained F/P firing", "PoolDrained F/Q resolved"]);
  });
});

describe("the preview of a reload", () => {
  it("says what would happen, and changes nothing", () => {
    const world = firing(rule({ act: repair() }), { mode: "shadow" });
    world.sees("exchanges", [...A_DISABLED, pair("A", "ORN-USDT")]);
    const before = copyState(world.state);
    const next = policyOf([
      rule({ act: repair(), hash: "changed" }),
      rule({ alert: "PairDisabled", kind: "pair", act: repair({ action: "enable_pair" }) }),
    ]);
    const report = previewPolicy(world.policy, next, world.state, [], world.now);
    // What only spares work is not copied.
    expect({ ...world.state, applied: before.applied }).toEqual(before);
    expect(report).toEqual({
      rules: { added: ["PairDisabled"], removed: [], changed: ["ExchangeDisabled"] },
      alerts: [
        {
          alertname: "PairDisabled",
          entity: "bsc/pair/A/ORN-USDT",
          change: "firing",
          detail: "",
        },
      ],
      actions: [
        {
          action: "enable_exchange",
          alertname: "ExchangeDisabled",
          entity: "bsc/exchange/A",
          outcome: "confirming",
        },
        {
          action: "enable_pair",
          alertname: "PairDisabled",
          entity: "bsc/pair/A/ORN-USDT",
          outcome: "confirming",
        },
      ],
      entitiesEnded: 0,
    });
  });
});

describe("a reload with a lower limit of entities", () => {
  const FOUR = [exchange("D", "disabled"), ...["A", "B", "C"].map((id) => exchange(id, "enabled"))];
  const limited = (world: World, entities: number): Policy => ({
    ...world.policy,
    limits: { entities, entitiesPerEntry: 1, vanished: 2 },
  });
  const idsOf = ({ state }: World): string[] =>
    state.tables.entity
      .values()
      .filter(({ kind }) => kind === "exchange")
      .map(({ id }) => id)
      .toArray()
      .toSorted();

  it("leaves out what is beyond it, as a start does, and acts on nothing of that listing", () => {
    const listed = [...FOUR.slice(1), exchange("D", "enabled")];
    const world = scriptedWorld({ rules: [rule({ act: repair() })] }).sees("exchanges", listed);
    adopts(world, limited(world, 3));
    expect(idsOf(world)).toEqual(["A", "B", "C"]);
    expect(world.found("left_out")).toEqual([
      { type: "left_out", aggregator: "bsc", kind: "exchange", why: "restored", count: 1 },
    ]);
    world
      .at("10s")
      .sees("exchanges", [exchange("A", "disabled"), ...listed.slice(1)])
      .at("30s");
    expect(world.alerts()).toEqual(["ExchangeDisabled A firing"]);
    expect(world.entity("poller", "exchanges")?.facts).toMatchObject({ left_out: 1 });
    expect(world.sent).toEqual([]);
  });

  it("ends the alerts of what is left out", () => {
    const world = scriptedWorld({ rules: [rule()] })
      .at("10s")
      .sees("exchanges", FOUR);
    expect(changesSince(world, () => adopts(world, limited(world, 3)))).toEqual([
      "ExchangeDisabled D resolved",
    ]);
    expect(world.alert("ExchangeDisabled", "exchange", "D")).toMatchObject({
      resolvedBecause: "unwatched",
    });
  });

  it("keeps every poller, though there are more of them", () => {
    const world = scriptedWorld({ rules: [rule()] }).sees("exchanges", FOUR);
    const pollersOf = ({ state }: World) => [...(state.entitiesByKind.get("poller") ?? [])];
    const before = pollersOf(world);
    expect(before.length).toBeGreaterThan(1);
    adopts(world, limited(world, 1));
    expect(pollersOf(world)).toEqual(before);
  });

  it("keeps what is held", () => {
    const world = scriptedWorld({ rules: [rule()] }).sees("exchanges", FOUR);
    const scope = { aggregator: "bsc", kind: "exchange", id: "D" };
    const command = { name: "hold", scope, until: START + HOUR } as const;
    world.tell({ type: "command", by: "alice", reason: "looked at", command });
    adopts(world, limited(world, 3));
    expect(idsOf(world)).toHaveLength(3);
    expect(idsOf(world)).toContain("D");
  });

  it("changes nothing if they are within it", () => {
    const world = scriptedWorld({ rules: [rule()] }).sees("exchanges", FOUR);
    const before = structuredClone([...world.state.tables.entity]);
    adopts(world, limited(world, 4));
    expect([...world.state.tables.entity]).toEqual(before);
    expect(world.found("left_out")).toEqual([]);
  });
});

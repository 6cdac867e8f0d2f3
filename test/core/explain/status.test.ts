import { describe, expect, it } from "vitest";
import { restore } from "../../../src/core/start.ts";
import type { State } from "../../../src/core/state.ts";
import { statusOf } from "../../../src/core/explain/status.ts";
import type { Scope } from "../../../src/domain/hold.ts";
import { exchange, pair, pool, repair, rule } from "../fixtures.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const status = (world: World) => statusOf(world.policy, world.state);

describe("the status", () => {
  it("has the pollers apart from the other entities, which are in order of kind and id", () => {
    const world = scriptedWorld({ rules: [] });
    world.sees("pools", [pool("B/y", 2), pool("A/x", 1)]);
    world.sees("exchanges", [exchange("KUCOIN", "enabled"), pair("BINANCE", "ORN-USDT")]);
    const [aggregator, ...others] = status(world).aggregators;
    expect(others).toEqual([]);
    expect(aggregator?.name).toBe("bsc");
    expect(aggregator?.pollers.map(({ id }) => id)).toEqual(["exchanges", "liquidations", "pools"]);
    expect(aggregator?.entities.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      "exchange KUCOIN",
      "pair BINANCE/ORN-USDT",
      "pool A/x",
      "pool B/y",
    ]);
    expect(aggregator?.entities[1]).toMatchObject({
      parent: { kind: "exchange", id: "BINANCE" },
      firstSeen: START,
      since: START,
    });
  });

  it("says of what nothing sure is known, and since when", () => {
    const world = scriptedWorld({ rules: [] });
    world.sees("exchanges", [exchange("KUCOIN", "enabled")]);
    const kucoin = () => status(world).aggregators[0]?.entities.find(({ id }) => id === "KUCOIN");
    expect(kucoin()).not.toHaveProperty("unknownSince");
    world.polls("exchanges", { all: "failed" });
    expect(kucoin()?.unknownSince).toBe(world.now);
  });

  it("says which firing rules mute an alert, on its own aggregator and only while they fire", () => {
    const down = rule({
      alert: "Down",
      kind: "exchange",
      when: {
        ...rule().when,
        judge: ({ facts }) => ({
          truth: facts["name"] === "A" && facts["status"] === "disabled" ? "bad" : "ok",
        }),
      },
    });
    const muted = rule({ alert: "Muted", inhibitedBy: ["Down", "Muted", "NoSuchRule"] });
    const world = scriptedWorld({ rules: [down, muted] });
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]);
    const mutes = () =>
      Object.fromEntries(
        status(world).alerts.map(({ rule: name, entity, inhibitedBy }) => [
          `${name} ${entity.id}`,
          inhibitedBy,
        ]),
      );
    expect(mutes()).toEqual({ "Down A": [], "Muted A": ["Down"], "Muted B": ["Down"] });
    world.sees("exchanges", [exchange("A", "enabled"), exchange("B", "disabled")]);
    expect(mutes()).toMatchObject({ "Muted B": [] });
  });

  it("says which silences mute an alert, and when the last of them ends", () => {
    const world = scriptedWorld({ rules: [rule()] });
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]);
    const silence = (scope: Scope, until: number) =>
      world.commands({ name: "silence", scope, until });
    const ends = world.now + 3_600_000;
    silence({ kind: "exchange", id: "A" }, ends);
    silence({ rule: "ExchangeDisabled", id: "A" }, ends - 60_000);
    silence({ rule: "Other" }, ends + 60_000);
    const mutes = () =>
      status(world).alerts.map(({ silencedBy, silencedUntil }) => [silencedBy, silencedUntil]);
    expect(mutes()).toEqual([
      [["s1", "s2"], ends],
      [[], undefined],
    ]);
    world.commands({ name: "unsilence", silence: "s1" });
    expect(mutes()[0]).toEqual([["s2"], ends - 60_000]);
    world.passes("1h");
    expect(mutes()[0]).toEqual([[], undefined]);
  });

  it("says of a storm how many are bad now, as the guards do", () => {
    const storm = { max: 1, maxRatio: 1, withinMs: 600_000 };
    const world = scriptedWorld({ rules: [rule({ act: repair({ storm }) })] });
    const sees = (...states: ReadonlyArray<"enabled" | "disabled">) =>
      world.sees(
        "exchanges",
        states.map((state, index) => exchange(`E${index}`, state)),
      );
    sees("disabled", "disabled", "disabled");
    const [began] = status(world).storms;
    expect(began?.detail).toBe("3 of 3 are bad at once, and no more than 1 are repaired");
    world.passes("1m");
    sees("disabled", "enabled", "enabled");
    const now =
      "3 of 3 are bad or became bad within 10m (bad now: 1), and no more than 1 are repaired";
    expect(status(world).storms).toMatchObject([{ since: began?.since, detail: now }]);
    const rows = { ...world.state, startedAt: -Infinity };
    expect(statusOf(world.policy, rows).storms).toMatchObject([
      { detail: `when it began, ${began?.detail}` },
    ]);
  });

  it("does not show the storm of an aggregator that left the config, and does once it is back", () => {
    const storm = { max: 1, maxRatio: 1, withinMs: 600_000 };
    const world = scriptedWorld({ rules: [rule({ act: repair({ storm }) })] });
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]);
    const { aggregators } = world.policy;
    const changed = { type: "policy_changed", rulesBefore: new Map(), moved: [] } as const;
    const shown = [aggregators, [], aggregators].map((configured) => {
      world.policy = { ...world.policy, aggregators: configured };
      world.tell(changed).passes("1s");
      return status(world).storms.length;
    });
    expect(shown).toEqual([1, 0, 1]);
  });

  it("says why nothing is sent, and in which mode", () => {
    const world = scriptedWorld({ rules: [], acting: { mode: "shadow" } });
    expect(status(world)).toMatchObject({ mode: "shadow", killed: [] });
    world.commands({ name: "kill", source: "operator" });
    expect(status(world).killed).toEqual([
      { source: "operator", since: world.now, by: "alice", reason: "she said so" },
    ]);
  });

  it("leaves out what a standby, which has only the rows, cannot know of a proposal's guards", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair({ mode: "propose" }) })] });
    world.sees("exchanges", [exchange("A", "disabled")]).passes("1s");
    const guardsOf = (state: State) =>
      statusOf(world.policy, state).proposals.flatMap(({ guards }) => guards);
    const reasons = guardsOf(world.state).map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(["starting", "stale"]));
    const shown = guardsOf(restore(world.journal.reopen()));
    expect(shown.map(({ reason }) => reason)).toEqual(
      reasons.filter((reason) => reason !== "starting" && reason !== "stale"),
    );
    expect(shown.filter(({ objects }) => objects).map(({ reason }) => reason)).toEqual([
      "approval",
    ]);
  });

  it("counts what is bad also at a standby, which has only the rows", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair({ mode: "propose" }) })] });
    const ids = ["A", "B", "C", "D"];
    const sees = (...disabled: readonly string[]) =>
      world.sees(
        "exchanges",
        ids.map((id) => exchange(id, disabled.includes(id) ? "disabled" : "enabled")),
      );
    sees("A").passes("1s");
    sees("A", "B", "C").passes("1s");
    const stormIn = (state: State) =>
      statusOf(world.policy, state).proposals.flatMap(({ guards }) =>
        guards.filter(({ reason }) => reason === "storm").map(({ detail }) => detail),
      );
    const known = stormIn(world.state);
    expect(known[0]).toMatch(/^3 bad at once, 3 within/);
    expect(stormIn(restore(world.journal.reopen()))).toEqual(known);
  });

  it("has the remediations, newest first, and the proposals", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]);
    world.passes("1s");
    expect(status(world).remediations.map(({ id }) => id)).toEqual(["r2", "r1"]);
    const waiting = scriptedWorld({ rules: [rule({ act: repair({ mode: "propose" }) })] });
    waiting.sees("exchanges", [exchange("A", "disabled")]);
    waiting.passes("1s");
    expect(status(waiting).proposals).toMatchObject([{ entity: { id: "A" } }]);
  });

  it("is a copy: what happens later does not change it", () => {
    const world = scriptedWorld({ rules: [rule({ act: repair() })] });
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("1s");
    world.commands({ name: "kill", source: "operator" });
    const taken = status(world);
    const picture = structuredClone({ ...taken, kinds: undefined });
    world.replies("r1", "acknowledged");
    world.sees("exchanges", [exchange("A", "enabled"), exchange("C", "enabled")]);
    world.passes("10s");
    world.polls("exchanges", { all: "failed" });
    world.commands({ name: "unkill", source: "operator" });
    expect({ ...taken, kinds: undefined }).toEqual(picture);
    expect(status(world)).not.toEqual(taken);
  });
});

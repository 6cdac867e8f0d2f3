import { describe, expect, it } from "vitest";
import { statusOf } from "../../../src/core/explain/status.ts";
import { silencedOf, verdictOf, type Verdict } from "../../../src/io/page/verdict.ts";
import { exchange, rule } from "../../core/fixtures.ts";
import { scriptedWorld, type World } from "../../core/world.ts";

function verdict(world: World, problems: readonly string[] = []): Verdict {
  const status = statusOf(world.policy, world.state);
  const pollers = status.aggregators.flatMap((own) => own.pollers);
  return verdictOf({ ...status, pollers, silenced: silencedOf(status.alerts) }, problems);
}

/** A world in which every poller has read. */
function readWorld(rules = [rule({ severity: "critical" })]): World {
  const world = scriptedWorld({ rules });
  for (const poller of ["pools", "liquidations", "swaps"]) world.sees(poller, []);
  world.sees("exchanges", [exchange("A", "enabled")]);
  return world;
}

describe("the verdict", () => {
  it("is not that all is well before everything was read", () => {
    const world = scriptedWorld({ rules: [] });
    expect(verdict(world).tone).toBe("unsure");
    expect(verdict(world).lines[0]).toMatch(/none of \d+ pollers has read yet/);
  });

  it("is that all is well if everything is read and nothing is wrong", () => {
    const { tone, headline } = verdict(readWorld());
    expect([tone, headline]).toEqual(["well", "All is well"]);
  });

  it("is not that all is well if a listing is cut, and says whose it is", () => {
    const world = readWorld();
    world.sees("exchanges", [exchange("A", "enabled")], { complete: false });
    const { tone, headline, lines } = verdict(world);
    expect([tone, headline]).toEqual(["warning", "Not everything is read"]);
    expect(lines[0]).toMatch(/pollers read the aggregator\. Not read whole: exchanges;/);
  });

  it("says how many alerts fire, how severe they are, and since when", () => {
    const world = readWorld();
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("2m");
    const { tone, headline } = verdict(world);
    expect(tone).toBe("bad");
    expect(headline).toMatch(/^1 alert firing \(1 critical\), the oldest for 2m/);
  });

  it("says how many of the alerts that fire are silenced", () => {
    const world = readWorld();
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "disabled")]);
    const scope = { kind: "exchange", id: "A" };
    world.commands({ name: "silence", scope, until: world.now + 3_600_000 });
    world.passes("2m");
    expect(verdict(world).headline).toMatch(
      /^2 alerts firing \(2 critical\), the oldest for 2m\S*; 1 of them silenced$/,
    );
    world.passes("1h");
    expect(verdict(world).headline).not.toContain("silenced");
  });

  it("takes a severity that only a rule knows for critical, as notifications do", () => {
    const world = readWorld([rule({ severity: "page" })]);
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("2m");
    const { tone, headline } = verdict(world);
    expect(tone).toBe("bad");
    expect(headline).toMatch(/^1 alert firing \(1 page\)/);
  });

  it("is said also of more alerts than one call can take as arguments", () => {
    const world = readWorld();
    world.sees("exchanges", [exchange("A", "disabled")]);
    world.passes("2m");
    const status = statusOf(world.policy, world.state);
    const alerts = status.alerts.flatMap((one) => Array.from({ length: 150_000 }, () => one));
    const pollers = status.aggregators.flatMap((own) => own.pollers);
    expect(verdictOf({ ...status, alerts, pollers, silenced: 0 }, []).headline).toMatch(
      /^150000 alerts firing \(150000 critical\), the oldest for 2m/,
    );
  });

  it("is never well while something is not read", () => {
    const world = readWorld([]);
    world.fails("exchanges");
    expect(verdict(world).tone).toBe("warning");
    expect(verdict(world).lines[0]).toMatch(/only \d+ of \d+ pollers read/);
  });

  it("is never well while the journal cannot be written", () => {
    const world = readWorld();
    world.commands({ name: "kill", source: "journal" });
    const { tone, headline, lines } = verdict(world);
    expect([tone, headline]).toEqual(["warning", "The journal cannot be written"]);
    expect(lines[1]).toMatch(/^Acting: STOPPED/);
    world.commands({ name: "unkill", source: "journal" });
    expect(verdict(world).tone).toBe("well");
  });

  it("says of several aggregators that pollers read theirs", () => {
    const world = readWorld([]);
    const line = () => {
      const status = statusOf(world.policy, world.state);
      const pollers = status.aggregators.flatMap((own) => own.pollers);
      const aggregators = [...status.aggregators, ...status.aggregators];
      return verdictOf({ ...status, aggregators, pollers, silenced: 0 }, []).lines[0];
    };
    expect(line()).toMatch(/^Watching: all \d+ pollers read their aggregators\.$/);
    world.fails("exchanges");
    expect(line()).toMatch(/^Watching: only \d+ of \d+ pollers read their aggregators\./);
  });

  it("puts aggwatch's own trouble before all else", () => {
    const { tone, headline } = verdict(readWorld(), ["the loop has not turned for 20s"]);
    expect(tone).toBe("bad");
    expect(headline).toContain("the loop has not turned for 20s");
  });

  it("says which rules a storm holds back, and which act slowly after one", () => {
    const world = readWorld();
    const { now, state } = world;
    const about = { aggregator: "bsc", since: now, detail: "9 of 10 are bad at once" };
    state.tables.storm.set("one", { ...about, rule: "ExchangeDisabled" });
    expect(verdict(world).lines.slice(1)).toEqual([
      "Acting: a storm holds back ExchangeDisabled on bsc.",
      "Acting: otherwise yes, if a rule says so.",
    ]);
    state.tables.storm.set("two", { ...about, rule: "*", aggregator: "*", clearedAt: now });
    expect(verdict(world).lines.slice(1)).toEqual([
      "Acting: a storm holds back ExchangeDisabled on bsc.",
      expect.stringMatching(/^Acting: slowly by all rules until 2026-01-01 00:06:\S+ UTC\.$/),
      "Acting: otherwise yes, if a rule says so.",
    ]);
    state.tables.storm.set("one", { ...about, rule: "ExchangeDisabled", clearedAt: now });
    world.passes("1m");
    expect(verdict(world).lines.slice(1)).toEqual([
      expect.stringMatching(/^Acting: slowly by ExchangeDisabled on bsc, all rules until /),
      "Acting: otherwise yes, if a rule says so.",
    ]);
  });

  it("says that everything is held, by whom and until when, and nothing of acting besides", () => {
    const world = readWorld();
    const until = world.now + 3_600_000;
    const { now, state } = world;
    const about = { rule: "*", aggregator: "*", since: now, detail: "a hold has ended" };
    state.tables.storm.set("one", { ...about, clearedAt: now });
    world.commands({ name: "hold", scope: { kind: "exchange" }, until });
    world.commands({ name: "hold", scope: {}, until });
    expect(verdict(world).lines.slice(1)).toEqual([
      expect.stringMatching(
        /^Acting: held \(everything, h2 of \w+, until 2026-01-01 01:00:\d\d UTC\)\.$/,
      ),
    ]);
  });

  it("says what a narrower hold covers, and that the rest may act", () => {
    const world = readWorld();
    const until = world.now + 3_600_000;
    for (const id of ["A", "B", "C", "D"])
      world.commands({ name: "hold", scope: { aggregator: "bsc", kind: "exchange", id }, until });
    expect(verdict(world).lines.slice(1)).toEqual([
      expect.stringMatching(
        /^Acting: held \(exchange A of bsc, h1 of \w+, until [^;]*; .*; and 1 more\)\.$/,
      ),
      "Acting: otherwise yes, if a rule says so.",
    ]);
  });

  it("says that nothing is sent while a kill switch is on", () => {
    const world = readWorld();
    world.commands({ name: "kill", source: "operator" });
    expect(verdict(world).lines[1]).toMatch(/^Acting: STOPPED/);
  });
});

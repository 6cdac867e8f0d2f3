import { describe, expect, it } from "vitest";
import { indexRules } from "../../../src/core/policy.ts";
import { restore } from "../../../src/core/start.ts";
import type { Entity } from "../../../src/domain/entity.ts";
import type { Change } from "../../../src/domain/step.ts";
import { ruleFile, rulesOf } from "../../config/rules/rule-text.ts";
import { AGGREGATOR, pool } from "../fixtures.ts";
import { lengthOf } from "../readings.ts";
import { scriptedWorld, type World } from "../world.ts";

/** Windowed facts from the text of a rule to its alert, through `step`. */

const DROPPED = ruleFile(
  "alert: Dropped",
  "each: pool",
  "with: { base_10m_max: { fact: base, max: 10m } }",
  "when: pool.base < 0.5 * pool.base_10m_max",
  'annotations: { summary: "{{ pool.base }} of {{ pool.base_10m_max }}" }',
);
const SETTLED = ruleFile(
  "alert: Unmoved",
  "each: pool",
  "with: { moved: { fact: base, count: 5m } }",
  "when: pool.moved == 0.0",
);
const KEY = `${AGGREGATOR}/pool/P`;

const world = (...texts: readonly string[]) => scriptedWorld({ rules: rulesOf(...texts) });
const pools = (base: number) => [pool("P", base)];

/** Polls every 10 seconds for this long, and sees the same each time. */
function polls(seen: World, duration: string, base: number): World {
  const end = seen.now + lengthOf(duration);
  while (seen.now < end) seen.passes("10s").sees("pools", pools(base));
  return seen;
}

/** Writes the rows down that each step changes of the pool. */
function rowsWritten(seen: World): Change[] {
  const rows: Change[] = [];
  seen.onStep = (_, { changes }) => rows.push(...changes.filter(({ key }) => key === KEY));
  return rows;
}

describe("a rule with a windowed fact", () => {
  it("is unknown until its window is covered, and says why", () => {
    const seen = world(DROPPED).sees("pools", pools(100));
    polls(seen, "5m", 100).sees("pools", pools(50));
    expect(seen.alerts()).toStrictEqual([]);
    const [rule] = seen.policy.rulesByKind.get("pool") ?? [];
    const scope = { aggregator: AGGREGATOR, kind: "pool", facts: { base: 10 }, now: seen.now };
    expect(rule?.when.judge(scope)).toEqual({
      truth: "unknown",
      reason:
        'the windowed fact "base_10m_max" is not known: its window is not covered, or too much of it was lost',
    });
  });

  it("fires before its window is covered, if what was seen decides it, and says so", () => {
    const seen = world(DROPPED).sees("pools", pools(100));
    polls(seen, "1m", 100).sees("pools", pools(10));
    expect(seen.alerts()).toStrictEqual(["Dropped P firing"]);
    expect(seen.alert("Dropped", "pool", "P")?.annotations["summary"]).toBe("10 of at least 100");
    expect(seen.found("alert").at(-1)?.detail).toBe(
      'decided by what was seen: "base_10m_max" is at least 100 (1m of 10m were seen)',
    );
  });

  it("stays as it is from where what was seen does not decide it until its window is covered", () => {
    const seen = world(DROPPED).sees("pools", pools(100));
    polls(seen, "1m", 100).sees("pools", pools(10));
    polls(seen, "8m50s", 60).passes("9s");
    expect(seen.alerts()).toStrictEqual(["Dropped P firing (unknown)"]);
    seen.passes("1s");
    expect(seen.alerts()).toStrictEqual(["Dropped P resolved"]);
  });

  it("is judged as soon as its window is covered, with no new reading", () => {
    const rising = DROPPED.replace("pool.base < 0.5 *", "pool.base > 0.5 *");
    const seen = world(rising).sees("pools", pools(100));
    polls(seen, "9m50s", 100).passes("9s");
    expect(seen.alerts()).toStrictEqual([]);
    seen.passes("1s");
    expect(seen.alerts()).toStrictEqual(["Dropped P firing"]);
    expect(seen.alert("Dropped", "pool", "P")?.annotations["summary"]).toBe("100 of 100");
  });

  it("ends when the value leaves the window", () => {
    const seen = world(DROPPED).sees("pools", pools(100));
    polls(seen, "10m", 100).passes("5s").sees("pools", pools(10));
    polls(seen, "9m50s", 10).passes("9s");
    expect(seen.alerts()).toStrictEqual(["Dropped P firing"]);
    seen.passes("1s");
    expect(seen.alerts()).toStrictEqual(["Dropped P resolved"]);
  });

  it("remembers a value that stands for longer than the window", () => {
    const seen = world(DROPPED).sees("pools", pools(100));
    polls(seen, "1h", 100).passes("1s").sees("pools", pools(10));
    expect(seen.alerts()).toStrictEqual(["Dropped P firing"]);
  });

  it("is judged by time if it waits for nothing to happen", () => {
    const seen = world(SETTLED).sees("pools", pools(1));
    polls(seen, "1m", 1).sees("pools", pools(2));
    polls(seen, "4m50s", 2).passes("9s");
    expect(seen.alerts()).toStrictEqual([]);
    seen.passes("1s");
    expect(seen.alerts()).toStrictEqual(["Unmoved P firing"]);
  });

  it("writes no row for a reading that changes nothing", () => {
    const seen = polls(world(DROPPED).sees("pools", pools(100)), "2m", 100);
    const rows = rowsWritten(seen);
    polls(seen, "1h", 100);
    expect(rows).toStrictEqual([]);
    seen.sees("pools", pools(99));
    expect(rows).toHaveLength(1);
  });
});

describe("the windows of an entity", () => {
  const after = (seen: World) => seen.sees("pools", pools(10)).alerts();

  it("go on after a restart", () => {
    const seen = polls(world(DROPPED).sees("pools", pools(100)), "10m", 100);
    expect(after(seen.restarts("1m"))).toStrictEqual(["Dropped P firing"]);
  });

  it("are unknown after a restart that took too long, until that has left the window", () => {
    const rising = DROPPED.replace("pool.base < 0.5 *", "pool.base > 0.5 *");
    const seen = polls(world(rising).sees("pools", pools(100)), "10m", 10);
    seen.restarts("3m").sees("pools", pools(100));
    expect(polls(seen, "5m", 100).alerts()).toStrictEqual([]);
    // Three minutes were lost; two are a fifth.
    expect(polls(seen, "3m10s", 100).alerts()).toStrictEqual(["Dropped P firing"]);
  });

  it("decide after such a restart what the part that was seen decides", () => {
    const seen = polls(world(DROPPED).sees("pools", pools(100)), "10m", 100);
    expect(after(seen.restarts("3m"))).toStrictEqual(["Dropped P firing"]);
  });

  it("lose what failed polls did not see", () => {
    const seen = polls(world(DROPPED).sees("pools", pools(100)), "10m", 100);
    seen.fails("pools").passes("1m55s");
    expect(after(seen)).toStrictEqual(["Dropped P firing"]);
  });

  it("are the same from the journal as from memory", () => {
    const seen = polls(world(DROPPED, SETTLED).sees("pools", pools(100)), "3m", 100);
    seen.sees("pools", pools(90)).passes("7s").fails("pools").passes("9s").sees("pools", pools(80));
    const restored = restore(seen.journal.reopen());
    expect(restored.tables.entity.get(KEY)).toStrictEqual(seen.entity("pool", "P"));
    expect(Object.keys(seen.entity("pool", "P")?.windows ?? {})).toEqual([
      "max base 600000",
      "count base 300000",
    ]);
  });

  it("are the same, byte for byte, of the same events at the same instants", () => {
    const told = (): string => {
      const seen = world(DROPPED, SETTLED).sees("pools", pools(100));
      const rows = rowsWritten(seen);
      for (let poll = 0; poll < 100; poll += 1) {
        seen.passes("7s").sees("pools", pools(((poll * 37) % 11) + 1));
        if (poll % 9 === 0) seen.fails("pools");
        if (poll % 40 === 0) seen.restarts("13s");
      }
      return JSON.stringify([rows, seen.findings]);
    };
    const first = told();
    expect(first).toContain("max base 600000");
    expect(told()).toBe(first);
  });

  it("are not there while their fact has never been read", () => {
    const seen = world(DROPPED.replace("fact: base", "fact: quote")).sees("pools", pools(1));
    expect(seen.entity("pool", "P")).not.toHaveProperty("windows");
  });

  it("end with the entity", () => {
    const seen = polls(world(DROPPED).sees("pools", pools(100)), "10m", 100);
    seen.sees("pools", []).sees("pools", pools(15)).sees("pools", pools(10));
    expect(seen.alerts()).toStrictEqual([]);
  });

  it("begin with the next reading when a rule comes, and are forgotten when it goes", () => {
    const seen = polls(world(DROPPED).sees("pools", pools(100)), "1m", 100);
    seen.policy = { ...seen.policy, ...indexRules(rulesOf(SETTLED)) };
    seen.sees("pools", pools(100));
    expect(Object.keys(seen.entity("pool", "P")?.windows ?? {})).toEqual(["count base 300000"]);
    expect(polls(seen, "5m", 100).passes("1s").alerts()).toStrictEqual(["Unmoved P firing"]);
    seen.policy = { ...seen.policy, ...indexRules([]) };
    const rows = rowsWritten(seen);
    seen.sees("pools", pools(100)).sees("pools", pools(100));
    expect(seen.entity("pool", "P")).not.toHaveProperty("windows");
    expect(rows).toHaveLength(1);
  });

  it("are shared by rules that ask the same", () => {
    const other = DROPPED.replace("Dropped", "Halved").replaceAll("base_10m_max", "highest");
    const seen = world(DROPPED, other).sees("pools", pools(100));
    expect(Object.keys(seen.entity("pool", "P")?.windows ?? {})).toEqual(["max base 600000"]);
    polls(seen, "10m", 100).sees("pools", pools(10));
    expect(seen.alerts()).toStrictEqual(["Dropped P firing", "Halved P firing"]);
  });

  it("are kept of a poller's own facts: how often it went up or down", () => {
    const flapping = ruleFile(
      "alert: PollFlapping",
      "each: poller",
      "with: { flips: { fact: up, count: 10m } }",
      "when: pool.flips > 3".replace("pool", "poller"),
    );
    const seen = polls(world(flapping).sees("pools", pools(1)), "10m", 1);
    seen.fails("pools").passes("10s").sees("pools", pools(1)).passes("10s").fails("pools");
    expect(seen.alerts()).toStrictEqual([]);
    seen.passes("10s").sees("pools", pools(1));
    expect(seen.alerts()).toStrictEqual(["PollFlapping pools firing"]);
    seen.restarts("5s").sees("pools", pools(1));
    expect(seen.alerts()).toStrictEqual(["PollFlapping pools firing"]);
  });

  it("take the place of the facts that earlier versions kept", () => {
    const seen = world(DROPPED).sees("pools", pools(100));
    const { windows: _, ...entity } = seen.entity("pool", "P") as Entity;
    const old = { ...entity, facts: { ...entity.facts, base_peak: 500 } };
    seen.state = restore([{ table: "entity", key: KEY, value: old }]);
    seen.starts().sees("pools", pools(100));
    expect(seen.entity("pool", "P")?.facts).toEqual({ name: "P", base: 100 });
  });
});

import { describe, expect, it } from "vitest";
import { actionsByName } from "../../../src/actions/index.ts";
import { renderProblems } from "../../../src/config/problem.ts";
import { succeed } from "../../../src/domain/result.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { loadRuleTests } from "../../../src/rule-tests/file/load.ts";
import { scriptedAggregator } from "../../../src/rule-tests/run/scripted-aggregator.ts";

const RULES = `
groups:
  - name: test
    rules:
      - { alert: Down, each: exchange, when: exchange.disabled }
`;

/** The aggregator of a test that observes once a minute, and the instant at its start. */
function scripted(...given: readonly string[]) {
  const lines = [
    "  - name: a test",
    "    every: 1m",
    "    given:",
    ...given.map((one) => `      - ${one}`),
  ];
  const expected = "    expect: [{ at: 1m, alerts: [] }]";
  const loaded = loadRuleTests({
    file: { name: "a.test.yaml", text: ["tests:", ...lines, expected].join("\n") },
    readText: () => succeed(RULES),
    kinds,
    actions: actionsByName,
  });
  if (!loaded.ok) throw new Error(renderProblems(loaded.problem));
  const [test] = loaded.value.tests;
  if (test === undefined) throw new Error("no test");
  return { aggregator: scriptedAggregator(test), start: test.startsAt };
}

/** What a surface shows at an instant: its entities by their ids. */
function shown(
  { aggregator, start }: ReturnType<typeof scripted>,
  poller: string,
  afterMs = 0,
  surface = "all",
) {
  const reading = aggregator.read(poller, surface, start + afterMs);
  if (!reading.ok) return reading.failure.reason;
  return Object.fromEntries(reading.entities.map(({ id, facts }) => [id, facts]));
}

const ENABLED = { name: "A", status: "enabled", listed: true, disabled: false };
const DISABLED = { name: "A", status: "disabled", listed: false, disabled: true };

describe("the aggregator of a rule test", () => {
  it("shows each observation from its instant on", () => {
    const world = scripted("{ exchange: A, status: [disabled, enabled] }");
    expect(shown(world, "exchanges")).toEqual({ A: DISABLED });
    expect(shown(world, "exchanges", MINUTE - SECOND)).toEqual({ A: DISABLED });
    expect(shown(world, "exchanges", MINUTE)).toEqual({ A: ENABLED });
  });

  it("shows an entity by its own poller, on its own surface", () => {
    const world = scripted(
      "{ exchange: A, status: enabled }",
      "{ order: spot/7 }",
      "{ order: futures/8 }",
    );
    expect(shown(world, "exchanges")).toEqual({ A: ENABLED });
    expect(shown(world, "orders", 0, "spot")).toHaveProperty(["spot/7", "order_id"], "7");
    expect(shown(world, "orders", 0, "spot")).not.toHaveProperty(["futures/8"]);
    expect(world.aggregator.surfaces.get("orders")).toEqual(new Set(["spot", "futures"]));
  });

  it("does not show a fact that is not known, though it follows from the status", () => {
    const world = scripted("{ exchange: A, status: disabled, listed: [true, _] }");
    expect(shown(world, "exchanges")).toEqual({ A: { ...DISABLED, listed: true } });
    expect(shown(world, "exchanges", MINUTE)).toEqual({
      A: { name: "A", status: "disabled", disabled: true },
    });
  });

  it("lets a surface fail of which a poll says so, and no other", () => {
    const world = scripted(
      "{ sender: desk-a, active_swaps: 1 }",
      "{ sender: desk-b, active_swaps: 1 }",
      "{ poll: swaps, surface: desk-b, outcome: [status, failed, missing] }",
    );
    const of = (surface: string, afterMs: number) => shown(world, "swaps", afterMs, surface);
    expect(of("desk-a", 0)).toEqual({
      "desk-a": { address: "desk-a", alias: "desk-a", active_swaps: 1, missing: false },
    });
    expect(of("desk-b", 0)).toBe("status");
    expect(of("desk-b", MINUTE)).toBe("timeout");
    expect(of("desk-b", 2 * MINUTE)).toEqual({
      "desk-b": { address: "desk-b", alias: "desk-b", missing: true },
    });
  });

  it("shows nothing of what is not watched by its id if that is missing", () => {
    const world = scripted(
      "{ swap: lock-1, status: ACTIVE, sender: desk-a }",
      "{ poll: swaps, outcome: missing }",
    );
    expect(shown(world, "swaps", 0, "desk-a")).toEqual({});
  });

  it("has no poll if all surfaces miss it, and can be probed then", () => {
    const world = scripted(
      "{ exchange: A, status: enabled }",
      "{ poll: exchanges, outcome: [ok, missed] }",
    );
    const { aggregator, start } = world;
    expect(aggregator.poll("exchanges", start)).toHaveLength(1);
    expect(aggregator.poll("exchanges", start + MINUTE)).toBeUndefined();
    expect(shown(world, "exchanges", MINUTE)).toEqual({ A: ENABLED });
  });

  it("reads one surface of a poller of which only polls are given", () => {
    const { aggregator } = scripted("{ poll: pools, outcome: failed }");
    expect(aggregator.surfaces).toEqual(new Map([["pools", new Set(["all"])]]));
  });

  it("names what an entity belongs to", () => {
    const { aggregator, start } = scripted(
      "{ swap: lock-1, sender: desk-a }",
      "{ pair: A/B-C }",
      "{ exchange: A }",
    );
    const parents = [
      aggregator.read("swaps", "desk-a", start),
      aggregator.read("exchanges", "all", start),
    ].flatMap((reading) =>
      (reading.ok ? reading.entities : []).map(({ id, parent }) => [id, parent]),
    );
    expect(parents).toEqual([
      ["lock-1", { kind: "sender", id: "desk-a" }],
      ["A/B-C", { kind: "exchange", id: "A" }],
      ["A", undefined],
    ]);
  });

  it("shows what a repair changes, and the other facts as before, until the next run", () => {
    const world = scripted("{ exchange: A, status: [disabled x2, disabled] }");
    const { aggregator, start } = world;
    aggregator.repair("enable_exchange", "exchange", "A", start);
    aggregator.repair("enable_exchange", "exchange", "B", start);
    expect(shown(world, "exchanges", MINUTE)).toEqual({ A: ENABLED });
    expect(shown(world, "exchanges", 2 * MINUTE)).toEqual({ A: DISABLED });
  });
});

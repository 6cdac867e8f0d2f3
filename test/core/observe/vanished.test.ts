import { describe, expect, it } from "vitest";
import { exchange, factIs, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const missing = rule({ alert: "ExchangeMissing", when: factIs("status", "missing") });

/** At most two that have vanished are kept. */
function world(): World {
  const made = scriptedWorld({ rules: [missing, rule({ act: repair() })] });
  made.policy = { ...made.policy, limits: { entities: 100, entitiesPerEntry: 1, vanished: 2 } };
  return made.sees("exchanges", enabled("A", "B", "C", "D", "E", "F", "G"));
}

const enabled = (...ids: readonly string[]) => ids.map((id) => exchange(id, "enabled"));
const vanished = (seen: World): string[] =>
  seen.state.tables.entity
    .values()
    .filter(({ facts }) => facts["status"] === "missing")
    .map(({ id }) => id)
    .toArray();

describe("entities that are kept after they vanished", () => {
  it("are bounded by number: the one that vanished first goes, and its alert resolves", () => {
    const seen = world();
    seen.at("10s").sees("exchanges", enabled("B", "C", "D", "E", "F", "G"));
    seen.at("20s").sees("exchanges", enabled("C", "D", "E", "F", "G"));
    expect(vanished(seen)).toStrictEqual(["A", "B"]);
    seen.at("30s").sees("exchanges", enabled("D", "E", "F", "G"));
    expect(vanished(seen)).toStrictEqual(["B", "C"]);
    expect(seen.alert("ExchangeMissing", "exchange", "A")).toMatchObject({
      state: "resolved",
      resolvedBecause: "gone",
    });
    expect(seen.found("left_out")).toStrictEqual([
      { type: "left_out", aggregator: "bsc", kind: "exchange", why: "vanished", count: 1 },
    ]);
  });

  it("are counted no more once they are back", () => {
    const seen = world();
    seen.at("10s").sees("exchanges", enabled("C", "D", "E", "F", "G"));
    seen.at("20s").sees("exchanges", enabled("A", "B", "C", "D", "E", "F", "G"));
    seen.at("30s").sees("exchanges", enabled("A", "B", "E", "F", "G"));
    expect(vanished(seen)).toStrictEqual(["C", "D"]);
  });

  it("go in the same order after a restart", () => {
    const seen = world();
    seen.at("10s").sees("exchanges", enabled("A", "B", "C", "D", "E", "F"));
    seen.at("20s").sees("exchanges", enabled("B", "C", "D", "E", "F"));
    seen.restarts().sees("exchanges", enabled("C", "D", "E", "F"));
    expect(vanished(seen)).toStrictEqual(["A", "B"]);
  });

  it.each([
    ["a hold names it", (seen: World) => seen.commands(holdOf("A"))],
    [
      "it is in quarantine",
      (seen: World) => {
        seen.state.tables.quarantine.set("bsc/exchange/A", {
          since: seen.now,
          reason: "a tug of war",
        });
        return seen;
      },
    ],
    ["an action on it is under way", acted],
  ])("stay if %s", (_why, prepare) => {
    const seen = prepare(world());
    seen.passes("10s").sees("exchanges", enabled("B", "C", "D", "E", "F", "G"));
    seen.passes("1s").sees("exchanges", enabled("C", "D", "E", "F", "G"));
    seen.passes("1s").sees("exchanges", enabled("D", "E", "F", "G"));
    expect(vanished(seen)).toStrictEqual(["A", "C"]);
  });
});

function holdOf(id: string) {
  const scope = { kind: "exchange", id };
  return { name: "hold" as const, scope, until: Date.UTC(2026, 0, 2) };
}

function acted(seen: World): World {
  seen
    .passes("1s")
    .sees("exchanges", [exchange("A", "disabled"), ...enabled("B", "C", "D", "E", "F", "G")]);
  return seen.passes("2s");
}

import { describe, expect, it } from "vitest";
import { emptyState } from "../../src/core/state.ts";
import { step } from "../../src/core/step.ts";
import { exchange, policyOf, repair, rule } from "./fixtures.ts";
import { scriptedWorld, START, type World } from "./world.ts";

const disabled = [exchange("BINANCE", "disabled")];

function acting(): World {
  return scriptedWorld({ rules: [rule({ act: repair() })] });
}

describe("the kill switch", () => {
  it("stops everything while any of its sources is on, and lets go with the last", () => {
    const world = acting().commands({ name: "kill", source: "operator" });
    world.commands({ name: "kill", source: "file" }).sees("exchanges", disabled).passes("5s");
    world.commands({ name: "unkill", source: "file" }).passes("1s");
    expect(world.sent).toStrictEqual([]);
    expect(world.probes).toStrictEqual([]);
    world.commands({ name: "unkill", source: "operator" }).passes("1s");
    expect(world.sent).toHaveLength(1);
    expect(world.found("kill").map(({ source, on }) => `${source} ${on}`)).toStrictEqual([
      "operator true",
      "file true",
      "file false",
      "operator false",
    ]);
  });

  it("says nothing if nothing changes", () => {
    const world = acting().commands({ name: "unkill", source: "operator" });
    world.commands({ name: "kill", source: "operator" });
    world.commands({ name: "kill", source: "operator" });
    expect(world.found("kill")).toHaveLength(1);
    expect(world.found("command")).toHaveLength(3);
  });

  it("says how slowly acting begins again, and for how long", () => {
    const world = acting().commands({ name: "kill", source: "operator" });
    world.commands({ name: "unkill", source: "operator" });
    expect(world.found("command").at(-1)?.detail).toBe(
      "the kill switch is off; so that what waited is not sent all at once, acting of all rules grows from one action for the next 6m",
    );
  });

  it("says of a second time that nothing changed, and since when it is on", () => {
    const world = acting().commands({ name: "unkill", source: "operator" });
    world.commands({ name: "kill", source: "operator" }).passes("5s");
    world.commands({ name: "kill", source: "operator" }).commands({ name: "kill", source: "file" });
    world.commands({ name: "unkill", source: "operator" });
    world.commands({ name: "unkill", source: "operator" });
    const done = world.found("command").map(({ accepted, detail }) => [accepted, detail]);
    expect(done).toStrictEqual([
      [true, "the kill switch was not on, so nothing changed"],
      [true, "no action is sent until it is released"],
      [
        true,
        "already on since 2026-01-01T00:00:00.000Z by alice, whose reason is kept (she said so); no action is sent until it is released",
      ],
      [true, "no action is sent until it is released"],
      [true, "no action is sent still: the kill switch is on (file)"],
      [true, "it was not on; no action is sent still: the kill switch is on (file)"],
    ]);
    expect(world.found("kill")).toHaveLength(3);
  });

  it("stays on through a restart, except for the sources that the restart mends", () => {
    const world = acting();
    for (const source of ["operator", "file", "journal", "bug"] as const) {
      world.commands({ name: "kill", source });
    }
    world.restarts();
    expect([...world.state.tables.kill.keys()].toSorted()).toStrictEqual(["file", "operator"]);
  });

  it("does not keep what is sent already from being verified", () => {
    const world = acting().sees("exchanges", disabled).passes("1s").replies("r1", "acknowledged");
    world.commands({ name: "kill", source: "operator" });
    world.becomes("exchanges", [exchange("BINANCE", "enabled")]).passes("2s");
    expect(world.remediations()).toStrictEqual(["r1 verified"]);
  });
});

describe("a journal that cannot be written", () => {
  it("lets nothing be sent, rejects what was to be sent, and goes on judging", () => {
    const world = acting().sees("exchanges", disabled);
    world.journal.broken = true;
    world.passes("1s");
    expect(world.sent).toStrictEqual([]);
    expect(world.remediations()).toStrictEqual(["r1 rejected"]);
    expect(world.suppressions()).toContain("killed");
    world.sees("exchanges", [exchange("BINANCE", "enabled")]);
    expect(world.alerts()).toStrictEqual(["ExchangeDisabled BINANCE resolved"]);
  });

  it("lets actions go on when it works again, after the cooldown of what failed", () => {
    const world = acting().sees("exchanges", disabled);
    world.journal.broken = true;
    world.passes("1s").journalHeals();
    expect(world.state.tables.kill.size).toBe(0);
    for (let minute = 0; minute < 21; minute += 1) world.leaps("1m").sees("exchanges", disabled);
    world.passes("1s");
    expect(world.sent.map(({ remediation }) => remediation)).toStrictEqual(["r2"]);
    expect(world.journal.rows.get("remediation r1")?.value).toMatchObject({ state: "rejected" });
  });
});

describe("a step", () => {
  it("refuses to go back in time", () => {
    const state = emptyState();
    step(policyOf([]), state, { type: "started" }, START);
    expect(() => step(policyOf([]), state, { type: "tick" }, START - 1)).toThrow(/time went back/);
  });

  it("changes nothing durable when nothing happens", () => {
    const world = acting().sees("exchanges", [exchange("BINANCE", "enabled")]);
    let changes = 0;
    world.onStep = (_, result) => (changes += result.changes.length);
    world.passes("20s");
    expect(changes).toBe(0);
  });

  it("writes each row once, as it is at the end", () => {
    const world = acting();
    world.onStep = (_, { changes }) => {
      const keys = changes.map(({ table, key }) => `${table} ${key}`);
      expect(new Set(keys).size).toBe(keys.length);
    };
    world.sees("exchanges", disabled).passes("1s").replies("r1", "acknowledged").passes("2m");
    expect(world.remediations()).toStrictEqual(["r1 unverified"]);
  });

  it("reports every row that it changes: what was committed is what is remembered", () => {
    const world = acting();
    const compare = (): void => {
      for (const [table, rows] of Object.entries(world.state.tables)) {
        if (table === "counter") continue;
        for (const [key, value] of rows as Map<string, unknown>) {
          expect(world.journal.rows.get(`${table} ${key}`)?.value, `${table} ${key}`).toStrictEqual(
            value,
          );
        }
      }
    };
    world.sees("exchanges", disabled).passes("1s");
    compare();
    world.replies("r1", "acknowledged").passes("2s").fails("exchanges").passes("1m");
    compare();
    world.sees("exchanges", []).restarts("1m").sees("exchanges", disabled).passes("20m");
    compare();
  });

  it("gives the same result, byte for byte, for the same policy, state, event and instant", () => {
    const run = (): string => {
      const results: unknown[] = [];
      const world = acting();
      world.onStep = (event, result) => results.push([event, result]);
      world.sees("exchanges", disabled).passes("1s").replies("r1", "in_doubt").passes("30s");
      world.restarts("1m").sees("exchanges", disabled).passes("1h");
      return JSON.stringify([results, [...world.journal.rows]]);
    };
    expect(run()).toBe(run());
    expect(run().length).toBeGreaterThan(10_000);
  });
});

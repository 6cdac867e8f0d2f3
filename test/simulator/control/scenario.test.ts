import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { parseScenario } from "../../../src/simulator/control/scenario.ts";
import type { Scenario } from "../../../src/simulator/control/scenario-schema.ts";
import type { TakenStep } from "../../../src/simulator/simulator.ts";
import { drive, START } from "../driver.ts";

function scenario(text: string): Scenario {
  const read = parseScenario(text, "story.yaml");
  if (!read.ok) throw new Error(read.problem.join("\n"));
  return read.value;
}

function problems(text: string): readonly string[] {
  const read = parseScenario(text, "story.yaml");
  return read.ok ? [] : read.problem;
}

describe("a scenario that is told", () => {
  it("goes on when it is told to, one time after the other, whatever the clock says", () => {
    const story = scenario(`
name: three steps
steps:
  - { at: 10s, do: disable_exchange, exchange: OKX, say: OKX is gone. }
  - { at: 20s, do: enable_exchange, exchange: OKX }
  - { at: 20s, do: disable_exchange, exchange: KUCOIN, say: KUCOIN in its place. }
`);
    const { simulator, get, wait } = drive({ scenario: story, isStepwise: true });
    const listed = (name: string): boolean => get("/api/v1/exchange/list").includes(name);
    wait(60 * SECOND);
    expect(listed("OKX")).toBe(true);
    expect(simulator.proceed().map(({ say }) => say)).toEqual(["OKX is gone."]);
    expect(listed("OKX")).toBe(false);
    expect(simulator.proceed().map(({ say }) => say)).toEqual([undefined, "KUCOIN in its place."]);
    expect([listed("OKX"), listed("KUCOIN")]).toEqual([true, false]);
    expect(simulator.proceed()).toEqual([]);
  });
});

describe("a scenario", () => {
  it("takes its steps at their times since the start, and says so", () => {
    const taken: TakenStep[] = [];
    const { get, wait } = drive({
      scenario: scenario(`
name: two steps
steps:
  - { at: 20s, do: enable_exchange, exchange: OKX, say: OKX is back. }
  - { at: 10s, do: disable_exchange, exchange: OKX, say: OKX is gone. }
  - { at: 15s, say: Nothing happens. }
`),
      onStep: (step) => taken.push(step),
    });
    const listed = (): boolean => get("/api/v1/exchange/list").includes("OKX");
    wait(10 * SECOND - 1);
    expect(listed()).toBe(true);
    wait(1);
    expect(listed()).toBe(false);
    wait(10 * SECOND);
    expect(listed()).toBe(true);
    expect(taken.map(({ at, say }) => `${at - START} ${say}`)).toEqual([
      "10000 OKX is gone.",
      "15000 Nothing happens.",
      "20000 OKX is back.",
    ]);
  });

  it("is taken again after a reset", () => {
    const { ask, get, wait } = drive({
      scenario: scenario("name: n\nsteps: [{ at: 5s, do: disable_exchange, exchange: OKX }]"),
    });
    wait(5 * SECOND);
    expect(get("/api/v1/exchange/list")).not.toContain("OKX");
    ask("POST", "/_sim/reset");
    expect(get("/api/v1/exchange/list")).toContain("OKX");
    wait(5 * SECOND);
    expect(get("/api/v1/exchange/list")).not.toContain("OKX");
  });

  it("can have a world of its own", () => {
    const { ask, get } = drive({
      scenario: scenario(`
name: small
world:
  network: ETH
  background: false
  exchanges: [{ name: ONE, pairs: [A-B] }, { name: TWO }]
  pairs: [{ name: A-B, price: 2 }, { name: C-B, price: 5 }]
  pools: [{ factory: F, pair: A-B, base: 10, quote: 20 }]
  senders: ["0x1111111111111111111111111111111111111111"]
  liquidations: []
`),
    });
    expect(get("/api/v1/exchange/list")).toEqual(["ONE", "TWO"]);
    expect(get("/api/v1/pairs/exchangeInfo?exchange=TWO")).toHaveLength(2);
    expect(get("/api/v1/pools/reservations")).toEqual([
      { factory: "F", pair: "A-B", a: 10, p: 20, indicativePrice: 2 },
    ]);
    expect(get("/_sim/state").orders).toEqual([]);
    const lock = { secretHash: `0x${"1".repeat(64)}`, sourceNetworkCode: "BSC" };
    const { body } = ask("POST", "/api/v1/atomic-swap", lock);
    expect(body.redeemOrder.asset).toBe("ETH");
  });

  it("names every problem with file, line and column", () => {
    expect(
      problems(`name: bad
seed: -1
world: { pairs: [{ name: orn, price: 1 }] }
steps:
  - at: 10 s
    do: disable_exchange
    exchange: OKX
  - { at: 1s, do: drain_pool, factory: OrionV2, pair: ORN-USDT, ratio: 2 }
  - { at: 1s, do: explode }
  - { at: 1, do: disable_exchange, exchnge: OKX }
  - { at: 1s, do: set_fault, endpoint: exchangs, fault: { kind: hangs } }
  - { at: 10, do: flap, exchange: OKX, every: 30 }
  - { at: 10s }
  - { at: 10s, say: "" }
extra: 1
`),
    ).toEqual([
      "story.yaml:2:7: seed: must be at least 0",
      "story.yaml:3:26: world.pairs.0.name: must be BASE-QUOTE",
      "story.yaml:5:9: steps.0.at: must be a duration such as 500ms, 90s or 1h30m",
      "story.yaml:8:72: steps.1.ratio: must be at most 1",
      expect.stringMatching(/^story.yaml:9:19: steps.2.do: must be one of set_fault, /),
      "story.yaml:10:11: steps.3.at: must be a duration such as 500ms, 90s or 1h30m",
      "story.yaml:10:5: steps.3.exchange: is missing",
      "story.yaml:10:45: steps.3.exchnge: unknown key",
      expect.stringMatching(/^story.yaml:11:40: steps.4.endpoint: must be one of all, order, /),
      expect.stringMatching(/^story.yaml:11:65: steps.4.fault.kind: must be one of latency, /),
      "story.yaml:12:11: steps.5.at: must be a duration such as 500ms, 90s or 1h30m",
      "story.yaml:12:47: steps.5.every: must be a duration such as 500ms, 90s or 1h30m",
      "story.yaml:13:5: steps.6: says and does nothing: give it say, do or both",
      "story.yaml:14:21: steps.7.say: must not be empty",
      "story.yaml:15:8: extra: unknown key",
    ]);
  });

  it("finds steps that cannot be carried out by playing the story through", () => {
    expect(
      problems(`name: bad
steps:
  - { at: 5s, do: disable_exchange, exchange: KRAKEN }
  - { at: 6s, do: disable_exchange, exchange: OKX }
`),
    ).toEqual(["story.yaml:3:5: steps.0: There is no exchange KRAKEN."]);
  });

  it("is refused if it is not YAML, an alias bomb, or nothing", () => {
    expect(problems("name: [")[0]).toMatch(/^story.yaml:1:8: /);
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (const [index, name] of "bcdefg".split("").entries())
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${"abcdef"[index]}`).join(",")}]`);
    expect(problems(bomb.join("\n"))[0]).toMatch(/alias/i);
    expect(problems("")[0]).toMatch(/^story.yaml:1:1: scenario: /);
  });

  it("ships examples that all read well", () => {
    const folder = join(import.meta.dirname, "../../../deploy/scenarios");
    const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const read = parseScenario(readFileSync(join(folder, file), "utf8"), file);
      expect(read.ok ? [] : read.problem).toEqual([]);
    }
  });
});

import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/domain/command.ts";
import { HOME, sendersUnit, unitOfSender } from "../../../src/domain/lease.ts";
import { policyOf, type WatchdogSetup } from "../../../src/run/setup.ts";
import { unitOfCommand } from "../../../src/run/units/command-unit.ts";
import { setupOfUnit } from "../../../src/run/units/unit-setup.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { repair, rule } from "../../core/fixtures.ts";
import { aggregatorSetup, daemonSettings, watchdogSetup } from "../watchdog-setup.ts";

const SHARDS = 3;
const SENDERS = Array.from({ length: 30 }, (_, n) => ({ address: `0x${(n + 1).toString(16)}` }));
const UNITS = [1, 2, 3].map(sendersUnit);

const kindRule = (kind: string) => rule({ alert: `Bad${kind}`, kind });

function setup(shards = SHARDS): WatchdogSetup {
  const settings = daemonSettings("data");
  const watch = {
    ...NOTHING_WATCHED,
    senders: SENDERS,
    orders: [{ market: "spot", id: "1" }],
  } as const;
  const act = { type: "header", name: "X-API-KEY", value: "secret" } as const;
  const one = aggregatorSetup("http://127.0.0.1:1", { watch });
  const client = { ...one.client, auth: { ...one.client.auth, act } };
  return watchdogSetup("data", [{ ...one, client }], {
    settings: {
      ...settings,
      actions: { ...settings.actions, mode: "act" },
      journal: { ...settings.journal, shards },
    },
    rules: [
      rule({ act: repair() }),
      ...["swap", "sender", "poller", "aggregator", "pool"].map(kindRule),
    ],
    heartbeat: { url: "http://127.0.0.1:1", everyMs: 1, timeoutMs: 1, needsNotifier: false },
  });
}

const names = ({ aggregators }: WatchdogSetup): readonly string[] =>
  aggregators.flatMap(({ pollers }) => pollers.map(({ name }) => name));
const addresses = ({ aggregators }: WatchdogSetup): readonly string[] =>
  aggregators.flatMap(({ watch }) => watch.senders.map(({ address }) => address));

describe("the parts of a setup", () => {
  it("are the whole, if there are no shards", () => {
    const whole = setup(0);
    expect(setupOfUnit(whole, HOME)).toBe(whole);
  });

  it("name the unit of senders whose notifications they are", () => {
    const unitsOf = [HOME, ...UNITS].map(
      (unit) => policyOf(setupOfUnit(setup(), unit)).notify.unit,
    );
    expect(unitsOf).toEqual([undefined, ...UNITS]);
  });

  it("have each sender and each poller once", () => {
    const whole = setup();
    const parts = [HOME, ...UNITS].map((unit) => setupOfUnit(whole, unit));
    expect(parts.flatMap(addresses).toSorted()).toEqual(addresses(whole).toSorted());
    const [home, ...units] = parts;
    if (home === undefined) throw new Error("there is one");
    expect(addresses(home)).toEqual([]);
    for (const [index, unit] of units.entries()) {
      expect(names(unit)).toEqual(["swaps", "swap_history"]);
      expect(addresses(unit).every((one) => unitOfSender(one, SHARDS) === index + 1)).toBe(true);
      const [policy] = policyOf(unit).aggregators;
      expect(policy?.pollers.map((poller) => poller.unit)).toEqual([index + 1, index + 1]);
    }
    expect([...names(home), "swaps", "swap_history"].toSorted()).toEqual(
      [...names(whole)].toSorted(),
    );
  });

  it("of senders never act: neither rule, mode nor key", () => {
    const unit = setupOfUnit(setup(), sendersUnit(1));
    expect(unit.settings.actions.mode).toBe("shadow");
    expect(unit.rules.map(({ alert }) => alert)).toEqual([
      "Badswap",
      "Badsender",
      "Badpoller",
      "Badaggregator",
    ]);
    expect(unit.aggregators.map(({ client }) => client.auth.act)).toEqual([{ type: "none" }]);
    expect(unit.heartbeat).toBeUndefined();
    const { notify } = policyOf(unit);
    expect([...(notify.leftToHome ?? [])]).toEqual(["aggregator"]);
    expect(policyOf(setupOfUnit(setup(), HOME)).notify.leftToHome).toBeUndefined();
  });
});

describe("a command", () => {
  const watch = (kind: string, target: string): Command => ({
    name: "watch",
    aggregator: "bsc",
    entry: { kind, target },
  });

  it("about a sender is its unit's, however its address is written, and any other is of home", () => {
    const unit = sendersUnit(unitOfSender("0xab", SHARDS));
    expect(unitOfCommand(watch("sender", "0xab"), SHARDS)).toBe(unit);
    expect(unitOfCommand(watch("sender", "0xAB"), SHARDS)).toBe(unit);
    expect(unitOfCommand(watch("sender", "0xab"), 0)).toBe(HOME);
    expect(unitOfCommand(watch("order", "0xab"), SHARDS)).toBe(HOME);
    expect(unitOfCommand({ name: "kill", source: "operator" }, SHARDS)).toBe(HOME);
  });
});

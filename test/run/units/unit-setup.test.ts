import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/domain/command.ts";
import { HOME, sendersUnit, unitOfSender } from "../../../src/domain/lease.ts";
import { HOUR } from "../../../src/domain/time.ts";
import type { MaintenanceWindow } from "../../../src/io/schedule/maintenance-windows.ts";
import { policyOf, type WatchdogSetup, type WatchPart } from "../../../src/run/setup.ts";
import { unitOfCommand } from "../../../src/run/units/command-unit.ts";
import { fullestUnit, rulesOfUnit, setupOfUnit } from "../../../src/run/units/unit-setup.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { repair, rule } from "../../core/fixtures.ts";
import { HOOK } from "../hook.ts";
import { aggregatorSetup, daemonSettings, watchdogSetup } from "../watchdog-setup.ts";

const SHARDS = 3;
const SENDERS = Array.from({ length: 30 }, (_, n) => ({ address: `0x${(n + 1).toString(16)}` }));
const UNITS = [1, 2, 3].map(sendersUnit);

const NIGHT: MaintenanceWindow = {
  name: "night",
  schedule: "0 2 * * *",
  timeZone: "UTC",
  durationMs: HOUR,
  scope: {},
  reason: "a deployment",
};
const kindRule = (kind: string) => rule({ alert: `Bad${kind}`, kind });

function setup(shards = SHARDS): WatchdogSetup {
  const settings = daemonSettings("data");
  const watch = {
    ...NOTHING_WATCHED,
    senders: SENDERS,
    orders: [{ market: "spot", id: "1" }],
    historyLimit: 7,
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
      rule({ alert: "Repairs", kind: "swap", act: repair() }),
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
      expect(unit.aggregators.map(({ watch }) => watch.historyLimit)).toEqual([7]);
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

/** What each part watches of the same entry, wherever it comes from. */
const partsThat = (watch: (part: WatchPart) => boolean): readonly string[] =>
  [HOME, ...UNITS].filter((unit) =>
    setupOfUnit(setup(), unit).aggregators.every(({ part }) => part !== undefined && watch(part)),
  );

describe("a part of the entries of files, lists and operators", () => {
  it("has each sender in its unit alone", () => {
    for (const { address } of SENDERS) {
      const entry = { kind: "sender", target: address };
      expect(partsThat(({ watches }) => watches(entry))).toEqual([
        sendersUnit(unitOfSender(address, SHARDS)),
      ]);
    }
  });

  it("has a sender in the same unit however its address is written", () => {
    for (const { address } of SENDERS) {
      const entry = { kind: "sender", target: address.toUpperCase().replace("0X", "0x") };
      expect(partsThat(({ watches }) => watches(entry))).toEqual([
        sendersUnit(unitOfSender(address, SHARDS)),
      ]);
    }
  });

  it("has an order with the id of a sender in home alone, and only units of senders share names", () => {
    const entry = { kind: "order", target: "0x1" };
    expect(partsThat(({ watches }) => watches(entry))).toEqual([HOME]);
    expect(partsThat(({ sharesNames }) => sharesNames?.(entry) === true)).toEqual([]);
    const sender = { kind: "sender", target: "0x1" };
    expect(partsThat(({ sharesNames }) => sharesNames?.(sender) === true)).toEqual(UNITS);
  });

  it("knows the aliases that the config gives in other units", () => {
    const whole = setup();
    const aggregators = whole.aggregators.map((one) => {
      const senders = SENDERS.map((sender, n) =>
        n % 2 === 0 ? sender : { ...sender, alias: `d${n}` },
      );
      return { ...one, watch: { ...one.watch, senders } };
    });
    const known = UNITS.map((unit) =>
      setupOfUnit({ ...whole, aggregators }, unit).aggregators.flatMap(({ part }) =>
        (part?.configured ?? []).map(({ target }) => target),
      ),
    );
    for (const [n, { address }] of SENDERS.entries()) {
      const own = UNITS.indexOf(sendersUnit(unitOfSender(address, SHARDS)));
      expect(known.map((targets) => targets.includes(address))).toEqual(
        UNITS.map((_, unit) => unit === own || n % 2 === 1),
      );
    }
  });
});

it("home judges by all rules, and a unit of senders by none that acts", () => {
  const { rules } = setup();
  expect(rulesOfUnit(rules, HOME)).toEqual(rules);
  const ofUnit = rulesOfUnit(rules, sendersUnit(1)).map(({ alert }) => alert);
  expect(ofUnit).toEqual(["Badswap", "Badsender", "Badpoller", "Badaggregator"]);
});

it("the parts ask no faster together than the whole may, and only what home asks has a turn of its own", () => {
  const whole = setup();
  const rates = [HOME, ...UNITS].flatMap((unit) =>
    setupOfUnit(whole, unit).aggregators.map(({ client }) => client.rate),
  );
  const rate = whole.aggregators[0]?.client.rate;
  if (rate === undefined) throw new Error("there is one");
  for (const key of ["requestsPerSecond", "concurrency"] as const) {
    expect(rates.reduce((sum, one) => sum + one[key], 0)).toBeLessThanOrEqual(rate[key]);
  }
  expect(rates.map(({ onlyPolls }) => onlyPolls)).toEqual([false, true, true, true]);
});

it("only home holds for maintenance windows, keeps replies and notifies of the watchdog itself", () => {
  const { settings, ...whole } = setup();
  const { record } = settings;
  const busy: WatchdogSetup = {
    ...whole,
    settings: {
      ...settings,
      maintenance: [NIGHT],
      record: { ...record, replies: { ...record.replies, keep: "failures" } },
    },
    notify: {
      ...whole.notify,
      channels: [{ ...HOOK, policy: { ...HOOK.policy, watchdog: true } }],
    },
  };
  const said = [HOME, sendersUnit(1)].map((unit) => {
    const part = setupOfUnit(busy, unit);
    return {
      windows: part.settings.maintenance.length,
      keep: part.settings.record.replies.keep,
      watchdog: part.notify.channels.map(({ policy }) => policy.watchdog),
    };
  });
  expect(said).toEqual([
    { windows: 1, keep: "failures", watchdog: [true] },
    { windows: 0, keep: "none", watchdog: [false] },
  ]);
});

it("the fullest unit is the one with most senders", () => {
  const counts = Map.groupBy(SENDERS, ({ address }) => unitOfSender(address, SHARDS));
  const fullest = fullestUnit(
    SENDERS.map(({ address }) => address),
    SHARDS,
  );
  for (const [unit, { length }] of counts)
    if (unit !== fullest) expect(counts.get(fullest)?.length).toBeGreaterThan(length);
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

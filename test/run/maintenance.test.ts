import { describe, expect, it } from "vitest";
import { ruleHashes } from "../../src/core/change/reload.ts";
import { emptyState, type State } from "../../src/core/state.ts";
import { succeed } from "../../src/domain/result.ts";
import type { Event, Policy, StepResult } from "../../src/domain/step.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { openWindows, type MaintenanceWindow } from "../../src/io/schedule/maintenance-windows.ts";
import { createMaintenance } from "../../src/run/maintenance.ts";
import { createReloading } from "../../src/run/reloading.ts";
import { policyOf, type Sources, type WatchdogSetup } from "../../src/run/setup.ts";
import type { Rule } from "../../src/domain/rule.ts";
import { exchange, repair, rule } from "../core/fixtures.ts";
import { START, World } from "../core/world.ts";
import { aggregatorSetup, watchdogSetup } from "./watchdog-setup.ts";

/** Saturdays from two to four in Berlin. */
const NIGHT: MaintenanceWindow = {
  name: "saturday-night",
  schedule: "0 2 * * 6",
  timeZone: "Europe/Berlin",
  durationMs: 2 * HOUR,
  scope: { kind: "exchange" },
  reason: "the weekly deployment",
};

/** 2026-01-03 is a Saturday; Berlin is an hour ahead of UTC in winter. */
const BEGIN = Date.UTC(2026, 0, 3, 1);

describe("a maintenance window", () => {
  it.each([
    { at: BEGIN - 1, open: false, when: "right before it begins" },
    { at: BEGIN, open: true, when: "when it begins" },
    { at: BEGIN + HOUR, open: true, when: "in its midst" },
    { at: BEGIN + 2 * HOUR - 1, open: true, when: "right before it ends" },
    { at: BEGIN + 2 * HOUR, open: false, when: "when it has ended" },
    { at: BEGIN + 24 * HOUR, open: false, when: "on another day" },
  ])("$when: $open", ({ at, open }) => {
    const found = openWindows([NIGHT], at);
    expect(found.map(({ until }) => until)).toEqual(open ? [BEGIN + 2 * HOUR] : []);
  });

  it("follows its time zone into summer", () => {
    const july = Date.UTC(2026, 6, 4);
    expect(openWindows([NIGHT], july)).toHaveLength(1);
    expect(openWindows([{ ...NIGHT, timeZone: "UTC" }], july)).toEqual([]);
  });

  /** When the clocks are put forward: in Berlin from 2:00 to 3:00, on Lord Howe Island from 2:00 to 2:30. */
  it.each([
    { timeZone: "Europe/Berlin", schedule: "0 2 * * *", forward: Date.UTC(2026, 2, 29, 1) },
    { timeZone: "Europe/Berlin", schedule: "59 2 29 3 0", forward: Date.UTC(2026, 2, 29, 1) },
    {
      timeZone: "Australia/Lord_Howe",
      schedule: "15 2 * * 0",
      forward: Date.UTC(2026, 9, 3, 15, 30),
    },
  ])(
    "begins after the time that summer time skips: $schedule in $timeZone",
    ({ forward, ...when }) => {
      const ends = (at: number) =>
        openWindows([{ ...NIGHT, ...when, durationMs: HOUR }], at).map(({ until }) => until);
      expect(ends(forward - 1)).toEqual([]);
      expect(ends(forward)).toEqual([forward + HOUR]);
      expect(ends(forward + HOUR - 1)).toEqual([forward + HOUR]);
      expect(ends(forward + HOUR)).toEqual([]);
    },
  );

  it("begins twice if its hour comes twice, as summer time ends", () => {
    const window = { ...NIGHT, schedule: "30 2 * * *", durationMs: 10 * MINUTE };
    const first = Date.UTC(2026, 9, 25, 0, 30);
    const ends = (at: number) => openWindows([window], at).map(({ until }) => until);
    expect(ends(first)).toEqual([first + 10 * MINUTE]);
    expect(ends(first + 10 * MINUTE)).toEqual([]);
    expect(ends(first + HOUR)).toEqual([first + HOUR + 10 * MINUTE]);
  });

  it("does not begin at another time on the day on which summer time begins", () => {
    const forward = Date.UTC(2026, 2, 29, 1);
    for (const schedule of ["0 4 * * *", "30 1 * * *", "0 2 * * 6"]) {
      const window = { ...NIGHT, schedule, durationMs: 10 * MINUTE };
      expect(openWindows([window], forward)).toEqual([]);
    }
  });

  it("is a hold, made once, and again for its next turn", () => {
    let now = BEGIN + 30 * MINUTE;
    const state = emptyState();
    const pushed: Event[] = [];
    const loop = loopOf(
      (event) => void pushed.push(event),
      () => state,
    );
    const maintenance = createMaintenance(() => [NIGHT], { clock: { now: () => now }, loop });
    maintenance.check();
    maintenance.check();
    now += 5 * MINUTE;
    maintenance.check();
    const hold = { name: "hold", id: "maintenance-saturday-night", scope: NIGHT.scope };
    expect(pushed).toEqual([
      {
        type: "command",
        by: "maintenance",
        reason: "the weekly deployment",
        command: { ...hold, until: BEGIN + 2 * HOUR },
      },
    ]);
    now = BEGIN + 7 * 24 * HOUR;
    maintenance.check();
    expect(pushed.slice(1)).toMatchObject([
      { command: { ...hold, until: BEGIN + 7 * 24 * HOUR + 2 * HOUR } },
    ]);
  });

  it("stays released when an operator has released its hold", () => {
    let now = BEGIN;
    const state = emptyState();
    const pushed: Event[] = [];
    const loop = loopOf(
      (event) => void pushed.push(event),
      () => state,
    );
    const maintenance = createMaintenance(() => [NIGHT], { clock: { now: () => now }, loop });
    maintenance.check();
    for (let minute = 0; minute < 10; minute += 1) {
      now += MINUTE;
      maintenance.check();
    }
    expect(pushed).toHaveLength(1);
  });

  it("has another scope as soon as that is edited, and then a hold of the same end", () => {
    const state = emptyState();
    const pushed: Event[] = [];
    const loop = loopOf(
      (event) => void pushed.push(event),
      () => state,
    );
    let windows = [NIGHT];
    const maintenance = createMaintenance(() => windows, { clock: { now: () => BEGIN }, loop });
    maintenance.check();
    windows = [{ ...NIGHT, scope: { aggregator: "eth" } }];
    maintenance.check();
    maintenance.check();
    expect(pushed.slice(1)).toMatchObject([
      { command: { scope: { aggregator: "eth" }, until: BEGIN + 2 * HOUR } },
    ]);
  });

  it.each([
    { scope: NIGHT.scope, holds: 0, when: "is the same" },
    { scope: { aggregator: "eth" }, holds: 1, when: "was edited meanwhile" },
  ])("over a restart makes $holds new holds if its scope $when", ({ scope, holds }) => {
    const state = emptyState();
    const until = BEGIN + 2 * HOUR;
    const id = "maintenance-saturday-night";
    const made = { id, owner: "maintenance", reason: NIGHT.reason, from: BEGIN, until };
    state.tables.hold.set(id, { ...made, scope: NIGHT.scope });
    const pushed: Event[] = [];
    const loop = loopOf(
      (event) => void pushed.push(event),
      () => state,
    );
    const clock = { now: () => BEGIN + HOUR };
    createMaintenance(() => [{ ...NIGHT, scope }], { clock, loop }).check();
    expect(pushed).toHaveLength(holds);
  });
});

/** From the start of the world on. */
const NOW: MaintenanceWindow = {
  name: "now",
  schedule: "0 0 * * *",
  timeZone: "UTC",
  durationMs: 2 * HOUR,
  scope: { kind: "exchange" },
  reason: "a deployment",
};

/** A world in which windows are checked and edited. */
function heldWorld(first: readonly MaintenanceWindow[], rules: readonly Rule[] = []) {
  const world = new World({ rules }).starts();
  let windows = first;
  const clock = { now: () => world.now };
  const loop = loopOf(
    (event) => void world.tell(event),
    () => world.state,
  );
  const maintenance = createMaintenance(() => windows, { clock, loop });
  const edit = (next: readonly MaintenanceWindow[]): void => {
    windows = next;
    maintenance.check();
  };
  const holds = (): string[] => [...world.state.tables.hold.keys()];
  maintenance.check();
  return { world, edit, holds, ...maintenance };
}

describe("the hold of a maintenance window that is open", () => {
  it.each<[string, readonly MaintenanceWindow[], readonly string[]]>([
    ["is taken out", [], []],
    ["has another name", [{ ...NOW, name: "new" }], ["maintenance-new"]],
    ["is to begin later", [{ ...NOW, schedule: "30 12 * * *" }], []],
    ["is shortened so far that it is over", [{ ...NOW, durationMs: 10 * MINUTE }], []],
  ])("ends as soon as its window %s", (_what, edited, after) => {
    const { world, edit, holds } = heldWorld([NOW]);
    world.passes("30m");
    expect(holds()).toEqual(["maintenance-now"]);
    edit(edited);
    expect(holds()).toEqual(after);
    edit([NOW]);
    expect(holds()).toEqual(["maintenance-now"]);
  });

  it("ends with the process's start if its window was taken out before", () => {
    const { world, holds } = heldWorld([NOW]);
    world.restarts("1m");
    expect(holds()).toEqual(["maintenance-now"]);
    const loop = loopOf(
      (event) => void world.tell(event),
      () => world.state,
    );
    createMaintenance(() => [], { clock: { now: () => world.now }, loop }).check();
    expect(holds()).toEqual([]);
  });

  it("runs out by itself, and is not released, at the end of its window", () => {
    const { world, edit, holds, check } = heldWorld([NOW]);
    world.at("1h59m59s");
    world.now = START + 2 * HOUR;
    edit([]);
    check();
    expect(holds()).toEqual(["maintenance-now"]);
    world.tell({ type: "tick" });
    expect(holds()).toEqual([]);
    expect(world.found("command").map(({ name }) => name)).toEqual(["hold"]);
  });

  it("stays released, whatever else is edited, and leaves the holds of people alone", () => {
    const { world, edit, holds } = heldWorld([NOW]);
    const scope = { kind: "pair" };
    world.commands({ name: "hold", scope, until: START + HOUR });
    world.commands({ name: "release", hold: "maintenance-now" });
    edit([NOW, { ...NOW, name: "noon", schedule: "0 12 * * *" }]);
    expect(holds()).toEqual(["h1"]);
    edit([]);
    expect(holds()).toEqual(["h1"]);
  });

  it("begins within a minute though nothing was edited since the last look", () => {
    const { world, holds, check } = heldWorld([{ ...NOW, schedule: "30 0 * * *" }]);
    world.at("29m59s");
    check();
    expect(holds()).toEqual([]);
    world.at("30m");
    check();
    expect(holds()).toEqual(["maintenance-now"]);
  });

  it("is not made again by a reload that leaves it, and stays released over one", () => {
    const { world, holds, prepare, missing } = heldWorld([NOW]);
    prepare([NOW]);
    expect(world.found("hold")).toHaveLength(1);
    world.commands({ name: "release", hold: "maintenance-now" });
    expect(missing([NOW])).toEqual([]);
    prepare([NOW]);
    expect(holds()).toEqual([]);
  });

  it("ends without that of a person whose token has the name maintenance", () => {
    const { world, edit, holds } = heldWorld([NOW]);
    const command = { name: "hold", scope: { kind: "pair" }, until: START + HOUR } as const;
    world.tell({ type: "command", by: "maintenance", reason: "a look", command });
    expect(holds()).toEqual(["maintenance-now", "h1"]);
    edit([]);
    expect(holds()).toEqual(["h1"]);
  });
});

describe("maintenance windows of which one begins when another ends", () => {
  const hourly = { ...NOW, schedule: "0 * * * *", durationMs: HOUR };
  const then = { ...NOW, name: "then", schedule: "0 2 * * *", scope: {} };

  it.each([
    ["of one schedule", [hourly]],
    ["of two", [NOW, then]],
  ])("let nothing act before the first look after that: %s", (_what, windows) => {
    const rules = [rule({ forMs: 0, act: repair() })];
    const { world, holds, check } = heldWorld(windows, rules);
    const seen = [exchange("A", "disabled"), exchange("B", "enabled")];
    world.sees("exchanges", seen).at("1h59m59s");
    check();
    world.now += 1_300;
    world.sees("exchanges", seen).passes("1s");
    expect([world.sent, holds().length]).toEqual([[], 1]);
    check();
    world.passes("1m");
    expect(holds()).toEqual([`maintenance-${windows.at(-1)?.name}`]);
  });

  it("end with the last of them", () => {
    const ends = (windows: readonly MaintenanceWindow[], at: number) =>
      heldUntil(windows, START + at).map((until) => until - START);
    expect(ends([NOW], HOUR)).toEqual([2 * HOUR]);
    expect(ends([NOW, then], HOUR)[0]).toBeGreaterThan(2 * HOUR);
    expect(ends([NOW, then], 3 * HOUR)).toEqual([4 * HOUR]);
  });
});

/** Until when the windows that are open at an instant are held. */
function heldUntil(windows: readonly MaintenanceWindow[], at: number): number[] {
  const found: Event[] = [];
  const loop = loopOf((event) => void found.push(event), emptyState);
  createMaintenance(() => windows, { clock: { now: () => at }, loop }).check();
  return found.flatMap((event) =>
    event.type === "command" && event.command.name === "hold" ? [event.command.until] : [],
  );
}

describe("a maintenance window that a reload adds, and that is open", () => {
  it("holds before the reload lets anything act, and in what a dry run says", () => {
    const before = watchdogSetup("/nowhere", [aggregatorSetup("http://aggregator.invalid")]);
    const { settings } = before;
    const after = { ...before, settings: { ...settings, maintenance: [NOW] } };
    const { world, reloading } = reloadWorld({ ...before, rules: [] }, after);
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "enabled")]).passes("1s");
    world.sees("exchanges", [exchange("A", "disabled"), exchange("B", "enabled")]);
    const held = { alertname: "ExchangeDisabled", outcome: "suppressed", reason: "held" };
    for (const dryRun of [true, false]) {
      const outcome = reloading.reload("alice", dryRun);
      expect(outcome).toMatchObject({ ok: true, value: { actions: [held] } });
      expect([...world.state.tables.hold.keys()]).toEqual(dryRun ? [] : ["maintenance-now"]);
    }
    world.passes("5s");
    expect(world.sent).toEqual([]);
    expect(world.found("hold")).toHaveLength(1);
  });

  it("is not held any more soon after if the reload fails", () => {
    const { holds, prepare, check } = heldWorld([]);
    prepare([NOW]);
    expect(holds()).toEqual(["maintenance-now"]);
    check();
    expect(holds()).toEqual([]);
  });
});

/** As much of a loop as maintenance needs, without a queue. */
function loopOf(push: (event: Event) => void, state: () => State) {
  const askFirst = (event: Event): undefined => {
    push(event);
  };
  return { push, askFirst, state };
}

/** A reload from one setup to another around the scripted world. */
function reloadWorld(before: WatchdogSetup, after: WatchdogSetup) {
  const world = new World({ rules: [] });
  world.policy = policyOf(before);
  world.starts();
  const clock = { now: () => world.now };
  let found: StepResult | undefined;
  world.onStep = (_event, result) => void (found = result);
  const loop = {
    ...loopOf(
      (event) => void world.tell(event),
      () => world.state,
    ),
    defect: () => undefined,
    isAbandoned: () => false,
    policy: () => world.policy,
    lastEventAt: () => world.now,
    reload: (next: Policy, moved: readonly string[]) => {
      const rulesBefore = ruleHashes(world.policy.rules);
      world.policy = next;
      world.tell({ type: "policy_changed", rulesBefore, moved });
      return found;
    },
  };
  const sources: Sources = {
    load: () => succeed({ setup: after, changes: [], accept: () => undefined }),
    isOutdated: () => false,
    lastAccepted: () => undefined,
    directories: () => [],
    onHangup: () => () => undefined,
    another: () => sources,
  };
  const reloading = createReloading(before, sources, {
    clock,
    loop,
    maintenance: createMaintenance(() => reloading.maintenance(), { clock, loop }),
    polling: { prepare: () => ({ apply: () => undefined, drop: () => undefined }) },
    metrics: { expect: () => undefined },
    lists: { effective: (setup) => setup, sync: () => undefined },
  });
  return { world, reloading };
}

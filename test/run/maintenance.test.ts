import { describe, expect, it } from "vitest";
import { emptyState } from "../../src/core/state.ts";
import type { Event } from "../../src/domain/step.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { openWindows, type MaintenanceWindow } from "../../src/io/schedule/maintenance-windows.ts";
import { createMaintenance } from "../../src/run/maintenance.ts";

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
    const loop = { push: (event: Event) => void pushed.push(event), state: () => state };
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
    const loop = { push: (event: Event) => void pushed.push(event), state: () => state };
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
    const loop = { push: (event: Event) => void pushed.push(event), state: () => state };
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
    const loop = { push: (event: Event) => void pushed.push(event), state: () => state };
    const clock = { now: () => BEGIN + HOUR };
    createMaintenance(() => [{ ...NIGHT, scope }], { clock, loop }).check();
    expect(pushed).toHaveLength(holds);
  });
});

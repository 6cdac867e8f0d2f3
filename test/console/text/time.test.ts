import { describe, expect, it, vi } from "vitest";
import {
  agoText,
  clockText,
  fieldText,
  instantOf,
  isInstant,
  lengthText,
  splitByInstants,
} from "../../../src/console/text/time.ts";

const NOON = Date.UTC(2026, 0, 31, 12);

describe("times for people", () => {
  it.each([
    [0, "0s"],
    [999, "0s"],
    [-5_000, "0s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [250_000, "4m 10s"],
    [3_600_000, "1h"],
    [3_605_000, "1h"],
    [7_500_000, "2h 5m"],
    [183_600_000, "2d 3h"],
    [172_805_000, "2d"],
  ])("%d ms are %s", (milliseconds, text) => {
    expect(lengthText(milliseconds)).toBe(text);
  });

  it("say how long ago, and how long until", () => {
    expect(agoText("2026-01-31T11:59:30.000Z", NOON)).toBe("30s ago");
    expect(agoText("2026-01-31T12:05:00.000Z", NOON)).toBe("in 5m");
  });

  it("name their zone", () => {
    expect(clockText(NOON, "UTC")).toBe("2026-01-31 12:00:00 UTC");
    expect(clockText(NOON, "local")).toMatch(/^2026-0[12]-\d\d \d\d:\d\d:00 [+-]\d\d:\d\d$/);
  });

  it.each([
    [210, "2026-01-31 08:30:00 -03:30"],
    [-345, "2026-01-31 17:45:00 +05:45"],
    [-900, "2026-02-01 03:00:00 +15:00"],
  ])("have their offset from UTC (%d minutes) in local time", (offset, text) => {
    const zone = vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(offset);
    expect([clockText(NOON, "local"), clockText(NOON, "UTC")]).toEqual([
      text,
      "2026-01-31 12:00:00 UTC",
    ]);
    zone.mockRestore();
  });

  it("stand in a field without their zone, and come back from it", () => {
    for (const zone of ["UTC", "local"] as const) {
      const field = fieldText(NOON, zone);
      expect(field).toMatch(/^2026-0[12]-\d\dT\d\d:\d\d:00$/);
      expect(instantOf(field, zone)).toBe(NOON);
      expect(instantOf("", zone)).toBeNaN();
    }
  });

  it("are found among facts, and nothing else is", () => {
    expect(isInstant("2026-01-31T12:00:00.000Z")).toBe(true);
    for (const other of ["2026-01-31", "x2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z!", 5, true])
      expect(isInstant(other)).toBe(false);
    for (const impossible of ["0000-00-00T00:00:00Z", "2026-13-01T00:00:00Z"])
      expect(isInstant(impossible), impossible).toBe(false);
  });
});

it("a text is cut at the instants that it names, so that they can be shown in the reader's zone", () => {
  const at = "2026-01-31T12:00:00.000Z";
  expect(splitByInstants(`held until ${at}, by 2026-01-31.`)).toEqual([
    "held until ",
    { at },
    ", by 2026-01-31.",
  ]);
  const received = 'updateTime: received "0000-00-00T00:00:00Z"';
  expect(splitByInstants(received).every((part) => typeof part === "string")).toBe(true);
  expect(splitByInstants("held by alice")).toEqual(["held by alice"]);
  expect(splitByInstants("")).toEqual([]);
});

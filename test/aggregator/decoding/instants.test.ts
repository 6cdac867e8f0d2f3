import { describe, expect, test } from "vitest";
import { INSTANT_UNITS, type InstantUnit } from "../../../src/aggregator/decoding/decode.ts";
import { readEndpoints } from "../../../src/aggregator/endpoints/index.ts";

const AT = Date.UTC(2026, 4, 1, 10, 0, 0, 250);

function read(created: unknown, unit: InstantUnit | undefined) {
  const swap = { sender: "0xAA", status: "ACTIVE", creationTime: created };
  const body = [{ ...swap, lockOrder: { secretHash: "0xCD", expiration: created } }];
  return readEndpoints.activeSwaps.decode(body, unit);
}

const EXPECTED = {
  milliseconds: "a time of this century in milliseconds since the epoch",
  seconds: "a time of this century in seconds since the epoch",
  iso: "a time of this century as an ISO 8601 text with its zone",
};

describe("an instant", () => {
  test.each<[InstantUnit | undefined, unknown, number]>([
    [undefined, AT, AT],
    ["milliseconds", String(AT), AT],
    ["milliseconds", AT + 0.25, AT],
    ["seconds", AT / 1_000, AT],
    ["seconds", "1777629600", 1_777_629_600_000],
    ["iso", "2026-05-01T10:00:00.250Z", AT],
    ["iso", "2026-05-01T10:00:00,250Z", AT],
    ["iso", "2026-05-01T12:00:00.25+02:00", AT],
    ["iso", "2026-05-01T15:30:00.25+0530", AT],
    ["iso", "2026-05-01T08:00-02", AT - 250],
  ])("in %s is read of %j", (unit, value, at) => {
    const lockOrder = { secretHash: "0xCD", expiration: at };
    expect(read(value, unit)).toMatchObject({ value: [{ creationTime: at, lockOrder }] });
  });

  test.each<[InstantUnit, unknown, string]>([
    ["milliseconds", 1_777_629_600, " (this is one of `instants: seconds`)"],
    ["milliseconds", "2026-05-01T10:00:00Z", " (this is one of `instants: iso`)"],
    ["seconds", AT, " (this is one of `instants: milliseconds`)"],
    ["iso", AT, " (this is one of `instants: milliseconds`)"],
    ["milliseconds", 0, ""],
    ["seconds", -1, ""],
    ["seconds", 1e300, ""],
    ["iso", "2026-05-01", ""],
    ["iso", "2026-05-01T10:00:00", ""],
    ["iso", "2026-13-01T10:00:00Z", ""],
    ["iso", "2026-02-30T10:00:00Z", ""],
    ["iso", "1999-12-31T23:59:59Z", ""],
    ["iso", "2100-01-01T00:00:00Z", ""],
  ])("in %s is not read of %j", (unit, value, hint) => {
    const expected = `${EXPECTED[unit]}${hint}`;
    expect(read(value, unit)).toMatchObject({
      ok: false,
      problem: { path: "$[0].creationTime", expected },
    });
  });

  test.each(INSTANT_UNITS)("in %s may be absent", (unit) => {
    expect(read(null, unit).ok).toBe(true);
  });
});

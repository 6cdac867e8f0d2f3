import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_SHARDS, rateShare, shardsCheck } from "../../src/config/rate-shares.ts";
import { HOME, sendersUnit } from "../../src/domain/lease.ts";
import { mostPolls } from "../../src/io/aggregator/slots.ts";

const rate = (requestsPerSecond: number, concurrency: number) => ({
  requestsPerSecond,
  concurrency,
});

describe("the shares of a rate", () => {
  const shares = (whole: ReturnType<typeof rate>, shards: number) =>
    [HOME, ...Array.from({ length: shards }, (_, n) => sendersUnit(n + 1))].map((unit) =>
      rateShare(whole, unit, shards),
    );
  const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

  it("never exceed it together, also with another who is cut off for each unit", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 10_000, noNaN: true }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: MOST_SHARDS }),
        (perSecond, concurrency, shards) => {
          const all = shares(rate(perSecond, concurrency), shards);
          const asked = sum(all.map((one) => one.requestsPerSecond));
          const cutOff = sum(all.map((one) => one.requestsPerSecond / one.cutOffSlowdown));
          expect(asked + cutOff).toBeLessThanOrEqual(perSecond * 1.000_001);
          expect(sum(all.map((one) => one.concurrency))).toBeLessThanOrEqual(concurrency);
        },
      ),
    );
  });

  it("leave a fifth to what acts, however many units there are", () => {
    expect(rateShare(rate(50, 16), HOME, 4)).toMatchObject(rate(10, 3));
    expect(rateShare(rate(50, 16), HOME, 12)).toMatchObject(rate(10, 3));
    expect(rateShare(rate(50, 16), sendersUnit(4), 4).requestsPerSecond).toBeCloseTo(8.75);
    expect(rateShare(rate(50, 16), sendersUnit(4), 4).concurrency).toBe(3);
  });

  it("keep a slot for an action in the unit that acts alone", () => {
    const polls = [HOME, sendersUnit(4)].map((unit) => mostPolls(rateShare(rate(50, 16), unit, 4)));
    expect(polls.map(({ all }) => all)).toEqual([2, 3]);
  });
});

describe("shards", () => {
  const check = (postgres: object | undefined, shards: number, concurrency = 16) =>
    shardsCheck({ journal: { postgres, shards }, aggregators: [{ rate: rate(50, concurrency) }] });

  it("need PostgreSQL", () => {
    expect(check(undefined, 0)).toEqual([]);
    expect(check(undefined, 4)).toEqual([
      expect.objectContaining({
        path: ["journal", "shards"],
        message: expect.stringMatching(/^"shards" needs PostgreSQL/),
      }),
    ]);
    expect(check({}, 4)).toEqual([]);
  });

  it("are not more than can ask at once", () => {
    expect(check({}, 13)).toEqual([]);
    const [found] = check({}, 14);
    expect(found).toMatchObject({
      path: ["aggregators", 0, "rate", "concurrency"],
      message: expect.stringMatching(/^"concurrency" is .* 16 are too few$/),
    });
    const enough = Number(/make it (\d+)/.exec(found?.hint ?? "")?.[1]);
    expect(check({}, 14, enough)).toEqual([]);
  });
});

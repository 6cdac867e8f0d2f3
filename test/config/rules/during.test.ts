/** Tests src/config/rules/during.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDuring, onlyDuring } from "../../../src/config/rules/during.ts";
import { DAY, HOUR, MINUTE } from "../../../src/domain/time.ts";
import { placesOf, problemsOf, ruleFile, rulesOf, scope } from "./rule-text.ts";

const at = (text: string): number => Date.parse(text);
const WORK = { hours: ["09:00-17:30"], days: ["mon-fri"], time_zone: "Europe/Berlin" };

describe("during", () => {
  it.each([
    ["2026-03-27T07:59:59.999Z", false], // a Friday, in winter time
    ["2026-03-27T08:00:00Z", true],
    ["2026-03-27T16:29:59.999Z", true],
    ["2026-03-27T16:30:00Z", false],
    ["2026-03-28T12:00:00Z", false],
    ["2026-03-30T06:59:00Z", false],
    ["2026-03-30T07:00:00Z", true], // in summer time
  ])("covers what the clocks in the zone show: %s is %s", (instant, covers) => {
    expect(compileDuring(WORK).covers(at(instant))).toBe(covers);
  });

  it("goes over midnight, on the days on which it begins", () => {
    const night = compileDuring({ hours: ["22:00-06:00"], days: ["sun"], time_zone: "UTC" });
    expect(night.covers(at("2026-03-29T21:59:00Z"))).toBe(false);
    expect(night.covers(at("2026-03-29T22:00:00Z"))).toBe(true);
    expect(night.covers(at("2026-03-30T05:59:00Z"))).toBe(true);
    expect(night.covers(at("2026-03-30T06:00:00Z"))).toBe(false);
  });

  it("ends at an edge, and if a clock jumps over one, at the jump", () => {
    const early = { hours: ["02:30-04:00"], days: ["mon-sun"], time_zone: "Europe/Berlin" };
    const spring = compileDuring(early);
    const jump = at("2026-03-29T01:00:00Z"); // from 02:00 to 03:00
    expect(spring.covers(jump - 1)).toBe(false);
    expect(spring.nextEdge(jump - HOUR)).toBe(jump);
    expect(spring.covers(jump)).toBe(true);
    expect(spring.nextEdge(jump)).toBe(jump + HOUR);
  });

  it("never ends if it is always", () => {
    const always = { hours: ["00:00-24:00"], days: ["mon-sun"], time_zone: "UTC" };
    expect(compileDuring(always).nextEdge(0)).toBe(Infinity);
  });

  it("is the same until its next edge, in every zone and at every change of the clocks", () => {
    const zones = [
      "UTC",
      "Europe/Berlin",
      "America/St_Johns",
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
    ];
    const starts = [
      "2026-03-27",
      "2026-03-07",
      "2026-04-03",
      "2026-10-23",
      "2026-10-30",
      "1969-12-30",
    ];
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const hours = fc.tuple(time, time).filter(([from, until]) => from !== until);
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...starts),
        fc.array(hours, { minLength: 1, maxLength: 2 }),
        fc.constantFrom("mon-fri", "sat-sun", "fri-mon", "mon-sun", "sun"),
        fc.integer({ min: 0, max: 3 * 24 * 60 }),
        (time_zone, start, spans, days, minutes) => {
          const text = { hours: spans.map((span) => span.join("-")), days: [days], time_zone };
          const from = at(`${start}T00:00:00Z`) + minutes * MINUTE + 17;
          const edge = Math.min(compileDuring(text).nextEdge(from), from + 2 * DAY);
          expect(edge).toBeGreaterThan(from);
          // Backwards, as it remembers only what is after the instant that it was asked about.
          const asked = compileDuring(text);
          const is = asked.covers(edge - 1);
          for (let instant = edge - 1; instant > from; instant -= 23 * MINUTE)
            expect(asked.covers(instant)).toBe(is);
          expect(asked.covers(from)).toBe(is);
        },
      ),
      { numRuns: 100, seed: 7 },
    );
  });

  it("makes a condition ok outside of it, and says so", () => {
    const [rule] = rulesOf(
      ruleFile(
        "alert: A",
        "each: exchange",
        "when: exchange.disabled",
        "during: { hours: 09:00-17:30, days: mon-fri, time_zone: Europe/Berlin }",
      ),
    );
    const judged = (instant: string) =>
      rule?.when.judge(scope("exchange", { disabled: true }, at(instant)));
    expect(judged("2026-03-27T12:00:00Z")).toEqual({ truth: "bad" });
    expect(judged("2026-03-28T12:00:00Z")).toEqual({
      truth: "ok",
      reason: "outside of mon-fri 09:00-17:30 Europe/Berlin",
    });
    const evening = scope("exchange", { disabled: true }, at("2026-03-27T17:00:00Z"));
    expect(rule?.when.nextFlip?.(evening)).toBe(at("2026-03-28T17:00:00Z")); // asked again in a day
  });

  it("leaves open when a condition flips of which that is not known", () => {
    const judge = () => ({ truth: "bad" as const });
    const swept = { source: "now.getHours() < 8", readsTime: true, reads: [], judge };
    expect(onlyDuring(swept, compileDuring(WORK)).nextFlip).toBeUndefined();
  });

  it.each([
    ["hours that are none", "hours: 9-17", "7:26 rule/bad-value"],
    ["hours that are empty", "hours: 09:00-09:00", "7:26 rule/bad-value"],
    ["an hour that is none", "hours: 09:00-25:00", "7:26 rule/bad-value"],
    ["a minute that is none", "hours: 09:60-10:00", "7:26 rule/bad-value"],
    ["a day that is none", "days: [mon, tues]", "7:31 rule/bad-value"],
    ["a span of three", "days: mon-tue-wed", "7:25 rule/bad-value"],
    ["a zone that is none", "time_zone: Berlin", "7:30 rule/bad-value"],
    ["an unknown key", "zone: UTC", "7:19 rule/unknown-key"],
  ])("refuses %s", (_, during, place) => {
    const text = ruleFile(
      "alert: A",
      "each: exchange",
      "when: exchange.disabled",
      `during: { ${during} }`,
    );
    expect(placesOf(problemsOf(text))).toEqual([place]);
  });
});

/** Tests src/backtest/landmarks.ts: that the marks of a record are all that it needs. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { commonGaps, joinGaps } from "../../src/backtest/landmarks.ts";
import type { Recorded } from "../../src/record/rebuild.ts";
import { repair, rule } from "../core/fixtures.ts";
import { tellOf } from "../record/in-memory.ts";
import { eventful, happening } from "./eventful.ts";

const NO_MARKS: ReadonlySet<string> = new Set(["watched", "in_force", "passed"]);
const RULES = [rule({ forMs: 5_000, act: repair() })];

/** What landmarks are made of: of a probe, which surfaces were asked when. */
function marksIn(told: readonly Recorded[]): unknown[] {
  return told.flatMap((one): unknown[] => {
    if (one.type !== "event") return NO_MARKS.has(one.type) ? [] : [one];
    if (one.event.type !== "observed" || one.event.observation.origin !== "probe") return [];
    const { aggregator, poller, parts } = one.event.observation;
    const asked = parts.map(({ surface, askedAt }) => ({ surface, askedAt }));
    return [{ at: one.at, aggregator, poller, asked }];
  });
}

it("gaps of all units are those that each has at the same time", () => {
  const one = [
    { from: 0, until: 10 },
    { from: 20, until: 40 },
  ];
  const other = [
    { from: 5, until: 25 },
    { from: 30, until: 31 },
  ];
  expect(commonGaps([one])).toEqual(one);
  expect(commonGaps([one, other])).toEqual([
    { from: 5, until: 10 },
    { from: 20, until: 25 },
    { from: 30, until: 31 },
  ]);
  expect(commonGaps([one, other, []])).toEqual([]);
});

it("gaps that overlap are one, from the first beginning to the last end", () => {
  const gaps = [
    { from: 50, until: 60 },
    { from: 10, until: 40 },
    { from: 12, until: 20 },
    { from: 30, until: 45 },
  ];
  expect(joinGaps(gaps)).toEqual([
    { from: 10, until: 45 },
    { from: 50, until: 60 },
  ]);
});

it("the marks of a record have every chapter, action and probe of it, and nothing else", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 25 }), (happenings) => {
      const pages = eventful(happenings, RULES, { mode: "act" }).pages();
      const { told } = tellOf(pages);
      const marks = tellOf(pages, "marks").told;
      expect(marksIn(marks)).toEqual(marksIn(told));
      // So that reading them can be interrupted.
      expect(marks.filter(({ type }) => type === "passed")).toHaveLength(pages.length);
      expect(marks.length).toBe(marksIn(marks).length + pages.length);
      for (const { type } of marks) seen.add(type);
      // A page that is lost is lost to both.
      const damaged = pages.filter((_, index) => index !== 2);
      expect(marksIn(tellOf(damaged, "marks").told)).toEqual(marksIn(tellOf(damaged).told));
    }),
    { numRuns: 100, seed: 42 },
  );
  // Or it says nothing.
  expect([...seen].toSorted()).toEqual(["acted", "event", "opened", "passed", "sent"]);
});

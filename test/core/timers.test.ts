import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEnd } from "../../src/domain/slices.ts";
import {
  clearTimer,
  newTimers,
  nextDue,
  setTimer,
  takeDue,
  type Timers,
} from "../../src/core/timers.ts";

const allDue = (timers: Timers, at: number) => toEnd(takeDue(timers, at));
const keysDue = (timers: Timers, at: number): string[] => allDue(timers, at).map(({ key }) => key);

describe("timers", () => {
  it("gives what is due in the order of the instants, each once", () => {
    const timers = newTimers();
    setTimer(timers, "g", "late", 30);
    setTimer(timers, "g", "early", 10);
    setTimer(timers, "g", "middle", 20);
    expect(keysDue(timers, 9)).toEqual([]);
    expect(keysDue(timers, 20)).toEqual(["early", "middle"]);
    expect(keysDue(timers, 20)).toEqual([]);
    expect(keysDue(timers, 30)).toEqual(["late"]);
  });

  it("has one timer for a key: setting it again moves it, earlier or later", () => {
    const timers = newTimers();
    setTimer(timers, "g", "one", 10);
    setTimer(timers, "g", "one", 30);
    setTimer(timers, "g", "two", 30);
    setTimer(timers, "g", "two", 10);
    expect(keysDue(timers, 20)).toEqual(["two"]);
    expect(keysDue(timers, 40)).toEqual(["one"]);
  });

  it("does what a plain map of instants would do, whatever happens to it", () => {
    const group = fc.constantFrom("alert A|", "alert B|", "judge A|");
    const key = fc.constantFrom(..."abcdefghijkl");
    const happening = fc.oneof(
      fc.record({ group, set: key, at: fc.nat(50) }),
      fc.record({ group, clear: key }),
      fc.record({ take: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 300 }), (happenings) => {
        const timers = newTimers();
        const plain = new Map<string, number>();
        for (const one of happenings) {
          if ("set" in one) {
            setTimer(timers, one.group, one.set, one.at);
            plain.set(one.group + one.set, one.at);
          } else if ("clear" in one) {
            clearTimer(timers, one.group, one.clear);
            plain.delete(one.group + one.clear);
          } else {
            const due = [...plain]
              .filter(([, at]) => at <= one.take)
              .sort(([x, xAt], [y, yAt]) => xAt - yAt || (x < y ? -1 : 1))
              .map(([name]) => name);
            for (const name of due) plain.delete(name);
            const taken = allDue(timers, one.take).map((timer) => timer.group.name + timer.key);
            expect(taken).toEqual(due);
          }
          expect(timers.count).toBe(plain.size);
          expect(nextDue(timers) ?? Infinity).toBe(Math.min(...plain.values()));
        }
      }),
    );
  });

  it("does not keep what is left over when timers are set again and again", () => {
    const timers = newTimers();
    for (let at = 0; at < 10_000; at += 1) setTimer(timers, "g", "one", 1_000_000 + at);
    expect(timers.count).toBe(1);
    expect(timers.groups.get("g")?.keys).toEqual(["one"]);
  });

  it("gives back the room of timers that have ended", () => {
    const timers = newTimers();
    for (let at = 0; at < 1_000; at += 1) setTimer(timers, "g", `key ${at}`, at);
    expect(keysDue(timers, 989)).toHaveLength(990);
    expect(timers.groups.get("g")?.instants.length).toBeLessThan(100);
    expect(keysDue(timers, 1_000)).toEqual(
      Array.from({ length: 10 }, (_, index) => `key ${990 + index}`),
    );
  });
});

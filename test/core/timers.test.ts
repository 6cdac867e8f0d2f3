import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clearTimer, newTimers, setTimer, takeDue } from "../../src/core/timers.ts";

describe("timers", () => {
  it("gives what is due in the order of the instants, each once", () => {
    const timers = newTimers();
    setTimer(timers, "late", 30);
    setTimer(timers, "early", 10);
    setTimer(timers, "middle", 20);
    expect(takeDue(timers, 9)).toEqual([]);
    expect(takeDue(timers, 20)).toEqual(["early", "middle"]);
    expect(takeDue(timers, 20)).toEqual([]);
    expect(takeDue(timers, 30)).toEqual(["late"]);
  });

  it("has one timer for a key: setting it anew moves it, earlier or later", () => {
    const timers = newTimers();
    setTimer(timers, "one", 10);
    setTimer(timers, "one", 30);
    setTimer(timers, "two", 30);
    setTimer(timers, "two", 10);
    expect(takeDue(timers, 20)).toEqual(["two"]);
    expect(takeDue(timers, 40)).toEqual(["one"]);
  });

  it("does what a plain map of instants would do, whatever happens to it", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e");
    const happening = fc.oneof(
      fc.record({ set: key, at: fc.nat(50) }),
      fc.record({ clear: key }),
      fc.record({ take: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 300 }), (happenings) => {
        const timers = newTimers();
        const plain = new Map<string, number>();
        for (const one of happenings) {
          if ("set" in one) {
            setTimer(timers, one.set, one.at);
            plain.set(one.set, one.at);
          } else if ("clear" in one) {
            clearTimer(timers, one.clear);
            plain.delete(one.clear);
          } else {
            const due = [...plain]
              .filter(([, at]) => at <= one.take)
              .sort(([x, xAt], [y, yAt]) => xAt - yAt || (x < y ? -1 : 1))
              .map(([name]) => name);
            for (const name of due) plain.delete(name);
            expect(takeDue(timers, one.take)).toEqual(due);
          }
        }
      }),
    );
  });

  it("does not keep what is left over when timers are set anew again and again", () => {
    const timers = newTimers();
    for (let at = 0; at < 10_000; at += 1) setTimer(timers, "one", 1_000_000 + at);
    expect(timers.heap.length).toBeLessThan(100);
  });
});

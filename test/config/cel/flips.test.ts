import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../src/config/cel/cel.ts";
import { celLanguage } from "../../../src/config/cel/environment.ts";
import type { Condition } from "../../../src/domain/rule.ts";
import { swapKind } from "../../../src/pollers/swaps.ts";

const language = celLanguage(swapKind);

function conditionOf(source: string): Condition {
  const compiled = compileCondition(language, source);
  if (!compiled.ok) throw new Error(compiled.problem.map(({ message }) => message).join("; "));
  return compiled.value;
}

/** With `expires` and `first_seen` only, in milliseconds around zero. */
function scope(expires: number, firstSeen: number, now: number) {
  const facts = { active: true, expires, first_seen: firstSeen };
  return { aggregator: "bsc", kind: "swap", facts, now };
}

const LINEAR = [
  'age(swap.first_seen) > duration("15ms")',
  'duration("15ms") <= age(swap.first_seen)',
  'swap.active && age(swap.first_seen) >= duration("7ms")',
  "swap.expires < now",
  'swap.expires - now < duration("20ms")',
  'now - swap.first_seen == duration("9ms")',
  'swap.expires + duration("5ms") != now',
  'now - duration("4ms") > swap.expires',
  "age(swap.first_seen) > age(swap.expires)",
  'age(swap.expires) + duration("1s") > duration("980ms")',
  'age(swap.expires) - duration("990ms") > duration("0s") - duration("1500ms")',
  "now - swap.first_seen < swap.expires - now",
  '!(age(swap.first_seen) > duration("15ms")) || swap.expires <= now',
  'swap.active ? swap.expires < now : age(swap.first_seen) < duration("1ms")',
] as const;

describe("when time alone may flip a condition", () => {
  it.each(LINEAR)("%s: never before the instant that is told", (source) => {
    const condition = conditionOf(source);
    const { nextFlip } = condition;
    if (nextFlip === undefined) throw new Error("it cannot be told");
    const instant = fc.integer({ min: -60, max: 60 });
    fc.assert(
      fc.property(instant, instant, instant, (expires, firstSeen, now) => {
        const next = nextFlip(scope(expires, firstSeen, now));
        expect(next).toBeGreaterThan(now);
        const { truth } = condition.judge(scope(expires, firstSeen, now));
        for (let at = now; at < Math.min(next, now + 200); at += 1) {
          expect(condition.judge(scope(expires, firstSeen, at)).truth).toBe(truth);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("tells the instant of a threshold", () => {
    const condition = conditionOf('age(swap.first_seen) > duration("15m")');
    expect(condition.nextFlip?.(scope(0, 1_000, 2_000))).toBe(1_000 + 15 * 60_000);
  });

  it("is never, once every threshold is behind", () => {
    const condition = conditionOf('age(swap.first_seen) > duration("15ms")');
    expect(condition.nextFlip?.(scope(0, 0, 100))).toBe(Infinity);
  });

  it("is never while a fact is missing, as the entity is judged again when it comes", () => {
    const condition = conditionOf("swap.expires < now");
    const facts = { active: true };
    expect(condition.nextFlip?.({ aggregator: "a", kind: "swap", facts, now: 5 })).toBe(Infinity);
  });

  it.each([
    "string(now) > 'x'",
    "[now].exists(t, t > swap.expires)",
    'age(swap.first_seen) > (swap.active ? duration("1m") : duration("2m"))',
    "now.getHours() < 8",
  ])("cannot be told of %s, which is then judged every so often", (source) => {
    expect(conditionOf(source).nextFlip).toBeUndefined();
  });
});

import type { Change, Effect, Event, Finding, Policy } from "../../src/domain/step.ts";
import type { Instant } from "../../src/domain/time.ts";
import { createLoop, type Loop, type LoopDependencies } from "../../src/run/loop.ts";
import { exchange, policyOf, repair, rule } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";

/** A loop around the real `step`, with a journal in memory that can fail, and a log of what it did. */
export type LoopTest = {
  readonly loop: Loop;
  now: Instant;
  /** Every commit fails while this says why. */
  diskProblem: string | undefined;
  /** What the shell was asked to do, in order, each with the kind of what it was about. */
  readonly log: string[];
  readonly rows: Map<string, Change>;
  readonly findings: Array<{ readonly at: Instant; readonly finding: Finding }>;
  readonly effects: Effect[];
  readonly bugs: Array<{
    readonly message: string;
    readonly event: string;
    readonly fatal: boolean;
  }>;
  readonly instants: Instant[];
};

export const START: Instant = Date.UTC(2026, 0, 1);

/** One rule that repairs a disabled exchange at once, and one aggregator. */
export function actingPolicy(): Policy {
  return policyOf([rule({ act: repair() })]);
}

export function loopTest(
  policy: Policy = actingPolicy(),
  change: Partial<LoopDependencies> = {},
): LoopTest {
  const rows = new Map<string, Change>();
  const test = {
    now: START,
    diskProblem: undefined,
    log: [],
    rows,
    findings: [],
    effects: [],
    bugs: [],
    instants: [],
  } as unknown as { -readonly [Key in keyof LoopTest]: LoopTest[Key] };
  test.loop = createLoop(policy, {
    clock: { now: () => test.now },
    journal: {
      rows: () => structuredClone([...rows.values()]),
      commit: ({ changes, findings }) => {
        test.log.push(test.diskProblem === undefined ? "commit" : "commit fails");
        if (test.diskProblem !== undefined) return { ok: false, problem: test.diskProblem };
        for (const row of structuredClone(changes)) {
          if (row.value === undefined) rows.delete(`${row.table} ${row.key}`);
          else rows.set(`${row.table} ${row.key}`, row);
        }
        for (const finding of findings) test.findings.push(structuredClone(finding));
        return { ok: true, value: undefined };
      },
    },
    perform: (effect) => {
      test.log.push(effect.type);
      test.effects.push(effect);
    },
    publish: (event, _result, at) => {
      test.log.push(`publish ${event.type}`);
      test.instants.push(at);
    },
    onBug: (error, event, fatal) => {
      const message = error instanceof Error ? error.message : String(error);
      test.bugs.push({ message, event: event.type, fatal });
    },
    ...change,
  });
  return test;
}

/** A poll, or a probe, of the exchanges; BINANCE has the status. */
export function reading(
  status: "enabled" | "disabled",
  askedAt: Instant,
  origin: "poll" | "probe" = "poll",
): Event {
  return observed("exchanges", [partOf("all", askedAt, [exchange("BINANCE", status)])], origin);
}

/** A reading that no poller could have given: `step` throws at it. */
export function poison(askedAt: Instant): Event {
  const entity = { kind: "undeclared", id: "x", facts: {} };
  return observed("exchanges", [partOf("all", askedAt, [entity])]);
}

/** Starts, sees BINANCE disabled, and gives the reading that confirms it; an act effect is due then. */
export function upToConfirmation(test: LoopTest): Event {
  test.loop.push({ type: "started" });
  test.now += 1_000;
  test.loop.push(reading("disabled", test.now));
  test.now += 1_000;
  return reading("disabled", test.now, "probe");
}

/** A loop whose slices are over at once, and whose event loop turns as often as the test waits. */
export function slicedTest(policy: Policy = actingPolicy()): LoopTest {
  const test = loopTest(policy, {
    slice: { begin: () => undefined, isOver: () => true, next: () => Promise.resolve() },
  });
  test.loop.push({ type: "started" });
  return test;
}

import { describe, expect, it } from "vitest";
import { restore } from "../../src/core/start.ts";
import type { Event, Policy } from "../../src/domain/step.ts";
import { openJournal } from "../../src/io/journal/journal.ts";
import { BUG_WINDOW, MOST_BUGS } from "../../src/run/bug-recovery.ts";
import type { Loop } from "../../src/run/loop.ts";
import { exchange, policyOf, rule } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import {
  actingPolicy,
  loopTest,
  poison,
  reading,
  slicedTest,
  START,
  upToConfirmation,
} from "./loop-world.ts";

const remediations = (loop: Loop) =>
  [...loop.state().tables.remediation.values()].map(({ id, state }) => `${id} ${state}`);
/** So many that reading them takes several slices. */
const MANY = Array.from({ length: 100 }, (_, index) => exchange(`EXCHANGE${index}`, "enabled"));
const kills = (loop: Loop) => [...loop.state().tables.kill.keys()];

describe("an event", () => {
  it("is decided, committed, published, and only then are its effects carried out", () => {
    const test = loopTest();
    const confirming = upToConfirmation(test);
    test.log.length = 0;
    test.loop.push(confirming);
    expect(test.log).toEqual(["commit", "publish observed", "act"]);
    expect(test.effects.at(-1)).toMatchObject({ type: "act", remediation: "r1" });
    expect([...test.rows.keys()]).toContain("remediation r1");
  });

  it("waits for the disk, except for what an aggregator said if nothing leaves", () => {
    const unsynced: Array<true | undefined> = [];
    const test = loopTest(actingPolicy(), {
      journal: {
        rows: () => [],
        commit: (record) => {
          unsynced.push(record.unsynced);
          return { ok: true, value: undefined };
        },
        sync: () => {
          test.log.push("sync");
          return { ok: true, value: undefined };
        },
      },
    });
    const acting = upToConfirmation(test);
    expect(unsynced).toEqual([undefined, true]);
    test.loop.push(acting);
    expect(unsynced).toEqual([undefined, true, undefined]);
    test.log.length = 0;
    test.loop.push({ type: "tick" });
    expect(test.log).toEqual(["sync", "publish tick"]);
  });

  it("waits for the disk after a commit that failed, until one succeeds", () => {
    const unsynced: Array<true | undefined> = [];
    let problem: string | undefined;
    const test = loopTest(policyOf([rule({})]), {
      journal: {
        rows: () => [],
        commit: (record) => {
          unsynced.push(record.unsynced);
          return problem === undefined ? { ok: true, value: undefined } : { ok: false, problem };
        },
      },
    });
    const reads = (status: "enabled" | "disabled"): void => {
      unsynced.length = 0;
      test.now += 1_000;
      test.loop.push(reading(status, test.now));
    };
    test.loop.push({ type: "started" });
    reads("enabled");
    expect(unsynced).toEqual([true]);
    problem = "no space";
    reads("disabled");
    problem = undefined;
    reads("enabled");
    expect(unsynced[0]).toBeUndefined();
    reads("disabled");
    expect(unsynced).toEqual([true]);
  });

  it("that comes while another is handled waits for its turn", () => {
    const events: string[] = [];
    const test = loopTest(actingPolicy(), {
      publish: (event) => void events.push(`published ${event.type}`),
      perform: (effect) => {
        events.push(`perform ${effect.type}`);
        if (effect.type !== "probe" || effect.why !== "confirm") return;
        test.loop.push({ type: "tick" });
        test.loop.push({ type: "journal", writable: true, detail: "", unsent: [] });
        events.push("pushed");
      },
    });
    test.loop.push({ type: "started" });
    events.length = 0;
    test.loop.push(reading("disabled", START));
    expect(events).toEqual([
      "published observed",
      "perform probe",
      "pushed",
      "published tick",
      "published journal",
    ]);
  });

  it("never has an earlier instant than the one before, whatever the clock says", () => {
    const test = loopTest();
    for (const now of [START, START + 10, START - 5_000, START + 5, START + 20]) {
      test.now = now;
      test.loop.push({ type: "tick" });
    }
    expect(test.instants).toEqual([START, START + 10, START + 10, START + 10, START + 20]);
    expect(test.loop.lastEventAt()).toBe(START + 20);
  });

  it("is not decided before the journal is restored, if that is left for later", () => {
    const test = loopTest(actingPolicy(), { isRestoredLater: true });
    expect(() => test.loop.state()).toThrow("the journal is not restored yet");
    test.rows.set("counter at", { table: "counter", key: "at", value: START + 50 });
    let rows = 0;
    for (const _ of test.loop.restore(() => (rows += 1))) expect(rows).toBe(0);
    expect([rows, test.loop.state().at]).toEqual([1, START + 50]);
    test.loop.push({ type: "tick" });
    expect(test.instants).toEqual([START + 50]);
  });

  it("is not committed if it changed and found nothing", () => {
    const test = loopTest();
    test.loop.push({ type: "started" });
    test.log.length = 0;
    test.loop.push({ type: "tick" });
    expect(test.log).toEqual(["publish tick"]);
  });
});

describe("an event after a gap", () => {
  function gapTest() {
    const events: Event[] = [];
    const gap = { awayMs: undefined as number | undefined };
    const look = (): number | undefined => {
      const { awayMs } = gap;
      gap.awayMs = undefined;
      return awayMs;
    };
    const test = loopTest(actingPolicy(), {
      gaps: { look, peek: () => gap.awayMs, noteRunning: () => undefined },
      publish: (event) => void events.push(event),
    });
    return { ...test, events, gap, at: (now: number) => void (test.now = now) };
  }

  it("comes after the report of the gap, which began with the event before", () => {
    const { loop, events, gap, at } = gapTest();
    loop.push({ type: "started" });
    events.length = 0;
    at(START + 60_000);
    gap.awayMs = 59_000;
    loop.push({ type: "tick" });
    loop.push({ type: "tick" });
    expect(events).toEqual([
      { type: "resumed", since: START, awayMs: 59_000 },
      { type: "tick" },
      { type: "tick" },
    ]);
  });

  it("does not report it if it is the start, and leaves it to the next if it is of the journal", () => {
    const { loop, events, gap } = gapTest();
    gap.awayMs = 59_000;
    loop.push({ type: "started" });
    gap.awayMs = 58_000;
    loop.push({ type: "journal", writable: true, detail: "", unsent: [] });
    expect(events.map(({ type }) => type)).toEqual(["started", "journal"]);
    loop.push({ type: "tick" });
    expect(events[2]).toMatchObject({ type: "resumed", awayMs: 58_000 });
  });
});

describe("a commit that fails", () => {
  it("sends no action, tells the core, and probes go on", () => {
    const test = loopTest();
    const confirming = upToConfirmation(test);
    expect(test.effects.map(({ type }) => type)).toEqual(["probe"]);
    test.diskProblem = "disk full";
    test.log.length = 0;
    test.loop.push(confirming);
    expect(test.log).not.toContain("act");
    expect(test.log.slice(0, 4)).toEqual([
      "commit fails",
      "publish observed",
      "commit fails",
      "publish journal",
    ]);
    expect(remediations(test.loop)).toEqual(["r1 rejected"]);
    expect(kills(test.loop)).toEqual(["journal"]);
    expect(test.loop.journalWritable()).toBe(false);
  });

  it("tells the core once, and what waited is written when the journal works again", () => {
    const test = loopTest();
    const confirming = upToConfirmation(test);
    test.diskProblem = "disk full";
    test.loop.push(confirming);
    const failedAt = test.now;
    for (let count = 0; count < 3; count += 1) {
      test.now += 1_000;
      test.loop.push({ type: "tick" });
    }
    expect(test.log.filter((entry) => entry === "publish journal")).toHaveLength(1);
    expect([...test.rows.keys()]).not.toContain("remediation r1");
    test.diskProblem = undefined;
    test.now += 1_000;
    test.loop.push({ type: "tick" });
    expect(test.loop.journalWritable()).toBe(true);
    expect(kills(test.loop)).toEqual([]);
    expect(test.rows.get("remediation r1")?.value).toMatchObject({ state: "rejected" });
    const refused = test.findings.find(
      ({ finding }) => finding.type === "remediation" && finding.remediation.state === "rejected",
    );
    // It is told when it happened, not when it could be written.
    expect(refused?.at).toBe(failedAt);
    // The rows are the state: a restart would go on from the same.
    expect(test.rows.get("counter at")?.value).toBe(test.loop.state().at);
  });
});

describe("a bug in the core", () => {
  it("goes back to what was committed, stops all actions, and alerts on", () => {
    const test = loopTest();
    const confirming = upToConfirmation(test);
    test.loop.push(poison(test.now));
    expect(test.bugs).toEqual([
      { message: expect.stringContaining("undeclared"), event: "observed", fatal: false },
    ]);
    expect(kills(test.loop)).toEqual(["bug"]);
    expect(test.rows.has("kill bug")).toBe(true);
    test.loop.push(confirming);
    test.loop.push(reading("disabled", test.now));
    expect(test.effects.map(({ type }) => type)).not.toContain("act");
    test.now += 60_000;
    test.loop.push(reading("enabled", test.now));
    const [alert] = test.loop.state().tables.alert.values();
    expect(alert?.state).toBe("resolved");
  });

  it("does not let the half-changed state get into the journal", () => {
    const test = loopTest();
    upToConfirmation(test);
    test.diskProblem = "disk full";
    test.now += 1_000;
    const seen = [exchange("BINANCE", "enabled"), exchange("KUCOIN", "enabled")];
    test.loop.push(observed("exchanges", [partOf("all", test.now, seen)]));
    test.loop.push(poison(test.now));
    test.diskProblem = undefined;
    test.now += 1_000;
    test.loop.push({ type: "tick" });
    // What was not written is forgotten in memory and on disk alike: both say the same.
    const entities = Object.fromEntries(test.loop.state().tables.entity);
    const written = restore(structuredClone([...test.rows.values()])).tables.entity;
    expect(Object.fromEntries(written)).toEqual(entities);
    expect(Object.keys(entities)).not.toContain("bsc/exchange/KUCOIN");
    expect(test.loop.state().tables.entity.get("bsc/exchange/BINANCE")?.facts["status"]).toBe(
      "disabled",
    );
    expect(kills(test.loop)).toEqual(["bug"]);
  });

  it("while the journal cannot be written leaves both reasons in sight", () => {
    const test = loopTest();
    upToConfirmation(test);
    test.diskProblem = "disk full";
    test.loop.push(reading("enabled", test.now));
    expect(kills(test.loop)).toEqual(["journal"]);
    test.loop.push(poison(test.now));
    expect(kills(test.loop).toSorted()).toEqual(["bug", "journal"]);
    expect(test.loop.journalWritable()).toBe(false);
  });

  it("does not take time back, although the state is that of a while ago", () => {
    const times = [START, START, START + 10_000, START + 4_000];
    const instants: number[] = [];
    const { loop } = loopTest(actingPolicy(), {
      clock: { now: () => times.shift() ?? START + 5_000 },
      publish: (_event, _result, at) => void instants.push(at),
    });
    loop.push({ type: "started" });
    loop.push(poison(START));
    loop.push({ type: "tick" });
    expect(instants).toEqual([START, START + 10_000, START + 10_000, START + 10_000]);
  });

  it("that comes again and again is fatal, and nothing is decided after that", () => {
    const test = loopTest();
    test.loop.push({ type: "started" });
    for (let count = 0; count < MOST_BUGS + 1; count += 1) test.loop.push(poison(test.now));
    expect(test.bugs.map(({ fatal }) => fatal)).toEqual([false, false, false, true]);
    test.log.length = 0;
    test.loop.push({ type: "tick" });
    test.loop.push(poison(test.now));
    expect(test.log).toEqual([]);
    expect(test.bugs).toHaveLength(MOST_BUGS + 1);
  });

  it("now and then is not fatal: what was more than an hour ago does not count", () => {
    const test = loopTest();
    test.loop.push({ type: "started" });
    for (let count = 0; count < 3 * MOST_BUGS; count += 1) {
      test.loop.push(poison(test.now));
      test.now += BUG_WINDOW / MOST_BUGS;
    }
    expect(test.bugs.filter(({ fatal }) => fatal)).toEqual([]);
    for (let count = 0; count < 2; count += 1) test.loop.push(poison(test.now));
    expect(test.bugs.at(-1)).toMatchObject({ fatal: true });
  });

  it("does not make an unchecked journal a sound one", () => {
    const test = loopTest();
    test.loop.push({ type: "started", journal: "unchecked" });
    test.loop.push(poison(test.now));
    expect(test.loop.state().journalUnchecked).toBe(true);
    test.loop.push({ type: "journal_checked" });
    test.loop.push(poison(test.now));
    expect(test.loop.state().journalUnchecked).toBe(false);
  });

  it("in what is shown does not end the loop either", () => {
    let broken = true;
    const test = loopTest(actingPolicy(), {
      publish: (event: Event) => {
        if (event.type === "tick" && broken) throw new Error("cannot be shown");
      },
    });
    test.loop.push({ type: "started" });
    test.loop.push({ type: "tick" });
    broken = false;
    test.loop.push({ type: "tick" });
    expect(test.bugs).toEqual([{ message: "cannot be shown", event: "tick", fatal: false }]);
    expect(kills(test.loop)).toEqual(["bug"]);
  });

  it("with a journal that cannot be read back is fatal at once", () => {
    let readable = true;
    const test = loopTest(actingPolicy(), {
      journal: {
        rows: () => {
          if (!readable) throw new Error("disk gone");
          return [];
        },
        commit: () => ({ ok: true, value: undefined }),
      },
    });
    test.loop.push({ type: "started" });
    readable = false;
    test.loop.push(poison(test.now));
    expect(test.bugs.map(({ message, fatal }) => [message, fatal])).toEqual([
      [expect.stringContaining("undeclared"), false],
      ["disk gone", true],
    ]);
    expect(test.loop.defect()).toEqual(expect.stringContaining("undeclared"));
  });
});

describe("with the real journal", () => {
  it("a restart goes on from what was committed: what was requested is in doubt, not sent again", () => {
    const directory = temporaryDirectory();
    try {
      const first = openJournal(directory.path);
      if (!first.ok) throw new Error(first.problem);
      const before = loopTest(actingPolicy(), { journal: first.value });
      before.loop.push(upToConfirmation(before));
      expect(before.effects.at(-1)?.type).toBe("act");
      first.value.close();

      const second = openJournal(directory.path);
      if (!second.ok) throw new Error(second.problem);
      const after = loopTest(actingPolicy(), { journal: second.value });
      // The clock of the new process is behind: instants go on from the journal's last one.
      after.now = START - 60_000;
      after.loop.push({ type: "started" });
      expect(after.loop.state().at).toBe(before.loop.state().at);
      expect(remediations(after.loop)).toEqual(["r1 in_doubt"]);
      after.now = before.now + 1_000;
      after.loop.push(reading("disabled", after.now));
      expect(after.effects.map(({ type }) => type)).not.toContain("act");
      after.now += 1_000;
      after.loop.push(reading("enabled", after.now, "probe"));
      expect(remediations(after.loop)).toEqual(["r1 verified"]);
      const newest = second.value
        .findings(50)
        .find(({ finding }) => finding.type === "remediation");
      expect(newest?.finding).toMatchObject({ remediation: { id: "r1", state: "verified" } });
      second.value.close();
    } finally {
      directory.remove();
    }
  });
});

describe("other rules and settings", () => {
  it("are decided by from then on, in one event that is committed like any other", () => {
    const test = loopTest();
    upToConfirmation(test);
    test.log.length = 0;
    const next = policyOf([]);
    const result = test.loop.reload(next, []);
    expect(test.loop.policy()).toBe(next);
    expect(test.log).toEqual(["commit", "publish policy_changed"]);
    expect(result?.findings).toMatchObject([
      { type: "policy", added: [], removed: ["ExchangeDisabled"], changed: [] },
      { type: "alert", change: "resolved" },
    ]);
    expect(test.findings.map(({ finding }) => finding.type)).toContain("policy");
  });

  it("go before what waits, except if an aggregator is left or moves", async () => {
    const named = (name: string): Policy => {
      const [one] = actingPolicy().aggregators;
      if (one === undefined) throw new Error("no aggregator");
      return { ...actingPolicy(), aggregators: [{ ...one, name }] };
    };
    const orderOf = async (next: Policy, moved: readonly string[]): Promise<string[]> => {
      const test = slicedTest(named("bsc"));
      await test.loop.idle();
      test.log.length = 0;
      test.loop.push(observed("exchanges", [partOf("all", test.now, MANY)]));
      test.loop.push(observed("exchanges", [partOf("all", test.now, MANY)]));
      expect(test.loop.isBusy()).toBe(true);
      expect(test.loop.reload(next, moved)).toBeDefined();
      await test.loop.caughtUp();
      return test.log.filter((entry) => entry.startsWith("publish"));
    };
    const [read, changed] = ["publish observed", "publish policy_changed"];
    expect(await orderOf(named("bsc"), [])).toEqual([read, changed, read]);
    expect(await orderOf(named("other"), [])).toEqual([read, read, changed]);
    expect(await orderOf(named("bsc"), ["bsc"])).toEqual([read, read, changed]);
  });

  it("come into force although the journal cannot be written", () => {
    const test = loopTest();
    test.loop.push({ type: "started" });
    test.diskProblem = "full";
    const next = policyOf([]);
    expect(test.loop.reload(next, [])).toBeDefined();
    expect(test.loop.policy()).toBe(next);
    expect(test.loop.journalWritable()).toBe(false);
  });

  it("leave those before in force if taking them over fails", () => {
    const test = loopTest();
    upToConfirmation(test);
    const before = test.loop.policy();
    const broken = rule({ alert: "Broken", hash: "broken" });
    const throwing = {
      ...broken,
      when: {
        ...broken.when,
        judge: () => {
          throw new Error("a bug");
        },
      },
    };
    expect(test.loop.reload(policyOf([throwing]), [])).toBeUndefined();
    expect(test.loop.policy()).toBe(before);
    expect(test.bugs).toMatchObject([{ message: "a bug", event: "policy_changed", fatal: false }]);
  });
});

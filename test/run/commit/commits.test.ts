import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Alert } from "../../../src/domain/alert.ts";
import type { Event } from "../../../src/domain/step.ts";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import type { JournalReading } from "../../../src/io/journal/past.ts";
import type { TimeSlice } from "../../../src/io/process/time-slice.ts";
import type { Kept } from "../../../src/run/commit/loop-journal.ts";
import { createRecorder } from "../../../src/record/recorder.ts";
import { MOST_FORGOTTEN } from "../../../src/run/commit/group-commits.ts";
import { createUnitJournal } from "../../../src/run/commit/unit-journal.ts";
import { createLoopSource } from "../../../src/run/loop-source.ts";
import type { LoopDependencies } from "../../../src/run/loop.ts";
import { exchange } from "../../core/fixtures.ts";
import { observed, partOf } from "../../core/readings.ts";
import {
  actingPolicy,
  loopTest,
  reading,
  START,
  upToConfirmation,
  type LoopTest,
} from "../loop-world.ts";
import { FATES, parkedJournal, type Fate, type ParkedJournal } from "./parked-journal.ts";

/** A loop whose journal answers when it is told to. */
function sharedTest(change: Partial<LoopDependencies> = {}) {
  const journal = parkedJournal();
  const fenced: string[] = [];
  const unit = createUnitJournal(journal.shared, { rows: [], stamp: journal.stamp });
  const onFenced = (detail: string): void => void fenced.push(detail);
  return {
    journal,
    fenced,
    test: loopTest(actingPolicy(), { journal: unit, onFenced, ...change }),
  };
}

/** A long event that has begun never gets its second slice. */
const STANDING: TimeSlice = {
  begin: () => undefined,
  isOver: () => true,
  next: async () => await new Promise(() => undefined),
};

/** An operator's command; gives what becomes of it, once that is known. */
function killed({ loop }: LoopTest): { readonly kept: () => Kept | undefined } {
  const command = { name: "kill", source: "operator" } as const;
  const asked = loop.ask({ type: "command", by: "ann", reason: "", command });
  let kept: Kept | undefined;
  void Promise.resolve(asked?.kept).then((found) => (kept = found));
  return { kept: () => kept };
}

async function answerAll(journal: ParkedJournal): Promise<void> {
  while (await journal.answer());
}

/** What a row is at the end; state and journal must agree on it. */
function rowsOf({ loop }: LoopTest): Record<string, unknown> {
  const rows = Object.entries(loop.state().tables).flatMap(([table, own]) =>
    [...own].map(([key, value]) => [`${table} ${key}`, value] as const),
  );
  return Object.fromEntries(rows);
}

function storedRows({ rows }: ParkedJournal): Record<string, unknown> {
  return Object.fromEntries([...rows].map(([key, { value }]) => [key, value] as const));
}

describe("a journal that answers later", () => {
  it("has an event's effects performed after its own commit, and not before", async () => {
    const { journal, test } = sharedTest();
    const confirming = upToConfirmation(test);
    await answerAll(journal);
    test.log.length = 0;
    test.loop.push(confirming);
    expect(test.log).toEqual([]);
    await journal.answer();
    expect(test.log).toEqual(["publish observed", "act"]);
    expect(journal.rows.get("remediation r1")?.value).toMatchObject({ state: "requested" });
  });

  it("goes on deciding while a commit is under way, and commits what gathers together", async () => {
    const { journal, test } = sharedTest();
    test.loop.push({ type: "started" });
    for (let second = 1; second <= 5; second += 1) {
      test.now = START + second * 1_000;
      test.loop.push(reading(second % 2 === 0 ? "enabled" : "disabled", test.now));
    }
    expect(test.loop.state().at).toBe(START + 5_000);
    expect(journal.commits).toBe(1);
    expect(test.log).toEqual([]);
    await answerAll(journal);
    expect(journal.commits).toBe(2);
    expect(test.instants).toEqual([0, 1, 2, 3, 4, 5].map((second) => START + second * 1_000));
  });

  it("answers whoever asks when what was asked for is on disk", async () => {
    const { journal, test } = sharedTest();
    test.loop.push({ type: "started" });
    const { kept } = killed(test);
    await journal.answer();
    expect(kept()).toBeUndefined();
    await journal.answer();
    expect(kept()).toBe("durable");
    expect(journal.rows.has("kill operator")).toBe(true);
  });

  it("commits what waits before the process ends", async () => {
    const { journal, test } = sharedTest();
    const confirming = upToConfirmation(test);
    test.loop.push(confirming);
    const ended = test.loop.end();
    await answerAll(journal);
    await ended;
    expect(storedRows(journal)).toEqual(rowsOf(test));
  });

  it("has ended only when the rest of the record is on disk", async () => {
    const { aggregators } = actingPolicy();
    const { journal, test } = sharedTest({ recorder: createRecorder(() => aggregators) });
    test.loop.push(reading("enabled", test.now));
    await answerAll(journal);
    test.now += 1_000;
    test.loop.push(reading("enabled", test.now));
    await answerAll(journal);
    const committed = journal.commits;
    let hasEnded = false;
    void Promise.resolve(test.loop.end()).then(() => (hasEnded = true));
    await new Promise(setImmediate);
    expect([hasEnded, journal.commits]).toEqual([false, committed + 1]);
    await answerAll(journal);
    expect(hasEnded).toBe(true);
  });

  it("says of a command that comes after its end that it was dropped", async () => {
    const { journal, test } = sharedTest();
    test.loop.push({ type: "started" });
    const ended = test.loop.end();
    await answerAll(journal);
    await ended;
    const command = { name: "kill", source: "operator" } as const;
    const asked = test.loop.ask({ type: "command", by: "ann", reason: "", command });
    expect(asked?.kept).toBe("dropped");
    expect(journal.rows.has("kill operator")).toBe(false);
  });

  it("says the same of one that comes after the lease was lost, and not that the core has a bug", async () => {
    const { journal, test } = sharedTest();
    test.loop.push({ type: "started" });
    await answerAll(journal);
    test.loop.abandon();
    const source = createLoopSource({
      loop: test.loop,
      clock: { now: () => test.now },
      journal: {} as JournalReading,
      lists: { sync: () => undefined, reading: () => [] },
    });
    const outcome = await source.command("ann", "", { name: "kill", source: "operator" });
    expect(outcome).toMatchObject({
      accepted: false,
      durable: false,
      detail: expect.stringMatching(/^nothing was done: another replica took over/),
    });
    await answerAll(journal);
    expect(journal.rows.has("kill operator")).toBe(false);
  });

  it("commits nothing more if another takes over while it ends, and says of what waits that it was dropped", async () => {
    const { journal, test } = sharedTest();
    test.loop.push({ type: "started" });
    const { kept } = killed(test);
    let hasEnded = false;
    void Promise.resolve(test.loop.end()).then(() => (hasEnded = true));
    test.loop.abandon();
    await answerAll(journal);
    expect([hasEnded, kept(), journal.commits]).toEqual([true, "dropped", 1]);
    expect(journal.rows.has("kill operator")).toBe(false);
  });

  it("ends, though what waited for the last commit has nothing to write", async () => {
    const { journal, test } = sharedTest();
    test.loop.push(upToConfirmation(test));
    await answerAll(journal);
    test.now += 1_000;
    test.loop.push(reading("enabled", test.now));
    test.loop.push({ type: "tick" });
    let hasEnded = false;
    void Promise.resolve(test.loop.end()).then(() => (hasEnded = true));
    await answerAll(journal);
    expect(hasEnded).toBe(true);
    expect(storedRows(journal)).toEqual(rowsOf(test));
  });
});

it("says at its end which commands were never written, the newest of a great many", async () => {
  const forgotten: string[] = [];
  const { journal, test } = sharedTest({
    onForgotten: (commands) =>
      void forgotten.push(
        ...commands.flatMap(({ event }) => (event.type === "command" ? [event.reason] : [])),
      ),
  });
  const command = { name: "kill", source: "operator" } as const;
  const reasons = Array.from({ length: MOST_FORGOTTEN + 2 }, (_, index) => `reason ${index}`);
  for (const reason of reasons) test.loop.push({ type: "command", by: "ann", reason, command });
  while (await journal.answer("refused")) if (journal.commits > 3) break;
  test.loop.abandon();
  expect(forgotten).toEqual(reasons.slice(2));
  test.loop.abandon();
  expect(forgotten).toHaveLength(MOST_FORGOTTEN);
});

it("says at its end of no command that was written with a later commit that it was lost", async () => {
  const forgotten: unknown[] = [];
  const onForgotten: LoopDependencies["onForgotten"] = (commands) => forgotten.push(...commands);
  const { journal, test } = sharedTest({ onForgotten });
  test.loop.push({ type: "started" });
  await answerAll(journal);
  killed(test);
  await journal.answer("refused");
  await answerAll(journal);
  expect(journal.rows.has("kill operator")).toBe(true);
  test.loop.abandon();
  expect(forgotten).toEqual([]);
});

it("commits one thing at a time at the end, also if a commit fails just then", async () => {
  const { journal, test } = sharedTest();
  test.loop.push(upToConfirmation(test));
  await answerAll(journal);
  test.now += 1_000;
  test.loop.push(reading("enabled", test.now));
  let hasEnded = false;
  void Promise.resolve(test.loop.end()).then(() => (hasEnded = true));
  // That the journal cannot be written is an event, and is committed before the rest.
  await journal.answer("refused");
  expect(hasEnded).toBe(false);
  await answerAll(journal);
  expect(hasEnded).toBe(true);
  expect(storedRows(journal)).toEqual(rowsOf(test));
});

describe("a commit whose outcome is not known", () => {
  const upToCommit = async () => {
    const world = sharedTest();
    const confirming = upToConfirmation(world.test);
    await answerAll(world.journal);
    world.test.loop.push(confirming);
    return world;
  };
  const sent = ({ effects }: LoopTest) => effects.filter(({ type }) => type === "act").length;

  it("is read, and counts if it is there", async () => {
    const { journal, test } = await upToCommit();
    const { commits } = journal;
    await journal.answer("after");
    expect(sent(test)).toBe(0);
    await journal.answer();
    expect([sent(test), journal.commits]).toEqual([1, commits]);
    await answerAll(journal);
    expect(test.loop.journalWritable()).toBe(true);
  });

  it("is tried once more if it is not there: a lost connection neither stops acting nor slows it down", async () => {
    const { journal, test } = await upToCommit();
    await journal.answer("before");
    await journal.answer();
    expect(sent(test)).toBe(0);
    await journal.answer();
    expect(sent(test)).toBe(1);
    await answerAll(journal);
    expect(test.loop.journalWritable()).toBe(true);
    expect(test.loop.state().tables.storm.size).toBe(0);
    expect(storedRows(journal)).toEqual(rowsOf(test));
  });

  it("sends no action if it is not there the second time either, and counts that as an attempt", async () => {
    const { journal, test } = await upToCommit();
    await journal.answer("before");
    await journal.answer();
    await journal.answer("before");
    await answerAll(journal);
    expect(sent(test)).toBe(0);
    expect(journal.rows.get("remediation r1")?.value).toMatchObject({ state: "rejected" });
    const { tables } = test.loop.state();
    expect([...tables.alert.values()][0]?.attempts).toBe(1);
    // Acting begins again with one action, as after every journal that could not be written.
    expect([...tables.storm.keys()]).toEqual(["*|*"]);
    expect(storedRows(journal)).toEqual(rowsOf(test));
  });

  it("is read before anything else is committed, also if it could not be read at first", async () => {
    const { journal, test } = await upToCommit();
    const before = journal.findings.length;
    const { commits } = journal;
    await journal.answer("after");
    await journal.answer("refused");
    expect([sent(test), journal.commits]).toEqual([0, commits]);
    test.now += 1_000;
    test.loop.push({ type: "tick" });
    await answerAll(journal);
    expect(storedRows(journal)).toEqual(rowsOf(test));
    const found = journal.findings.slice(before).map((one) => JSON.stringify(one));
    expect(found.length).toBeGreaterThan(2);
    expect(new Set(found).size).toBe(found.length);
  });

  it("is read once: what comes when that is known is committed without", async () => {
    const { journal, test } = await upToCommit();
    await journal.answer("after");
    await answerAll(journal);
    test.loop.push(reading("enabled", test.now));
    const { sequence } = journal.stamp;
    await journal.answer();
    expect(journal.stamp.sequence).toBe(sequence + 1);
  });

  it("has nothing committed while it cannot be read, and that is no other owner's doing", async () => {
    const { journal, test, fenced } = await upToCommit();
    await journal.answer("after");
    await journal.answer("refused");
    const { commits } = journal;
    await journal.answer("refused");
    expect(journal.commits).toBe(commits);
    test.loop.push(reading("enabled", test.now));
    await answerAll(journal);
    expect(fenced).toEqual([]);
    expect(storedRows(journal)).toEqual(rowsOf(test));
  });

  it("is settled while later steps change the same rows, and none of that is in what waited", async () => {
    const { journal, test } = await upToCommit();
    await journal.answer("after");
    await journal.answer("refused");
    // This record waits until the one before is settled.
    test.now += 1_000;
    test.loop.push(reading("disabled", test.now));
    test.now += 1_000;
    test.loop.push(reading("enabled", test.now));
    await journal.answer();
    await journal.answer();
    const states = ({ rows }: Pick<ParkedJournal, "rows">) =>
      [...rows.values()].flatMap(({ table, value }) =>
        table === "alert" ? (value as Alert).state : [],
      );
    expect([...test.loop.state().tables.alert.values()][0]?.state).toBe("resolved");
    expect(states(journal)).toEqual(["firing"]);
  });

  it.each<Fate>(["before", "after"])(
    "drops everything if it broke %s it was written, and another has the lease of this epoch",
    async (fate) => {
      const { journal, test, fenced } = await upToCommit();
      await journal.answer(fate);
      journal.stamp = { ...journal.stamp, isOthers: true };
      await answerAll(journal);
      expect(sent(test)).toBe(0);
      expect(fenced).toEqual([
        expect.stringContaining("the lease of the epoch 1 is not this replica's"),
      ]);
    },
  );

  it("leaves out of the next record what it turns out to have written, pages of the record too", async () => {
    const journal = parkedJournal();
    const records: JournalRecord[] = [];
    const commit: ParkedJournal["shared"]["commit"] = async (record, fence) => {
      records.push(record);
      return await journal.shared.commit(record, fence);
    };
    const shared = { ...journal.shared, commit };
    const unit = createUnitJournal(shared, { rows: [], stamp: journal.stamp });
    const page = (body: string) => ({ at: START, until: START, whole: true, body });
    const [first, second] = [page("[1]"), page("[2]")];
    const record = { at: START, changes: [], findings: [] };
    const refused = unit.commitLater({ ...record, pages: [first] });
    await journal.answer("after");
    await journal.answer("refused");
    expect(await refused).toMatchObject({ ok: false, problem: { isUnknown: true } });
    const committed = unit.commitLater({ ...record, pages: [first, second] });
    await answerAll(journal);
    expect((await committed).ok).toBe(true);
    expect(records.map(({ pages }) => pages)).toEqual([[first], [second]]);
  });

  it("drops everything if another took over meanwhile", async () => {
    const { journal, test, fenced } = await upToCommit();
    journal.stamp = { ...journal.stamp, epoch: 2 };
    test.log.length = 0;
    test.loop.push({ type: "tick" });
    await answerAll(journal);
    test.loop.push({ type: "tick" });
    expect(test.log).toEqual([]);
    expect(fenced).toEqual(["the lease has the epoch 2 now, and this replica had 1"]);
  });

  it.each([
    [
      { epoch: 1, sequence: 0 },
      /lost what it had acknowledged.* number 0 under the epoch 1, .*3 under 1 was/,
    ],
    [{ epoch: 0, sequence: 9 }, /lost what it had acknowledged.* under the epoch 0.* under 1 was/],
    [{ epoch: 1, sequence: 9 }, /another commits under the epoch 1.* is number 9, and ours 4/],
  ])("drops everything if the last commit is %o, which is not its own", async (stamp, why) => {
    const { journal, test, fenced } = await upToCommit();
    await answerAll(journal);
    expect(journal.stamp).toEqual({ epoch: 1, sequence: 3 });
    journal.stamp = stamp;
    test.now += 1_000;
    test.loop.push(reading("enabled", test.now));
    await answerAll(journal);
    expect(fenced).toEqual([expect.stringMatching(why)]);
    expect(journal.stamp).toEqual(stamp);
  });
});

describe("what a command is answered whose commit is under way when the lease is lost", () => {
  const underWay = async (change: Partial<LoopDependencies> = {}) => {
    const world = sharedTest(change);
    world.test.loop.push({ type: "started" });
    await answerAll(world.journal);
    return { ...world, ...killed(world.test) };
  };
  const takenOver = ({ stamp }: ParkedJournal) => ({ ...stamp, epoch: stamp.epoch + 1 });

  it("is that it is on disk, if the commit succeeded", async () => {
    const { journal, test, kept } = await underWay();
    test.loop.abandon();
    await answerAll(journal);
    expect(journal.rows.has("kill operator")).toBe(true);
    expect(kept()).toBe("durable");
  });

  it("is that it was dropped, if the commit came after the loss", async () => {
    const { journal, test, kept } = await underWay();
    test.loop.abandon();
    journal.stamp = takenOver(journal);
    await answerAll(journal);
    expect(journal.rows.has("kill operator")).toBe(false);
    expect(kept()).toBe("dropped");
  });

  it.each<[Fate, isWritten: boolean]>([
    ["after", true],
    ["before", false],
  ])("is unknown, if the connection broke %s the commit was written", async (fate, isWritten) => {
    const { journal, kept, fenced } = await underWay();
    await journal.answer(fate);
    journal.stamp = takenOver(journal);
    await answerAll(journal);
    expect(journal.rows.has("kill operator")).toBe(isWritten);
    expect(fenced).toHaveLength(1);
    expect(kept()).toBe("unknown");
  });

  it("is unknown, if the connection broke and nothing can be read either", async () => {
    const { journal, test, kept } = await underWay();
    await journal.answer("after");
    test.loop.abandon();
    await journal.answer("refused");
    expect(kept()).toBe("unknown");
  });

  it.each<Fate>(["well", "refused", "before"])(
    "is unknown, if the first attempt was not there yet and the second goes so: %s",
    async (fate) => {
      const { journal, test, kept } = await underWay();
      await journal.answer("before");
      await journal.answer();
      test.loop.abandon();
      if (fate === "well") journal.stamp = takenOver(journal);
      await journal.answer(fate);
      await answerAll(journal);
      expect(kept()).toBe("unknown");
    },
  );

  it.each<[Kept, fates: readonly Fate[]]>([
    ["durable", ["well"]],
    ["dropped", ["refused"]],
    ["unknown", ["after", "refused"]],
  ])(
    "is %s, if the commit went so, and a long event was being handled: %o",
    async (said, fates) => {
      const { journal, test, kept } = await underWay({ slice: STANDING });
      const names = Array.from({ length: 100 }, (_, index) => exchange(`E${index}`, "enabled"));
      test.loop.push(observed("exchanges", [partOf("all", test.now, names)]));
      expect(test.loop.isBusy()).toBe(true);
      for (const fate of fates) await journal.answer(fate);
      expect(kept()).toBeUndefined();
      test.loop.abandon();
      await answerAll(journal);
      expect(kept()).toBe(said);
      expect(test.log).not.toContain("publish command");
    },
  );

  it("is that it was dropped, if only the commit before is unknown", async () => {
    const { journal, test, kept: before } = await underWay();
    await journal.answer("after");
    await journal.answer("refused");
    expect(before()).toBe("unrecorded");
    const { kept } = killed(test);
    // That the journal cannot be written is an event, and is committed before the command.
    await journal.answer("refused");
    journal.stamp = takenOver(journal);
    await answerAll(journal);
    expect(kept()).toBe("dropped");
  });
});

const happening = fc.oneof(
  fc.constantFrom("disabled" as const, "enabled" as const, "confirmed" as const),
  fc.constant("tick" as const),
  fc.constant("commit" as const),
);

/** The same story told to any loop: an event each half second. */
function tell(test: LoopTest, what: "disabled" | "enabled" | "confirmed" | "tick"): void {
  test.now += 500;
  const events: Record<typeof what, Event> = {
    disabled: reading("disabled", test.now),
    enabled: reading("enabled", test.now),
    confirmed: reading("disabled", test.now, "probe"),
    tick: { type: "tick" },
  };
  test.loop.push(events[what]);
}

describe("whenever commits are answered", () => {
  it("all is decided, committed and done as with a journal that answers at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40 }), async (story) => {
        const atOnce = loopTest();
        const { journal, test } = sharedTest();
        for (const one of [atOnce, test]) one.loop.push({ type: "started" });
        for (const what of story) {
          if (what === "commit") await journal.answer();
          else for (const one of [atOnce, test]) tell(one, what);
        }
        await answerAll(journal);
        expect(storedRows(journal)).toEqual(rowsOf(atOnce));
        expect(test.effects).toEqual(atOnce.effects);
        expect(test.instants).toEqual(atOnce.instants);
        expect(journal.findings).toEqual(atOnce.findings);
      }),
    );
  });

  it("and however they go, no action is sent before its own commit, and all is on disk in the end", async () => {
    const answered = fc.constantFrom<Fate>(...FATES).map((fate) => ({ fate }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(happening, answered), { maxLength: 60 }),
        async (story) => {
          const { journal, test } = sharedTest();
          test.loop.push({ type: "started" });
          let checked = 0;
          for (const what of story) {
            // Here and at the end: so that no two findings are alike, as those before and after an outage that
            // begins and ends in one millisecond are.
            test.now += 1;
            if (typeof what === "object") await journal.answer(what.fate);
            else if (what === "commit") await journal.answer();
            else tell(test, what);
            for (const effect of test.effects.slice(checked))
              if (effect.type === "act")
                expect(journal.rows.has(`remediation ${effect.remediation}`)).toBe(true);
            checked = test.effects.length;
          }
          const answerEach = async (): Promise<void> => {
            do test.now += 1;
            while (await journal.answer());
          };
          await answerEach();
          for (let last = 0; last < 2; last += 1) {
            tell(test, "tick");
            await answerEach();
          }
          expect(test.loop.journalWritable()).toBe(true);
          expect(storedRows(journal)).toEqual(rowsOf(test));
          const found = journal.findings.map((one) => JSON.stringify(one));
          expect(new Set(found).size).toBe(found.length);
          const acts = test.effects.filter(({ type }) => type === "act");
          expect(new Set(acts).size).toBe(acts.length);
        },
      ),
      {
        examples: [
          [
            [
              "disabled",
              { fate: "before" },
              "disabled",
              "commit",
              { fate: "before" },
              "enabled",
              "disabled",
            ],
          ],
        ],
      },
    );
  });
});

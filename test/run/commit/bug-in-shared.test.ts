/** Tests src/run/bug-recovery.ts with a journal that is shared, and so is read again by the next owner alone. */
import { describe, expect, it, vi } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import type { CommandOutcome } from "../../../src/io/api/server-source.ts";
import type { JournalReading } from "../../../src/io/journal/past.ts";
import { createUnitJournal } from "../../../src/run/commit/unit-journal.ts";
import { createLoopSource } from "../../../src/run/loop-source.ts";
import { channel } from "../../core/tell/channels.ts";
import { actingPolicy, loopTest, poison, upToConfirmation } from "../loop-world.ts";
import { parkedJournal, type ParkedJournal } from "./parked-journal.ts";

const CHANNELS = [channel("hook", { topics: ["alerts"] })];

function ownerOf(journal: ParkedJournal) {
  const rows = [...journal.rows.values()];
  const unit = createUnitJournal(journal.shared, { rows, stamp: journal.stamp });
  const notify = { channels: CHANNELS, suppressedAfterMs: MINUTE, annotations: "live" } as const;
  return loopTest({ ...actingPolicy(), notify }, { journal: unit });
}

async function answerAll(journal: ParkedJournal): Promise<void> {
  while (await journal.answer());
}

describe("a bug in the core of an owner", () => {
  it("ends it at once, and is reported as what it is", async () => {
    const journal = parkedJournal();
    const test = ownerOf(journal);
    const confirming = upToConfirmation(test);
    await answerAll(journal);
    test.loop.push(poison(test.now));
    const message = expect.stringContaining("undeclared");
    expect(test.bugs).toEqual([{ message, event: "observed", fatal: true }]);
    expect(test.loop.defect()).toEqual(message);
    test.loop.push(confirming);
    await answerAll(journal);
    expect(test.effects.map(({ type }) => type)).not.toContain("act");
  });

  it("ends when the commit that was under way is answered, as the lease is given back then", async () => {
    const journal = parkedJournal();
    const test = ownerOf(journal);
    test.loop.push({ type: "started" });
    test.loop.push(poison(test.now));
    const ended = vi.fn<() => void>();
    const ending = Promise.resolve(test.loop.end()).then(ended);
    await Promise.resolve();
    expect(ended).not.toHaveBeenCalled();
    await journal.answer();
    await ending;
    expect(journal.stamp.sequence).toBe(1);
  });

  it("is what operators are answered, whether they ask before it or after", async () => {
    const journal = parkedJournal();
    const test = ownerOf(journal);
    test.loop.push({ type: "started" });
    const source = createLoopSource({
      loop: test.loop,
      clock: { now: () => test.now },
      journal: {} as JournalReading,
      lists: { sync: () => undefined, reading: () => [] },
    });
    const command = async (): Promise<CommandOutcome> =>
      await source.command("ann", "", { name: "kill", source: "operator" });
    // The first commit is under way, so this one waits.
    const before = command();
    test.loop.push(poison(test.now));
    const detail = expect.stringMatching(
      /^nothing was done: there was a bug in the core \(.*undeclared.*\)/,
    );
    expect(await before).toMatchObject({ accepted: false, durable: false, detail });
    expect(await command()).toMatchObject({ accepted: false, durable: false, detail });
  });

  it("loses no alert that was on disk: the next owner notifies of it", async () => {
    const journal = parkedJournal();
    const test = ownerOf(journal);
    upToConfirmation(test);
    // The alert is in the commit after the first.
    await journal.answer();
    test.loop.push(poison(test.now));
    await answerAll(journal);
    expect(test.effects.map(({ type }) => type)).not.toContain("notify");
    const next = ownerOf(journal);
    next.loop.push({ type: "started" });
    await answerAll(journal);
    next.now = test.now + MINUTE;
    next.loop.push({ type: "tick" });
    await answerAll(journal);
    expect(next.effects).toMatchObject([{ type: "notify", batch: { channel: "hook" } }]);
  });
});

import { describe, expect, it } from "vitest";
import type { Change, Finding, StepResult } from "../../../src/domain/step.ts";
import type { PollOutcome } from "../../../src/domain/observation.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import { createBacklog, MOST_WAITING_FINDINGS } from "../../../src/run/commit/backlog.ts";

const killed = (detail: string): Finding => ({
  type: "kill",
  source: "operator",
  on: true,
  detail,
});

const poll = (outcome: PollOutcome, origin: "poll" | "probe" = "poll"): Finding => ({
  type: "polled",
  aggregator: "bsc",
  poller: "exchanges",
  origin,
  outcome,
  durationMs: 1,
  detail: "",
});
const polled = poll("complete");

const result = (changes: readonly Change[], findings: readonly Finding[]): StepResult => ({
  changes,
  findings,
  effects: [],
});

/** A journal that notes what it is given, and fails while it is `full`. */
function notedJournal() {
  const journal = { full: false, records: [] as JournalRecord[] };
  const backlog = createBacklog();
  return {
    journal,
    backlog: {
      ...backlog,
      commit: (of: StepResult, at: Instant): void => {
        toEnd(backlog.note(of, at));
        const record = backlog.take(at);
        if (record === undefined) return;
        journal.records.push(record);
        backlog.settle(!journal.full);
      },
    },
  };
}

describe("the backlog", () => {
  it("writes of polls when a poller began to fail, got worse, and was well again, and no more", () => {
    const { journal, backlog } = notedJournal();
    const outcomes: readonly PollOutcome[] = [
      ...(["complete", "partial", "partial", "failed", "failed", "partial"] as const),
      ...Array.from({ length: 20 }, () => "complete" as const),
    ];
    for (const [index, outcome] of outcomes.entries()) {
      backlog.commit(result([], [poll(outcome)]), index * 10_000);
      backlog.commit(result([], [poll("failed", "probe")]), index * 10_000 + 1);
    }
    const written = journal.records.flatMap(({ findings }) =>
      findings.map(({ at, finding }) => [at, finding.type === "polled" && finding.outcome]),
    );
    expect(written).toEqual([
      [10_000, "partial"],
      [30_000, "failed"],
      [60_000, "complete"],
    ]);
  });

  it("writes that a poller was well again when it was, unless it fails again and again", () => {
    const { journal, backlog } = notedJournal();
    const failing = new Set([0, 2, 4, 6, 8, 10, 12, 100]);
    for (let second = 0; second <= 200; second += 1)
      backlog.commit(
        result([], [poll(failing.has(second) ? "failed" : "complete")]),
        second * 1_000,
      );
    const written = journal.records.flatMap(({ findings }) =>
      findings.map(({ at, finding }) => [at / 1_000, finding.type === "polled" && finding.outcome]),
    );
    const at = [0, 2, 4, 6, 8].flatMap((second) => [
      [second, "failed"],
      [second + 1, "complete"],
    ]);
    expect(written).toEqual([
      ...at,
      [10, "failed"],
      [72, "complete"],
      [100, "failed"],
      [160, "complete"],
    ]);
  });

  it("spares a poller no more at once after a long time in which it was well", () => {
    const { journal, backlog } = notedJournal();
    backlog.commit(result([], [poll("failed")]), 0);
    backlog.commit(result([], [poll("complete")]), 1_000);
    const day = 24 * 60 * 60;
    for (let second = day; second < day + 20; second += 1)
      backlog.commit(result([], [poll(second % 2 === 0 ? "failed" : "complete")]), second * 1_000);
    const later = journal.records.filter(({ at }) => at >= day * 1_000);
    // Five times that it failed and was well, and that it fails again.
    expect(later).toHaveLength(11);
  });

  it("takes a poll that is cut short for as bad as one of which a part is missing", () => {
    const { journal, backlog } = notedJournal();
    for (const [second, outcome] of (["partial", "truncated", "partial"] as const).entries())
      backlog.commit(result([], [poll(outcome)]), second * 1_000);
    expect(journal.records.map(({ at }) => at)).toEqual([0]);
  });

  it("writes two lines a minute at most of a poller that fails each other time", () => {
    const { journal, backlog } = notedJournal();
    const minutes = 30;
    for (let second = 0; second < minutes * 60; second += 1)
      backlog.commit(result([], [poll(second % 2 === 0 ? "failed" : "complete")]), second * 1_000);
    for (let second = 0; second < minutes * 60; second += 31)
      backlog.commit(
        result([], [poll(second % 2 === 0 ? "failed" : "complete")]),
        (minutes * 60 + second) * 1_000,
      );
    const lines = journal.records.flatMap(({ findings }) => findings).length;
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(2 * minutes);
  });

  it("writes of deliveries those that say something new, and no repeated failure", () => {
    const { journal, backlog } = notedJournal();
    const notified = (repeated: boolean): Finding => ({
      type: "notified",
      channel: "ops",
      outcome: "failed",
      count: 1,
      durationMs: 1,
      detail: "no answer",
      repeated,
    });
    backlog.commit(result([], [notified(false)]), 1);
    backlog.commit(result([], [notified(true)]), 2);
    expect(journal.records.flatMap(({ findings }) => findings.map(({ at }) => at))).toEqual([1]);
  });

  it("writes what changed and was found, except for how polls went", () => {
    const { journal, backlog } = notedJournal();
    backlog.commit(
      result([{ table: "counter", key: "at", value: 1 }], [polled, killed("a")]),
      1_000,
    );
    expect(journal.records).toEqual([
      {
        at: 1_000,
        changes: [{ table: "counter", key: "at", value: 1 }],
        findings: [{ at: 1_000, finding: killed("a") }],
      },
    ]);
  });

  it("does not trouble the disk with a step that changed nothing", () => {
    const { journal, backlog } = notedJournal();
    backlog.commit(result([], [polled]), 1);
    expect(journal.records).toEqual([]);
  });

  it("writes what waited with the next commit, the newest value of each row, once", () => {
    const { journal, backlog } = notedJournal();
    journal.full = true;
    backlog.commit(result([{ table: "counter", key: "at", value: 1 }], [killed("a")]), 1);
    backlog.commit(result([{ table: "counter", key: "at", value: 2 }], [killed("b")]), 2);
    journal.full = false;
    backlog.commit(result([], []), 3);
    backlog.commit(result([], []), 4);
    expect(journal.records.slice(2)).toEqual([
      {
        at: 3,
        changes: [{ table: "counter", key: "at", value: 2 }],
        findings: [
          { at: 1, finding: killed("a") },
          { at: 2, finding: killed("b") },
        ],
      },
    ]);
  });

  it("takes any number of findings of one step while the journal works", () => {
    const { journal, backlog } = notedJournal();
    const findings = Array.from({ length: 200_000 }, () => killed("one of many"));
    backlog.commit(result([], findings), 1);
    expect(journal.records[0]?.findings).toHaveLength(200_000);
  });

  it("keeps a bounded number of findings while it does not, the newest", () => {
    const { journal, backlog } = notedJournal();
    journal.full = true;
    const findings = Array.from({ length: MOST_WAITING_FINDINGS }, () => killed("old"));
    backlog.commit(result([], [killed("oldest"), ...findings]), 1);
    backlog.commit(result([], [killed("newest")]), 2);
    journal.full = false;
    backlog.commit(result([], []), 3);
    const written = journal.records.at(-1)?.findings ?? [];
    expect(written).toHaveLength(MOST_WAITING_FINDINGS);
    expect(written[0]?.finding).toEqual(killed("old"));
    expect(written.at(-1)).toEqual({ at: 2, finding: killed("newest") });
  });

  it("forgets changes when it is told to, and keeps what was found", () => {
    const { journal, backlog } = notedJournal();
    journal.full = true;
    backlog.commit(result([{ table: "kill", key: "bug", value: {} }], [killed("a")]), 1);
    backlog.dropChanges();
    journal.full = false;
    backlog.commit(result([], []), 2);
    expect(journal.records.at(-1)).toEqual({
      at: 2,
      changes: [],
      findings: [{ at: 1, finding: killed("a") }],
    });
  });

  it("has the newest value of a row that changed again while a commit failed that had it before", () => {
    const { backlog } = notedJournal();
    const counted = (value: number): StepResult =>
      result([{ table: "counter", key: "at", value }], []);
    toEnd(backlog.note(counted(1), 1));
    backlog.take(1);
    toEnd(backlog.note(counted(2), 2));
    backlog.settle(false);
    expect(backlog.take(3)?.changes).toEqual(counted(2).changes);
  });

  it("has what was found in its order, though a commit failed while more was found", () => {
    const { backlog } = notedJournal();
    toEnd(backlog.note(result([], [killed("a")]), 1));
    backlog.take(1);
    toEnd(backlog.note(result([], [killed("b")]), 2));
    backlog.settle(false);
    expect(backlog.take(3)?.findings.map(({ at }) => at)).toEqual([1, 2]);
  });

  it("keeps what came while a commit was under way for the next one", () => {
    const { backlog } = notedJournal();
    toEnd(backlog.note(result([], [killed("a")]), 1));
    backlog.take(1);
    toEnd(backlog.note(result([], [killed("b")]), 2));
    backlog.settle(true);
    expect(backlog.take(3)?.findings).toEqual([{ at: 2, finding: killed("b") }]);
  });
});

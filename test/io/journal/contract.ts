import { describe, expect, it, type TestContext } from "vitest";
import type { Alert } from "../../../src/domain/alert.ts";
import type { Result } from "../../../src/domain/result.ts";
import { STATE_TABLES, type Change, type Finding } from "../../../src/domain/step.ts";
import { DAY } from "../../../src/domain/time.ts";
import type { JournalRecord, StoredFinding } from "../../../src/io/journal/journal.ts";
import { FINDING_RETENTION, type JournalBounds } from "../../../src/io/journal/retention.ts";

import type { JournalPast } from "../../../src/io/journal/past.ts";
import { storedPage, type PackedPage } from "../../../src/io/journal/record-pages.ts";

/** What every journal does, wherever its rows are. */
export type Contracted = {
  readonly commit: (record: JournalRecord) => Promise<Result<void, unknown>>;
  /** In a process that starts again. */
  readonly rows: () => Promise<readonly Change[]>;
  readonly findings: (limit: number) => Promise<StoredFinding[]>;
  readonly historyOf: (alert: string, until: number) => Promise<StoredFinding[]>;
  readonly orders: (from: number, until: number) => Promise<StoredFinding[]>;
  readonly between: (
    ...args: Parameters<JournalPast["between"]>
  ) => Promise<ReturnType<JournalPast["between"]>>;
  readonly alertsAfter: (
    ...args: Parameters<JournalPast["alertsAfter"]>
  ) => Promise<ReturnType<JournalPast["alertsAfter"]>>;
  readonly restarts: (from: number, until: number) => Promise<ReturnType<JournalPast["restarts"]>>;
  readonly reachesBackTo: () => Promise<number | undefined>;
  readonly recordSpan: () => Promise<ReturnType<JournalPast["recordSpan"]>>;
  readonly chapterAt: (at: number) => Promise<number>;
  readonly pagesFrom: (seq: number, limit: number) => Promise<PackedPage[]>;
  /** The texts of the record's pages. */
  readonly pages: () => Promise<readonly string[]>;
  readonly prune: (at: number, bounds: JournalBounds) => Promise<void>;
};

const AT = Date.UTC(2026, 0, 1);

const killed = (detail: string): Finding => ({
  type: "kill",
  source: "operator",
  on: true,
  detail,
});

const KEY = 'R|bsc/exchange/A "b"';

const suppressed = (alert: string, detail: string): Finding => ({
  type: "suppressed",
  alert,
  entity: { aggregator: "bsc", kind: "exchange", id: 'A "b"' },
  action: "enable_exchange",
  reason: "storm",
  detail,
});

const ALERT: Alert = {
  key: KEY,
  rule: "R",
  severity: "warning",
  entity: { aggregator: "a", kind: "b", id: "1" },
  state: "firing",
  startedAt: AT,
  activeAt: AT,
  labels: {},
  annotations: {},
  facts: {},
  attempts: 0,
};

const page = (at: number, whole: boolean, body: string) => ({ at, until: at, whole, body });

/** `open` makes an empty one. */
export function journalContract(open: (context: TestContext) => Promise<Contracted>): void {
  async function write(journal: Contracted, record: Partial<JournalRecord>): Promise<void> {
    const all = { at: AT, changes: [], findings: [], ...record };
    expect(await journal.commit(all)).toMatchObject({ ok: true });
  }

  describe("the rows", () => {
    it("come back as committed, of every table, in the order of their bytes", async (context) => {
      const journal = await open(context);
      const changes: readonly Change[] = STATE_TABLES.flatMap((table) =>
        ["é", "Z", "a", '"q"', "a/b"].map((key) => ({
          table,
          key,
          value:
            table === "counter" ? AT : { table, deep: [1, null, { text: "日本\n\u0000\ud800" }] },
        })),
      );
      await write(journal, { changes });
      const inOrder = changes.toSorted((one, other) =>
        Buffer.compare(
          Buffer.from(`${one.table}\0${one.key}`),
          Buffer.from(`${other.table}\0${other.key}`),
        ),
      );
      expect(await journal.rows()).toEqual(inOrder);
    });

    it("are updated and deleted by their table and key; the last word of a commit counts", async (context) => {
      const journal = await open(context);
      await write(journal, {
        changes: [
          { table: "entity", key: "a", value: { n: 1 } },
          { table: "entity", key: "b", value: { n: 1 } },
          { table: "alert", key: "a", value: { n: 1 } },
        ],
      });
      await write(journal, {
        changes: [
          { table: "entity", key: "a", value: { n: 2 } },
          { table: "entity", key: "a", value: { n: 3 } },
          { table: "entity", key: "b", value: undefined },
          { table: "entity", key: "never there", value: undefined },
        ],
      });
      expect(await journal.rows()).toEqual([
        { table: "alert", key: "a", value: { n: 1 } },
        { table: "entity", key: "a", value: { n: 3 } },
      ]);
      await write(journal, { changes: [{ table: "entity", key: "b", value: { n: 4 } }] });
      expect(await journal.rows()).toHaveLength(3);
    });

    it("may be many", async (context) => {
      const journal = await open(context);
      const changes = Array.from({ length: 12_345 }, (_, n) => ({
        table: "entity" as const,
        key: String(n),
        value: { n },
      }));
      await write(journal, { changes });
      const rows = await journal.rows();
      expect(rows).toHaveLength(changes.length);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(changes.length);
    });
  });

  describe("a commit", () => {
    it("is all or nothing, says why it failed, and the next one works again", async (context) => {
      const journal = await open(context);
      const changes: Change[] = [
        { table: "entity", key: "half", value: {} },
        { table: "counter", key: "at", value: 1 },
      ];
      // No instant has a fraction.
      const failed = await journal.commit({
        at: AT,
        changes,
        findings: [{ at: AT + 0.5, finding: killed("half") }],
      });
      expect(failed).toMatchObject({ ok: false });
      expect(await journal.rows()).toEqual([]);
      expect(await journal.findings(10)).toEqual([]);
      await write(journal, { changes });
      expect(await journal.rows()).toHaveLength(2);
    });
  });

  describe("the history of an alert", () => {
    it("is what was found about it and no other, up to an instant, newest first", async (context) => {
      const journal = await open(context);
      const found: Array<readonly [number, Finding]> = [
        [AT, suppressed(KEY, "first")],
        [AT, suppressed(`${KEY}x`, "of another")],
        [AT + 1, suppressed(KEY, "second")],
        [AT + 1, suppressed("other", `it only speaks of ${JSON.stringify(KEY)}`)],
        [AT + 1, killed(KEY)],
        [AT + 2, suppressed(KEY, "later")],
      ];
      const findings = found.map(([at, finding]) => ({ at, finding }));
      await write(journal, { findings });
      expect(await journal.historyOf(KEY, AT + 1)).toEqual([findings[2], findings[0]]);
      expect(await journal.historyOf(KEY, AT - 1)).toEqual([]);
    });

    it("goes along with the orders of its time, newest first, and nothing else", async (context) => {
      const journal = await open(context);
      expect(await journal.reachesBackTo()).toBeUndefined();
      const found: Array<readonly [number, Finding]> = [
        [AT, killed("before")],
        [AT + 1, killed("first")],
        [AT + 1, suppressed(KEY, "no order")],
        [AT + 2, killed("second")],
        [AT + 3, killed("after")],
      ];
      const findings = found.map(([at, finding]) => ({ at, finding }));
      await write(journal, { findings });
      expect(await journal.orders(AT + 1, AT + 2)).toEqual([findings[3], findings[1]]);
      expect(await journal.reachesBackTo()).toBe(AT);
    });
  });

  describe("the past", () => {
    const types = ["kill"] as const;

    it("comes a part at a time, newest first, of the types that are wanted", async (context) => {
      const journal = await open(context);
      const findings = [killed("a"), suppressed(KEY, "b"), killed("c"), killed("d")].map(
        (finding, index) => ({ at: AT + Math.floor(index / 2), finding }),
      );
      await write(journal, { findings });
      const seen: unknown[] = [];
      let before: { readonly at: number; readonly seq: number } | undefined;
      do {
        const part = await journal.between({ from: AT, until: AT + 1, before, types }, 2);
        seen.push(part.found.map(({ at, finding }) => [at, "detail" in finding && finding.detail]));
        before = part.next;
      } while (before !== undefined);
      expect(seen).toEqual([
        [
          [AT + 1, "d"],
          [AT + 1, "c"],
        ],
        [[AT, "a"]],
        [],
      ]);
      const none = await journal.between({ from: AT, until: AT, types: [] }, 10);
      expect(none).toEqual({ found: [], next: undefined });
      const later = { at: AT + 1, seq: Number.MAX_SAFE_INTEGER };
      const { found } = await journal.between({ from: AT, until: AT, before: later, types }, 10);
      expect(found.map(({ at }) => at)).toEqual([AT]);
    });

    it("has how each alert moved last, and what came of it, up to an instant, from key to key", async (context) => {
      const journal = await open(context);
      const movedTo = (key: string, change: "firing" | "resolved"): Finding => ({
        type: "alert",
        change,
        alert: { ...ALERT, key },
        detail: "",
      });
      const keys = ["R|a\\b/c/1", "R|a\\b/c/2", "R|a\\b/c/3"];
      const fired = keys.map((key) => ({ at: AT, finding: movedTo(key, "firing") }));
      const over = { at: AT + 2, finding: movedTo("R|a\\b/c/1", "resolved") };
      const later = { at: AT + 3, finding: movedTo("R|a\\b/c/2", "resolved") };
      const unsent = ["R|a\\b/c/0", "R|a\\b/c/3"].map((key) => ({
        at: AT + 1,
        finding: suppressed(key, "not now"),
      }));
      await write(journal, { findings: [...fired, ...unsent, over, later] });
      const seen: unknown[] = [];
      let key: string | undefined = "";
      while (key !== undefined) {
        const part = await journal.alertsAfter(key, AT + 2, 2);
        for (const { moved, last } of part.found)
          if (moved.finding.type === "alert") {
            const { alert, change } = moved.finding;
            seen.push([alert.key, moved.at - AT, change, last.at - AT, last.finding.type]);
          }
        key = part.next;
      }
      expect(seen).toEqual([
        ["R|a\\b/c/1", 2, "resolved", 2, "alert"],
        ["R|a\\b/c/2", 0, "firing", 0, "alert"],
        ["R|a\\b/c/3", 0, "firing", 1, "suppressed"],
      ]);
    });

    it("has since when the readings before an action of an alert did not confirm it", async (context) => {
      const journal = await open(context);
      const unconfirmed = {
        ...suppressed(KEY, "late"),
        type: "unconfirmed",
        why: "late",
      } as Finding;
      const firing = { type: "alert", change: "firing", alert: { ...ALERT, key: KEY }, detail: "" };
      const findings = [
        [0, firing as Finding],
        [1, unconfirmed],
        [2, suppressed(KEY, "not now")],
        [3, unconfirmed],
        [4, unconfirmed],
        [5, suppressed(KEY, "not now")],
      ] as const;
      await write(journal, {
        findings: findings.map(([after, finding]) => ({ at: AT + after, finding })),
      });
      const since: unknown[] = [];
      for (let after = 0; after < findings.length; after += 1) {
        const { found } = await journal.alertsAfter("", AT + after, 1);
        since.push(found.map((one) => one.unconfirmedSince && one.unconfirmedSince - AT));
      }
      expect(since).toEqual([[undefined], [1], [undefined], [3], [3], [undefined]]);
    });

    it("says when the process started, and when the record went on after a gap", async (context) => {
      const journal = await open(context);
      const opening = (why: string): string =>
        JSON.stringify([{ t: "open", dt: 0, why, watched: [{ name: "x".repeat(5_000) }] }]);
      const pages = [
        page(AT, true, opening("start")),
        page(AT + 1, true, opening("day")),
        page(AT + 2, false, "[]"),
        page(AT + 3, true, opening("gap")),
      ];
      await write(journal, { pages });
      expect(await journal.restarts(AT, AT + 3)).toEqual([
        { at: AT + 3, why: "gap" },
        { at: AT, why: "start" },
      ]);
      expect(await journal.restarts(AT + 1, AT + 2)).toEqual([]);
    });
  });

  describe("the findings", () => {
    const found = async (journal: Contracted, limit = 10) =>
      (await journal.findings(limit)).map(({ at, finding }) => [
        at - AT,
        finding.type === "kill" ? finding.detail : "",
      ]);

    it("come newest first, each with its own instant, as many as are asked for", async (context) => {
      const journal = await open(context);
      const findings = [
        { at: AT, finding: killed("first") },
        { at: AT + 1, finding: killed("second") },
      ];
      await write(journal, { at: AT + 9, findings });
      expect(await found(journal)).toEqual([
        [1, "second"],
        [0, "first"],
      ]);
      expect(await found(journal, 1)).toEqual([[1, "second"]]);
    });

    it("are dropped when they are too old, and the oldest when they are too many", async (context) => {
      const journal = await open(context);
      const findings = Array.from({ length: 30 }, (_, n) => ({
        at: AT + n,
        finding: killed(String(n)),
      }));
      await write(journal, { findings });
      await journal.prune(AT + FINDING_RETENTION + 10, {});
      expect(await found(journal, 100)).toHaveLength(20);
      await journal.prune(AT, { mostFindings: 5 });
      expect(await found(journal, 100)).toHaveLength(5);
      expect(await found(journal, 1)).toEqual([[29, "29"]]);
    });
  });

  describe("the record", () => {
    it("is read in parts, from the chapter that was under way at an instant", async (context) => {
      const journal = await open(context);
      expect(await journal.recordSpan()).toBeUndefined();
      const page = (at: number, whole: boolean, body: string) => ({
        at,
        until: at + 1,
        whole,
        body,
      });
      const long = JSON.stringify(Array.from({ length: 500 }, (_, index) => index));
      const pages = [
        page(AT, true, "[1]"),
        page(AT + 2, false, long),
        page(AT + 4, true, "[3]"),
        page(AT + 6, false, "[4]"),
      ];
      await write(journal, { pages });
      expect(await journal.recordSpan()).toEqual({ firstAt: AT, lastAt: AT + 7 });
      const from = await journal.chapterAt(AT + 3);
      const [one, two, ...rest] = await journal.pagesFrom(from, 3);
      expect([one, two].map((own) => own && storedPage(own))).toEqual(
        pages.slice(0, 2).map((own, index) => ({ seq: from + index, ...own })),
      );
      expect(rest.map(({ at, whole }) => [at, whole])).toEqual([[AT + 4, 1]]);
      const next = await journal.pagesFrom(await journal.chapterAt(AT + 9), 9);
      expect(next.map(({ at }) => at)).toEqual([AT + 4, AT + 6]);
    });

    it("comes back page by page, and loses whole chapters, the oldest first", async (context) => {
      const journal = await open(context);
      const long = `["${"x".repeat(5_000)}"]`;
      const pages = [
        page(AT, true, "[1]"),
        page(AT + DAY, false, long),
        page(AT + 2 * DAY, true, "[3]"),
        page(AT + 3 * DAY, true, "[4]"),
      ];
      await write(journal, { pages: pages.slice(0, 2) });
      await write(journal, { pages: pages.slice(2) });
      expect(await journal.pages()).toEqual(["[1]", long, "[3]", "[4]"]);
      const kept = { retentionMs: 2 * DAY, maxBytes: 1_000_000 };
      await journal.prune(AT + 4 * DAY, { record: kept });
      expect(await journal.pages()).toEqual(["[3]", "[4]"]);
      await journal.prune(AT + 4 * DAY, { record: { ...kept, maxBytes: 4 } });
      expect(await journal.pages()).toEqual(["[4]"]);
    });
  });
}

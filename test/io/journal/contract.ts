import { describe, expect, it, type TestContext } from "vitest";
import type { Result } from "../../../src/domain/result.ts";
import { STATE_TABLES, type Change, type Finding } from "../../../src/domain/step.ts";
import { DAY } from "../../../src/domain/time.ts";
import {
  FINDING_RETENTION,
  type JournalBounds,
  type JournalRecord,
  type StoredFinding,
} from "../../../src/io/journal/journal.ts";

/** What every journal does, wherever its rows are. */
export type Contracted = {
  readonly commit: (record: JournalRecord) => Promise<Result<void, unknown>>;
  /** In a process that starts anew. */
  readonly rows: () => Promise<readonly Change[]>;
  readonly findings: (limit: number) => Promise<StoredFinding[]>;
  readonly historyOf: (alert: string, until: number) => Promise<StoredFinding[]>;
  readonly orders: (from: number, until: number) => Promise<StoredFinding[]>;
  readonly reachesBackTo: () => Promise<number | undefined>;
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

/** Tests src/io/postgres: the record of what was observed, of which each unit has its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import type { Finding } from "../../../src/domain/finding.ts";
import type { StoredFinding } from "../../../src/io/journal/journal.ts";
import { DAY } from "../../../src/domain/time.ts";
import { withRecord } from "../journal/with-record.ts";
import { storedPage, type Page } from "../../../src/io/journal/record-pages.ts";
import { copyToDatabase } from "../../../src/io/postgres/copy-to-database.ts";
import { copyToFile } from "../../../src/io/postgres/copy-to-file.ts";
import type { Database } from "../../../src/io/postgres/database.ts";
import { dealRows } from "../../../src/io/postgres/deal.ts";
import { postgresJournal, type PostgresJournal } from "../../../src/io/postgres/journal.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { NOTHING_MORE } from "../../../src/record/entry.ts";
import { connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const AT = Date.UTC(2026, 0, 1);
const UNITS = [HOME, sendersUnit(1), sendersUnit(2)];

const page = (at: number, text: string, whole = false): Page => ({
  at,
  until: at,
  whole,
  body: JSON.stringify([text]),
});

/** The journal of a unit that writes pages one commit after another. */
async function writerOf(database: Database, unit: string, shards = 0) {
  const taken = await leaseStore(database, unit, undefined, shards).take("a");
  if (!taken.ok || !taken.value.taken) throw new Error("the lease is another's");
  const { epoch } = taken.value;
  const journal = postgresJournal(database, unit);
  let after = 0;
  const write = async (...pages: readonly Page[]): Promise<void> => {
    const record = { at: pages[0]?.at ?? AT, changes: [], findings: [], pages };
    const fence = { epoch, sequence: after + 1, after };
    expect(await journal.commit(record, fence)).toEqual({ ok: true, value: undefined });
    after += 1;
  };
  return { journal, write };
}

/** Home and two units, which write in turn. */
async function written(context: TestContext) {
  const database = await connectMigrated(context, await server().makeDatabase());
  const writers = [];
  for (const unit of UNITS) writers.push(await writerOf(database, unit));
  for (let n = 0; n < 3; n += 1)
    for (const [index, { write }] of writers.entries())
      await write(page(AT + n, `${index}.${n}`, n === 0), page(AT + n, `${index}.${n}+`));
  const [home] = writers;
  if (home === undefined) throw new Error("there is home");
  return { database, writers, ...home };
}

async function bodies(
  journal: Pick<PostgresJournal, "chapterAt" | "pagesFrom">,
  unit: string,
): Promise<readonly string[]> {
  const pages = await journal.pagesFrom(await journal.chapterAt(AT + DAY, unit), 100);
  return pages.map((one) => {
    const stored = storedPage(one);
    return "body" in stored ? (JSON.parse(stored.body) as string[]).join() : stored.problem;
  });
}

const whole = (index: number): readonly string[] =>
  ["0", "0+", "1", "1+", "2", "2+"].map((n) => `${index}.${n}`);

describe("the record of several units", () => {
  it("is each unit's own, page by page without a gap, whoever reads it", async (context) => {
    const { journal, writers } = await written(context);
    expect(await journal.recordUnits()).toEqual(UNITS);
    for (const [index, unit] of UNITS.entries()) {
      expect(await bodies(journal, unit)).toEqual(whole(index));
      expect(await writers[2]?.journal.recordSpan(unit)).toEqual({ firstAt: AT, lastAt: AT + 2 });
    }
    expect(await journal.recordSpan()).toEqual({ firstAt: AT, lastAt: AT + 2 });
  });

  it("has no gap if a commit was given up", async (context) => {
    const { database, journal, write } = await written(context);
    const given = database.transaction(async (ask) => {
      await ask("INSERT INTO record (seq, at, until, whole, body) VALUES (7, 1, 1, 0, 'x')");
      throw new Error("given up");
    });
    expect((await given).ok).toBe(false);
    await write(page(AT + 9, "next"));
    const pages = await journal.pagesFrom(await journal.chapterAt(AT, HOME), 100);
    expect(pages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("is copied into a file and back as it is", async (context) => {
    const { database } = await written(context);
    const directory = mkdtempSync(join(tmpdir(), "aggwatch-record-"));
    context.onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "journal.sqlite");
    expect(await copyToFile(database, file)).toMatchObject({ value: { pages: 18, lost: 0 } });
    const read = withRecord(file, (source) => ({
      ok: true,
      value: source.units.map((unit) =>
        [...source.pages(0, unit)].map((one) => ("body" in one ? one.body : one.problem)),
      ),
    }));
    const expected = UNITS.map((_, index) => whole(index).map((text) => JSON.stringify([text])));
    expect(read).toEqual({ ok: true, value: expected });
    const other = await connectMigrated(context, await server().makeDatabase());
    expect(await copyToDatabase(dirname(file), other)).toMatchObject({ value: { pages: 18 } });
    const back = postgresJournal(other, HOME);
    expect(await back.recordUnits()).toEqual(UNITS);
    for (const [index, unit] of UNITS.entries())
      expect(await bodies(back, unit)).toEqual(whole(index));
  });

  it("is bounded in age unit by unit, and one that writes no more goes as a whole", async (context) => {
    const { journal, writers } = await written(context);
    for (const { write } of writers.slice(0, 2)) await write(page(AT + 2 * DAY, "new", true));
    const bounds = { record: { retentionMs: DAY, maxBytes: 1e9 } };
    await journal.prune(AT + 2 * DAY, bounds);
    // What was under way a day ago is needed for all that came since.
    expect(await journal.recordUnits()).toEqual(UNITS.slice(0, 2));
    expect(await journal.recordSpan(sendersUnit(1))).toMatchObject({ firstAt: AT });
    await journal.prune(AT + 3 * DAY, bounds);
    for (const unit of UNITS.slice(0, 2))
      expect(await journal.recordSpan(unit)).toMatchObject({ firstAt: AT + 2 * DAY });
  });

  it("is bounded in size over all units: the oldest chapter goes first", async (context) => {
    const { journal, writers } = await written(context);
    for (const [index, { write }] of writers.toReversed().entries())
      await write(page(AT + 10 + index, "new", true));
    const size = async (): Promise<number> => {
      const counts = [];
      for (const unit of UNITS)
        counts.push((await journal.pagesFrom(await journal.chapterAt(0, unit), 100)).length);
      return counts.reduce((sum, count) => sum + count, 0);
    };
    expect(await size()).toBe(21);
    await journal.prune(AT, { record: { retentionMs: DAY, maxBytes: 1 } });
    // Each has the chapter under way.
    expect(await size()).toBe(3);
    expect(await journal.recordSpan(sendersUnit(2))).toMatchObject({ firstAt: AT + 10 });
  });

  it("ends if there is no such unit any more, and is kept", async (context) => {
    const { database, journal } = await written(context);
    await database.query("UPDATE lease SET owner = NULL");
    await database.query("UPDATE sharding SET shards = 2");
    expect(await dealRows(database, 1, NOTHING_MORE)).toEqual({ ok: true, value: undefined });
    expect(await journal.recordSpan(sendersUnit(1))).toEqual({ firstAt: AT, lastAt: AT + 2 });
    const ended = await journal.recordSpan(sendersUnit(2));
    expect(ended?.lastAt).toBeGreaterThan(AT + 2);
    const [last] = await journal.pagesFrom(await journal.chapterAt(Date.now(), sendersUnit(2)), 9);
    expect(last).toMatchObject({ whole: 1 });
  });
});

it.for([
  { what: "findings", findings: 4_001, pages: 1 },
  { what: "pages", findings: 1, pages: 33 },
])(
  "a commit of more $what than one statement writes has all, in their order",
  async (many, context) => {
    const database = await connectMigrated(context, await server().makeDatabase());
    await leaseStore(database, HOME).take("a");
    const findings = Array.from({ length: many.findings }, (_, n): StoredFinding => {
      const finding = { type: "kill", source: "operator", on: true, by: "a", detail: String(n) };
      return { at: AT, finding: finding as Finding };
    });
    const pages = Array.from({ length: many.pages }, (_, n) => page(AT + n, String(n), n === 0));
    const record = { at: AT, changes: [], findings, pages };
    const fence = { epoch: 1, sequence: 1, after: 0 };
    const committed = await postgresJournal(database, HOME).commit(record, fence);
    expect(committed).toEqual({ ok: true, value: undefined });
    const found = await database.query("SELECT body FROM finding ORDER BY seq");
    expect(found.map(({ body }) => String(body))).toEqual(
      findings.map(({ finding }) => JSON.stringify(finding)),
    );
    const kept = await database.query(
      "SELECT at::integer FROM (SELECT seq, at - $1 AS at FROM record) AS r ORDER BY seq",
      [AT],
    );
    expect(kept.map(({ at }) => at)).toEqual(pages.map((_, n) => n));
  },
);

import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Change } from "../../domain/step.ts";
import { SECOND, type Instant, type Millis } from "../../domain/time.ts";
import type { Row } from "../journal/database.ts";
import { MOST_FINDINGS, RECORD_BOUNDS, type JournalBounds } from "../journal/retention.ts";
import type { JournalReading } from "../journal/past.ts";
import { answeredBy } from "../journal/past-questions.ts";
import { isTable } from "../journal/rows.ts";
import {
  checkFence,
  type CommitProblem,
  type CommitStamp,
  type Fence,
  type LoadedRows,
  type SharedJournal,
} from "../journal/shared-journal.ts";
import { steadyNow as systemSteadyNow } from "../process/clock.ts";
import { messageOf } from "../../domain/error-message.ts";
import { DatabaseAway, type Ask, type Database } from "./database.ts";
import { readLease, type LeaseRow } from "./lease.ts";
import { otherSchema } from "./schema.ts";
import { inParts } from "./pages.ts";
import { COMMITS_KEPT_DELETED, prune } from "./prune.ts";
import { fromStorable, numbered, storable } from "./text.ts";
import { writeRecord, written } from "./write.ts";

/** The journal of one unit in PostgreSQL. Reading needs no lease; each commit carries the epoch of one. */
export type PostgresJournal = SharedJournal &
  PostgresReading & {
    /** Deletes what is too old, a part at a time. Rejects if the database is away. */
    readonly prune: (at: Instant, bounds?: JournalBounds) => Promise<void>;
  };

type Past = {
  readonly [Name in keyof JournalReading]: (
    ...args: Parameters<JournalReading[Name]>
  ) => Promise<Awaited<ReturnType<JournalReading[Name]>>>;
};

/** Every function rejects if the database is away. */
export type PostgresReading = Past & {
  /** Every row, in the order of table and key, of one instant. */
  readonly read: () => Promise<ReadRows>;
  /** The rows written after a commit, deleted ones without a value; undefined if the commit is too long ago. */
  readonly readSince: (sequence: number) => Promise<ReadRows | undefined>;
};

/** Rows, and the owner of the lease at that time, if there was one. */
export type ReadRows = LoadedRows & { readonly owner: string | undefined };

/** Rows that are read at once. */
const ROWS_AT_ONCE = 5_000;
const TRIED_AGAIN_WITHIN: Millis = SECOND;

export type PostgresJournalOptions = {
  /** The only owner that may commit, even if another has the same epoch. If left out, any owner of the epoch. */
  readonly owner?: string | undefined;
  /** What commits, and reads the rows of a take-over, over connections that no other reader takes: `database` by default. */
  readonly writer?: Asked;
  readonly steadyNow?: () => Millis;
};

export function postgresJournal(
  database: Asked,
  unit: string,
  { owner, writer = database, steadyNow = systemSteadyNow }: PostgresJournalOptions = {},
): PostgresJournal {
  const reading = readingOf(database, unit, owner);
  const { read } = readingOf(writer, unit, owner);
  const { transaction } = writer;
  return {
    ...reading,
    load: async (epoch) => {
      try {
        const { rows, stamp } = await read();
        const fence = { epoch, sequence: stamp.sequence, after: stamp.sequence };
        const checked = checkFence(stamp, fence);
        return checked.ok ? succeed({ rows, stamp }) : checked;
      } catch (error) {
        return fail({ kind: "unavailable", detail: messageOf(error) });
      }
    },
    commit: async (record, fence) => {
      const rows = written(record);
      const write = async (): Promise<Result<void, CommitProblem>> => {
        const done = await transaction(async (ask) =>
          (await writeRecord(ask, { unit, owner }, fence, rows))
            ? succeed(undefined)
            : refusal(await stampOf(ask, unit, owner), fence, await otherSchema(ask)),
        );
        return done.ok ? done.value : done;
      };
      const began = steadyNow();
      const first = await write();
      // Nothing was written: a broken connection is no reason to stop acting, if another can be made at once.
      const isAway = !first.ok && first.problem.kind === "unavailable";
      return isAway && steadyNow() - began < TRIED_AGAIN_WITHIN ? await write() : first;
    },
    stamp: async () => await transaction(async (ask) => await stampOf(ask, unit, owner)),
    prune: async (at, { mostFindings = MOST_FINDINGS, record = RECORD_BOUNDS } = {}) =>
      await prune(database, reading, unit, at, { mostFindings, record }),
  };
}

/** The newest stamp, read after any commit in progress. */
async function stampOf(ask: Ask, unit: string, owner: string | undefined): Promise<CommitStamp> {
  return stampIn(await readLease(ask, unit, "lock"), owner);
}

function stampIn(lease: LeaseRow | undefined, owner: string | undefined): CommitStamp {
  if (lease === undefined) return NEVER;
  const { epoch, sequence } = lease;
  const isOthers = owner !== undefined && owner !== lease.owner;
  return isOthers ? { epoch, sequence, isOthers } : { epoch, sequence };
}

const NEVER: CommitStamp = { epoch: 0, sequence: 0 };

/** Why the fence refused a write. If it would allow the write now, the outcome is unknown and must be read. */
function refusal(
  found: CommitStamp,
  fence: Fence,
  other: string | undefined,
): Result<void, CommitProblem> {
  if (other !== undefined) return fail({ kind: "fenced", detail: other });
  const checked = checkFence(found, fence);
  return checked.ok ? fail({ kind: "unknown", detail: "the stamp changed meanwhile" }) : checked;
}

type Asked = Pick<Database, "query" | "transaction">;

export function readingOf(
  { query, transaction }: Asked,
  unit: string,
  owner?: string,
): PostgresReading {
  const past = answeredBy(async (sql, values, answer) => {
    const stored = values.map((value) => (typeof value === "string" ? storable(value) : value));
    return answer(await query(numbered(sql), stored));
  }) as Past;
  const ofOneInstant = async <Found>(
    work: (ask: Ask, lease: LeaseRow | undefined) => Promise<Found>,
  ): Promise<Found> => {
    const done = await transaction(async (ask) => {
      await ask("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      return await work(ask, await readLease(ask, unit));
    });
    if (done.ok) return done.value;
    throw new DatabaseAway(done.problem.detail);
  };
  return {
    read: async () =>
      await ofOneInstant(async (ask, lease) => ({
        rows: await allRows(ask, unit),
        stamp: stampIn(lease, owner),
        owner: lease?.owner,
      })),
    readSince: async (known) =>
      await ofOneInstant(async (ask, lease) => {
        const stamp = stampIn(lease, owner);
        const { sequence } = stamp;
        if (known > sequence || known < sequence - COMMITS_KEPT_DELETED) return undefined;
        const rows = await ask(
          "SELECT name, key, value FROM state WHERE unit = $1 AND sequence > $2",
          [unit, known],
        );
        return { rows: changesIn(rows), stamp, owner: lease?.owner };
      }),
    ...past,
    alertsAfter: async (...asked) => {
      const { found, next } = await past.alertsAfter(...asked);
      return { found, next: next && fromStorable(next) };
    },
  };
}

async function allRows(ask: Ask, unit: string): Promise<readonly Change[]> {
  const rows: Change[] = [];
  for await (const part of rowsOf(ask, unit)) for (const change of part) rows.push(change);
  return rows;
}

/** The units that hold rows, `home` first. */
export async function unitsIn(ask: Ask): Promise<readonly string[]> {
  const units = await ask("SELECT DISTINCT unit FROM state ORDER BY unit");
  return units.map(({ unit }) => String(unit));
}

/** Every row of a unit, a part at a time, in the order of table and key. */
export async function* rowsOf(ask: Ask, unit: string): AsyncGenerator<readonly Change[]> {
  const parts = inParts(
    (sql, key = []) => ask(sql, [unit, ...key]),
    `SELECT name, key, value FROM state WHERE unit = $1 AND (name, key) > ($2, $3) AND value IS NOT NULL
     ORDER BY name, key`,
    {
      first: ["", ""],
      keyOf: ({ name, key }) => [String(name), String(key)],
      most: ROWS_AT_ONCE,
    },
  );
  for await (const rows of parts) yield changesIn(rows);
}

/** Tables that this version does not know are left out. */
function changesIn(rows: readonly Row[]): readonly Change[] {
  return rows.flatMap(({ name, key, value }) => {
    const table = String(name);
    if (!isTable(table)) return [];
    const known = typeof value === "string" ? (JSON.parse(value) as unknown) : undefined;
    return { table, key: fromStorable(String(key)), value: known };
  });
}

import { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Millis } from "../../domain/time.ts";
import { journalOf, type Journal } from "../../io/journal/journal.ts";
import { MOST_FINDINGS } from "../../io/journal/retention.ts";
import { completeness, recoverLargeCommit } from "../../io/journal/large-commit.ts";
import { badRow } from "../../io/journal/rows.ts";
import { migrate } from "../../io/journal/schema.ts";

/**
 * Where a commit of a broken disk fails.
 *
 * - `begin`: before anything is written.
 * - `write`: in the middle of it, as on a full disk.
 * - `commit`: at the end; nothing of it is on disk.
 * - `commit_applied`: all of it is on disk, and the disk says that it failed.
 */
export const DISK_FAULTS = ["begin", "write", "commit", "commit_applied"] as const;
export type DiskFault = (typeof DISK_FAULTS)[number];

/** A disk in memory with one journal on it, which outlives the processes that use it. */
export type SimulatedDisk = {
  /** The journal's own code on this disk, opened by each process. `diesWithin`: it may die within a large commit. */
  readonly open: (diesWithin?: () => boolean) => Result<Journal, string>;
  /** Only the next commit of an action fails so; undefined: it does not. */
  readonly failNextAction: (fault: DiskFault | undefined) => void;
  /** Whether every commit is safe from a loss of power. */
  readonly isSynced: () => boolean;
  /** Loses the commits that are not; gives whether there were any. */
  readonly losePower: () => boolean;
  readonly commitAction: <Value>(commit: () => Value) => Value;
  /** Each commit fails so from now on; undefined: none does. */
  readonly fail: (fault: DiskFault | undefined) => void;
  readonly isFailing: () => boolean;
  /** Each commit takes this long from now on. */
  readonly slow: (length: Millis) => void;
  /** Whether a large commit is in force, but not all brought in yet. */
  readonly isCommitComplete: () => boolean;
  readonly damage: () => JournalDamage;
  readonly setDamage: (damage: JournalDamage) => void;
  /** Keeps a copy of all rows; gives a function that puts it back, any number of times. Only the last copy is kept. */
  readonly keep: () => () => void;
  /** Ends its use. A disk that is left open keeps its whole world in memory. */
  readonly close: () => void;
};

/** Damage that no start finds: only a check does, when it ends. */
type JournalDamage = { readonly isDamaged: boolean; readonly checkTakes: Millis };

/** A small journal, checked in a thread of its own. */
export const SOUND: JournalDamage = { isDamaged: false, checkTakes: 50 };

/** A commit of more rows than these is large, if a fault may come between its transactions. */
const ROWS_AT_ONCE = 3;

export function createSimulatedDisk(block: (length: Millis) => void): SimulatedDisk {
  const state: DiskState = { fault: undefined, slowMs: 0, block };
  const database = new FaultyDatabase(state);
  let atAction: DiskFault | undefined;
  let damage = SOUND;
  migrate(database);
  const isCommitComplete = completeness(database);
  return {
    open: (diesWithin = () => false) => {
      // Anything that the previous process had not committed when it died is gone.
      database.reopen();
      const recovered = recoverLargeCommit(database);
      if (!recovered.ok) return recovered;
      const bad = badRow(database);
      if (bad !== undefined) return fail(bad);
      // Many transactions take a sixth of the time of a run. If no fault comes between them, they are as good as one.
      const rowsAtOnce = (): number =>
        state.fault !== undefined || state.slowMs > 0 || diesWithin() ? ROWS_AT_ONCE : Infinity;
      return succeed(journalOf(database, "", { mostFindings: MOST_FINDINGS, rowsAtOnce }));
    },
    fail: (fault) => {
      state.fault = fault;
    },
    failNextAction: (fault) => {
      atAction = fault;
    },
    commitAction: (commit) => {
      if (atAction === undefined) return commit();
      const before = state.fault;
      state.fault = atAction;
      atAction = undefined;
      try {
        return commit();
      } finally {
        state.fault = before;
      }
    },
    isFailing: () => state.fault !== undefined,
    slow: (length) => {
      state.slowMs = length;
    },
    isSynced: () => database.isSynced(),
    losePower: () => database.losePower(),
    isCommitComplete,
    damage: () => damage,
    setDamage: (next) => {
      damage = next;
    },
    keep: () => database.keep(),
    close: () => {
      // A reachable statement keeps its database, which must not refer back to the holder of the statement: the garbage
      // collector does not see such a cycle, as half of it is not JavaScript.
      state.block = () => undefined;
      database.close();
    },
  };
}

type DiskState = {
  fault: DiskFault | undefined;
  slowMs: Millis;
  block: (length: Millis) => void;
};

/**
 * A real database in memory, whose transactions fail as its state says. An unsynced commit stays in an open
 * transaction, and later commits are savepoints in it, so that all can be rolled back.
 */
class FaultyDatabase extends DatabaseSync {
  private readonly state: DiskState;
  private isSyncing = true;
  private hasUnsynced = false;
  private isWithin = false;

  constructor(state: DiskState) {
    super(":memory:");
    this.state = state;
  }

  isSynced(): boolean {
    return !this.hasUnsynced;
  }

  losePower(): boolean {
    const lost = this.hasUnsynced;
    if (lost || this.isWithin) super.exec("ROLLBACK");
    this.isWithin = this.hasUnsynced = false;
    return lost;
  }

  /** As the next process finds it. */
  reopen(): void {
    this.rollBack();
    this.isSyncing = true;
  }

  private rollBack(): void {
    if (!this.isWithin) return;
    super.exec(this.hasUnsynced ? "ROLLBACK TO own; RELEASE own" : "ROLLBACK");
    this.isWithin = false;
  }

  private begin(): void {
    super.exec(this.hasUnsynced ? "SAVEPOINT own" : "BEGIN IMMEDIATE");
    this.isWithin = true;
  }

  private commit(): void {
    if (this.hasUnsynced) super.exec("RELEASE own");
    if (this.isSyncing) super.exec("COMMIT");
    this.hasUnsynced = !this.isSyncing;
    this.isWithin = false;
  }

  /** Copies all rows into temporary tables. */
  keep(): () => void {
    const tables = this.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    const all = (write: (table: string, columns: string) => string): void => {
      for (const table of tables) {
        const columns = this.prepare("SELECT name FROM pragma_table_info(?)").all(table);
        super.exec(write(table, columns.map(({ name }) => String(name)).join(", ")));
      }
    };
    all(
      (table, columns) =>
        `DROP TABLE IF EXISTS temp.kept_${table};
         CREATE TEMP TABLE kept_${table} AS SELECT ${columns} FROM main.${table}`,
    );
    return () =>
      all(
        (table, columns) =>
          `DELETE FROM main.${table}; INSERT INTO main.${table} (${columns}) SELECT * FROM temp.kept_${table}`,
      );
  }

  override exec(sql: string): void {
    const { fault, slowMs, block } = this.state;
    if (sql === "ROLLBACK") return this.rollBack();
    if (sql.startsWith("PRAGMA synchronous")) {
      this.isSyncing = sql.endsWith("FULL");
      return;
    }
    if (sql === "BEGIN IMMEDIATE") {
      if (fault === "begin") throw new Error("unable to open database file");
      return this.begin();
    }
    if (sql !== "COMMIT") return super.exec(sql);
    if (slowMs > 0) block(slowMs);
    if (fault === "write") throw new Error("database or disk is full");
    if (fault === "commit") throw new Error("disk I/O error");
    this.commit();
    if (fault === "commit_applied") throw new Error("disk I/O error after the commit");
  }

  /** A checkpoint makes every commit safe; with an open transaction, it could not run. */
  override prepare(sql: string): ReturnType<DatabaseSync["prepare"]> {
    if (sql.startsWith("PRAGMA wal_checkpoint") && this.hasUnsynced) {
      super.exec("COMMIT");
      this.hasUnsynced = false;
    }
    return super.prepare(sql);
  }
}

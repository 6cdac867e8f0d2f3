import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import type { KeptReplies, RawReply } from "../../domain/reply.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { inTransaction, versionOf } from "./database.ts";
import { makePrivateFile } from "./file.ts";

/** The file in which replies are kept as they came, and how it stays small. */

export type RawRepliesSettings = {
  readonly keep: KeptReplies;
  /** Of all compressed bodies together; the oldest go first. */
  readonly maxBytes: number;
  readonly retentionMs: Millis;
};

export const REPLIES_FILE = "replies.sqlite";
export const REPLIES_SCHEMA = 1;

const CREATE = `
  CREATE TABLE reply (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, aggregator TEXT NOT NULL, endpoint TEXT NOT NULL,
    args TEXT NOT NULL, status INTEGER NOT NULL, failure TEXT, length INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX reply_at ON reply (at);
  PRAGMA user_version = ${REPLIES_SCHEMA}`;

/** The size of a row without its body, roughly. */
const ROW_BYTES = 200;
/** How long the daemon's loop waits for another process that has the file: replies are not worth more. */
const PATIENCE: Millis = 50;

export type Store = {
  /** Writes them, and deletes the oldest. Throws if the file cannot be written. */
  readonly write: (replies: readonly RawReply[], now: Instant) => void;
  readonly close: () => void;
};

/** Throws if the file cannot be opened, or is of another version. */
export function openStore(directory: string, { maxBytes, retentionMs }: RawRepliesSettings): Store {
  const database = openDatabase(join(directory, REPLIES_FILE));
  const insert = database.prepare(
    "INSERT INTO reply (at, aggregator, endpoint, args, status, failure, length, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const tooOld = database.prepare("DELETE FROM reply WHERE at < ?");
  const oldest = database.prepare(
    "DELETE FROM reply WHERE seq IN (SELECT seq FROM reply ORDER BY seq LIMIT 10) RETURNING length(body) AS bytes",
  );
  const sum = database.prepare(
    `SELECT coalesce(sum(length(body) + ${ROW_BYTES}), 0) AS bytes FROM reply`,
  );
  const total = (): number => Number(sum.get()?.["bytes"]);
  let bytes = total();
  const writeAll = (replies: readonly RawReply[], now: Instant): void => {
    for (const { at, aggregator, endpoint, args, status, failure, body } of replies) {
      const packed = zstdCompressSync(body);
      const row = [at, aggregator, endpoint, args, status, failure ?? null, body.length, packed];
      insert.run(...row);
      bytes += packed.length + ROW_BYTES;
    }
    if (Number(tooOld.run(now - retentionMs).changes) > 0) bytes = total();
    while (bytes > maxBytes) {
      const gone = oldest.all();
      if (gone.length === 0) break;
      for (const row of gone) bytes -= Number(row["bytes"]) + ROW_BYTES;
    }
  };
  return {
    write: (replies, now) => inTransaction(database, () => writeAll(replies, now)),
    close: () => database.close(),
  };
}

function openDatabase(file: string): DatabaseSync {
  makePrivateFile(file);
  const database = new DatabaseSync(file);
  try {
    // WAL, so that it can be read while it is written. A crash of the machine may take the newest replies.
    database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    const version = versionOf(database);
    if (version === 0) inTransaction(database, () => database.exec(CREATE));
    else if (version !== REPLIES_SCHEMA)
      throw new Error(`${file} was written by another version of aggwatch (schema ${version})`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

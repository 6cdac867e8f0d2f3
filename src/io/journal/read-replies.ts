import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import type { RawReply } from "../../domain/reply.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { inOneSlice, toEnd } from "../../domain/slices.ts";
import type { Instant } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { databaseInSlices, versionOf } from "./database.ts";
import { refusalOf } from "./file.ts";
import { REPLIES_FILE, REPLIES_SCHEMA } from "./replies-store.ts";

/** A kept reply without its body, and the body's length in characters. */
export type KeptReply = Omit<RawReply, "body"> & { readonly id: number; readonly length: number };

export type ReplyFilter = {
  readonly aggregator?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  /** How many, the newest. */
  readonly limit: number;
};

/** The newest that match, the oldest of them first. */
export function listReplies(
  directory: string,
  filter: ReplyFilter,
): Result<readonly KeptReply[], string> {
  return withReplies(directory, (database) => {
    const rows = database
      .prepare(
        `SELECT seq, at, aggregator, endpoint, args, status, failure, length FROM reply
         WHERE at BETWEEN ? AND ? AND (? IS NULL OR aggregator = ?) AND (? IS NULL OR endpoint = ?)
         ORDER BY seq DESC LIMIT ?`,
      )
      .all(
        filter.since ?? 0,
        filter.until ?? Number.MAX_SAFE_INTEGER,
        filter.aggregator ?? null,
        filter.aggregator ?? null,
        filter.endpoint ?? null,
        filter.endpoint ?? null,
        filter.limit,
      );
    return succeed(rows.toReversed().map(keptOf));
  });
}

/** One of them, with its body. */
export function readReply(
  directory: string,
  id: number,
): Result<KeptReply & { readonly body: string }, string> {
  return withReplies(directory, (database) => {
    const row = database.prepare("SELECT * FROM reply WHERE seq = ?").get(id);
    if (row === undefined) return fail(`there is no reply ${id}: it may have made room for others`);
    const body = row["body"];
    if (!(body instanceof Uint8Array)) return fail(`the body of reply ${id} is damaged`);
    return succeed({ ...keptOf(row), body: zstdDecompressSync(body).toString("utf8") });
  });
}

function withReplies<Value>(
  directory: string,
  work: (database: DatabaseSync) => Result<Value, string>,
): Result<Value, string> {
  const file = join(directory, REPLIES_FILE);
  const refused = refusalOf(file);
  if (refused !== undefined) return fail(refused);
  if (!existsSync(file)) {
    return fail(
      `${file} is not there: no reply was kept. The setting record.replies.keep says which are, and --data which data directory is meant.`,
    );
  }
  const slices = databaseInSlices(
    () => new DatabaseSync(file, { readOnly: true }),
    inOneSlice((database: DatabaseSync) => {
      const version = versionOf(database);
      return version === REPLIES_SCHEMA
        ? work(database)
        : fail(`${file} is of schema ${version}; this aggwatch knows ${REPLIES_SCHEMA}`);
    }),
    (error) => `${file} cannot be read: ${messageOf(error)}`,
  );
  return toEnd(slices);
}

function keptOf(row: Record<string, SQLOutputValue>): KeptReply {
  const text = (name: string): string => String(row[name]);
  return {
    id: Number(row["seq"]),
    at: Number(row["at"]),
    aggregator: text("aggregator"),
    endpoint: text("endpoint"),
    args: text("args"),
    status: Number(row["status"]),
    failure: row["failure"] === null ? undefined : text("failure"),
    length: Number(row["length"]),
  };
}

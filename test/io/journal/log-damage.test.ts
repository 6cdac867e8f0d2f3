import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { logDamage, pageBytesOfLog } from "../../../src/io/journal/log-damage.ts";
import { JOURNAL_FILE } from "../../../src/io/journal/journal.ts";
import { MOST_UNSYNCED } from "../../../src/io/journal/write-ahead-log.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const HEADER = 32;
const FRAME = 24 + 4_096;
const DAMAGED_HEADER =
  "the header of journal.sqlite-wal is damaged, and commits follow on it that would be lost";
let room: ReturnType<typeof temporaryDirectory>;
/** The journal that is written, and the copy of it that a killed process leaves. */
let live: DatabaseSync;
let file: string;
/** The log as a killed process leaves it. */
let log: Buffer;

beforeEach(() => {
  room = temporaryDirectory();
  file = join(room.path, JOURNAL_FILE);
  live = new DatabaseSync(join(room.path, "live.sqlite"));
  live.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE kept (text)");
  // Written over from its begin: behind the last round stands what an earlier one left.
  keep(40);
  bringIn();
  keep(20);
  log = liveLog();
});
afterEach(() => {
  live.close();
  room.remove();
});

/** Commits so many rows, one by one, each on three pages. */
function keep(count: number): void {
  for (let row = 0; row < count; row += 1)
    live.exec(`INSERT INTO kept VALUES ('${"x".repeat(9_000)}')`);
}

function liveLog(): Buffer {
  return readFileSync(join(room.path, "live.sqlite-wal"));
}

/** Brings the log into the file, as SQLite does by itself, and gives the log that is left. */
function bringIn(): Buffer {
  live.exec("PRAGMA wal_checkpoint(PASSIVE)");
  copyFileSync(join(room.path, "live.sqlite"), file);
  return liveLog();
}

/** How many frames the last round has. */
function framesOf(of: Buffer): number {
  const salts = of.subarray(16, 24);
  let frames = 0;
  for (let at = HEADER; at < of.length; at += FRAME) {
    if (!of.subarray(at + 8, at + 16).equals(salts)) break;
    frames += 1;
  }
  return frames;
}

function damageOf(left: Buffer): string | undefined {
  writeFileSync(`${file}-wal`, left);
  return logDamage(file);
}

function flipped(at: number, of = log): Buffer {
  const left = Buffer.from(of);
  left[at] = (left[at] ?? 0) ^ 0xff;
  return left;
}

describe("damage of the write-ahead log", () => {
  test("is none in one that is whole, empty, or not there", () => {
    expect(logDamage(file)).toBeUndefined();
    expect(damageOf(log)).toBeUndefined();
    expect(damageOf(Buffer.alloc(0))).toBeUndefined();
    expect(damageOf(Buffer.concat([log, Buffer.alloc(3 * FRAME, 0xa5)]))).toBeUndefined();
  });

  test("is none in one that ends anywhere, as a crash leaves it", () => {
    for (let length = 0; length < log.length; length += 1_777)
      expect(damageOf(log.subarray(0, length)), `${length} bytes`).toBeUndefined();
  });

  test("is none in its last transaction, which may not have been whole", () => {
    expect(damageOf(flipped(HEADER + framesOf(log) * FRAME - 100))).toBeUndefined();
  });

  test("is found in every frame that two commits follow on, and in no other", () => {
    const frames = framesOf(log);
    expect(frames).toBeGreaterThan(60);
    expect(log.length).toBeGreaterThan(HEADER + frames * FRAME);
    let commitsAfter = 0;
    for (let frame = frames - 1; frame >= 0; frame -= 1) {
      const damage = damageOf(flipped(HEADER + frame * FRAME + 1_000));
      const found = `frame ${frame + 1} of journal.sqlite-wal is damaged, and commits follow on it`;
      expect(damage?.slice(0, found.length)).toBe(commitsAfter < 2 ? undefined : found);
      if (log.readUInt32BE(HEADER + frame * FRAME + 4) !== 0) commitsAfter += 1;
    }
    expect(commitsAfter).toBe(20);
  });

  test("leaves the size of a page within what SQLite has", () => {
    writeFileSync(`${file}-wal`, Buffer.alloc(HEADER, 0xff));
    expect(pageBytesOfLog(`${file}-wal`)).toBe(65_536);
  });

  test("is not looked for in one that a process is writing to", () => {
    copyFileSync(join(room.path, "live.sqlite"), file);
    const holder = new DatabaseSync(file);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    holder.exec("ROLLBACK");
    expect(damageOf(flipped(HEADER + 1_000))).toBeUndefined();
    holder.close();
    expect(damageOf(flipped(HEADER + 1_000))).toMatch(/^frame 1 /);
  });

  test("is found in the header, whichever byte it is, and if what follows is gone with it", () => {
    for (let at = 0; at < HEADER; at += 1)
      expect(damageOf(flipped(at)), `byte ${at}`).toBe(DAMAGED_HEADER);
    for (const bytes of [HEADER, 512, 4_096, 3 * FRAME])
      expect(damageOf(Buffer.from(log).fill(0, 0, bytes)), `${bytes} bytes`).toBe(DAMAGED_HEADER);
    expect(damageOf(Buffer.from(log).fill(0xa5, 0, 512))).toBe(DAMAGED_HEADER);
    const short = Buffer.from(log.subarray(0, HEADER + 8 * FRAME));
    expect(damageOf(short.fill(0xa5, 0, HEADER + FRAME))).toBe(DAMAGED_HEADER);
  });

  test("is found in one that is overwritten as a whole, or is all zeros", () => {
    expect(damageOf(Buffer.alloc(log.length, 0xa5))).toBe(DAMAGED_HEADER);
    expect(damageOf(Buffer.alloc(log.length))).toBe(DAMAGED_HEADER);
    expect(damageOf(Buffer.alloc(HEADER + 1_000 * FRAME, "no log"))).toBe(DAMAGED_HEADER);
  });

  test("is none in a header that no commit follows", () => {
    expect(damageOf(flipped(20).subarray(0, HEADER + FRAME - 1))).toBeUndefined();
    expect(damageOf(Buffer.alloc(HEADER + 3 * FRAME))).toBeUndefined();
    expect(damageOf(Buffer.alloc(HEADER + 3 * FRAME, 0xa5))).toBeUndefined();
    // The first frame alone is no commit.
    expect(log.readUInt32BE(HEADER + 4)).toBe(0);
    expect(damageOf(flipped(20).subarray(0, HEADER + FRAME))).toBeUndefined();
  });
});

describe("a loss of power", () => {
  const BLOCK = 4_096;

  /** The log without one of the blocks that have changed, for each of them. */
  function* withoutOne(before: Buffer, after: Buffer): Generator<Buffer> {
    for (let at = 0; at < after.length; at += BLOCK) {
      const old = Buffer.alloc(Math.min(BLOCK, after.length - at));
      before.subarray(at).copy(old);
      const left = Buffer.from(after);
      old.copy(left, at);
      if (!left.equals(after)) yield left;
    }
  }

  test.for([
    ["behind the end of the log", 0],
    ["over what an earlier round left", 150],
  ] as const)("may lose any block of what did not wait for the disk, %s", ([, old]) => {
    keep(old);
    bringIn();
    keep(20);
    const before = liveLog();
    live.exec("PRAGMA synchronous = NORMAL");
    keep(MOST_UNSYNCED);
    live.exec("PRAGMA synchronous = FULL");
    keep(1);
    const torn = [...withoutOne(before, liveLog())];
    expect(torn.length).toBeGreaterThan(3 * MOST_UNSYNCED);
    for (const left of torn) expect(damageOf(left)).toBeUndefined();
  });

  test("may lose a page that fills its block, whose header ends the block before", () => {
    keep(110);
    const pages = [...Array(framesOf(log) + 300).keys()].map(
      (frame) => HEADER + frame * FRAME + 24,
    );
    const filling = pages.filter((at) => at % BLOCK === 0);
    expect(filling).toHaveLength(1);
    const [at = 0] = filling;
    // So few commits follow on it that none of them need have waited.
    const left = liveLog().subarray(0, at + 40 * FRAME);
    expect(left.length).toBe(at + 40 * FRAME);
    expect(damageOf(Buffer.from(left).fill(0, at, at + BLOCK))).toBeUndefined();
  });

  test("may leave the header of an earlier round, which its salts show", () => {
    const frame = HEADER + (framesOf(log) - 20) * FRAME;
    const damageWith = (fewer: number, other: number): string | undefined => {
      const left = Buffer.from(log);
      left.writeUInt32BE((log.readUInt32BE(16) - fewer) >>> 0, frame + 8);
      left.writeUInt32BE((log.readUInt32BE(20) ^ other) >>> 0, frame + 12);
      return damageOf(left);
    };
    const isDamaged = expect.stringMatching(/^frame \d+ of/) as unknown;
    expect([damageWith(1, 1), damageWith(65_535, 1)]).toEqual([undefined, undefined]);
    expect([damageWith(1, 0), damageWith(65_536, 1)]).toEqual([isDamaged, isDamaged]);
    expect([damageWith(0, 1), damageWith(-1, 1)]).toEqual([isDamaged, isDamaged]);
  });

  test("does not explain one that more commits follow than may be lost, or that is no older one", () => {
    const before = liveLog();
    keep(MOST_UNSYNCED + 2);
    const [torn = log] = withoutOne(before, liveLog());
    expect(damageOf(torn)).toMatch(/^frame \d+ of journal\.sqlite-wal is damaged/);
    const header = HEADER + (framesOf(log) - 20) * FRAME;
    for (let at = header; at < header + 24; at += 1)
      expect(damageOf(flipped(at)), `byte ${at - header}`).toMatch(/^frame \d+ /);
  });
});

describe("a log whose commits are all in the file", () => {
  test("has none, whether a crash tore its new header, or did not", () => {
    keep(30);
    bringIn();
    // The second round is shorter, and the third begins.
    keep(10);
    const before = bringIn();
    keep(1);
    const after = liveLog().subarray(0, HEADER);
    expect(before.subarray(0, HEADER)).not.toEqual(after);
    for (let written = 0; written <= HEADER; written += 1) {
      const torn = Buffer.concat([after.subarray(0, written), before.subarray(written)]);
      expect(damageOf(torn), `${written} bytes`).toBeUndefined();
    }
  });

  test("has none, whatever a transaction that was not committed left behind them", () => {
    keep(10);
    bringIn();
    keep(3);
    live.exec("PRAGMA cache_size = 5; BEGIN");
    keep(40);
    live.exec("ROLLBACK");
    const left = bringIn();
    expect(left.length).toBeGreaterThan(HEADER + 20 * FRAME);
    expect(damageOf(flipped(20, left))).toBeUndefined();
  });

  test("has none if the file has shrunk", () => {
    keep(30);
    live.exec("DELETE FROM kept; VACUUM");
    const left = bringIn();
    expect(damageOf(flipped(20, left))).toBeUndefined();
  });

  test("has some if the last page of the file is not as it was", () => {
    keep(30);
    const left = bringIn();
    expect(damageOf(flipped(20, left))).toBeUndefined();
    truncateSync(file, statSync(file).size - 4_096);
    expect(damageOf(flipped(20, left))).toBe(DAMAGED_HEADER);
  });

  test("has some as soon as one of them is not", () => {
    keep(30);
    bringIn();
    keep(1);
    const left = liveLog();
    expect(damageOf(flipped(20, left))).toBe(DAMAGED_HEADER);
  });
});

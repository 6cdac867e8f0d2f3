import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { logDamage } from "../../../src/io/journal/log-damage.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);
const FRAME = 24 + 4_096;
let room: ReturnType<typeof temporaryDirectory>;
let file: string;
/** The log as a killed process leaves it. */
let log: Buffer;

beforeEach(() => {
  room = temporaryDirectory();
  const live = temporaryDirectory();
  const opened = openJournal(live.path);
  if (!opened.ok) throw new Error(opened.problem);
  const commit = (count: number): void => {
    for (let key = 0; key < count; key += 1) {
      const changes = [
        { table: "hold" as const, key: `h${key}`, value: { text: "x".repeat(9_000) } },
      ];
      expect(opened.value.commit({ at: AT, changes, findings: [] })).toMatchObject({ ok: true });
    }
  };
  // Written over from its begin: behind the last round stands what an earlier one left.
  commit(40);
  opened.value.freezeFile();
  opened.value.thawFile();
  commit(20);
  file = join(room.path, JOURNAL_FILE);
  copyFileSync(join(live.path, JOURNAL_FILE), file);
  log = readFileSync(join(live.path, `${JOURNAL_FILE}-wal`));
  opened.value.close();
  live.remove();
});
afterEach(() => room.remove());

function damageOf(left: Buffer): string | undefined {
  writeFileSync(`${file}-wal`, left);
  return logDamage(file);
}

function flipped(at: number): Buffer {
  const left = Buffer.from(log);
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
    expect(damageOf(flipped(log.length - 100))).toBeUndefined();
  });

  test("is found in every frame that commits follow on", () => {
    const frames = Math.floor((log.length - 32) / FRAME);
    for (let frame = 0; frame < frames - 12; frame += 1) {
      const damage = damageOf(flipped(32 + frame * FRAME + 1_000));
      expect(damage).toMatch(new RegExp(`^frame ${frame + 1} of journal\\.sqlite-wal is damaged`));
    }
  });
});

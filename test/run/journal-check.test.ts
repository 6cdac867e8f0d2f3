import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Result } from "../../src/domain/result.ts";
import type { FileCheck } from "../../src/io/journal/check-file.ts";
import { createJournalCheck } from "../../src/run/journal-check.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";

const OK: Result<void, string> = { ok: true, value: undefined };
let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  vi.useFakeTimers();
  room = temporaryDirectory();
});
afterEach(() => {
  vi.useRealTimers();
  room.remove();
});

/** A check with a journal, a log and a thread that only note what is asked of them. */
function begun() {
  const data = join(room.path, "data");
  mkdirSync(data, { recursive: true });
  const said: string[] = [];
  const test = {
    said,
    log: join(data, "journal.sqlite-wal"),
    frozen: OK,
    place: OK,
    damage: undefined as string | undefined,
    end: undefined as unknown as (found: FileCheck) => void,
    stop: (): void => undefined,
  };
  const journal = {
    freezeFile: () => {
      said.push("freeze");
      return test.frozen;
    },
    thawFile: () => void said.push("thaw"),
    inPlace: () => test.place,
    damage: () => test.damage,
    condemn: (damage: string) => void said.push(`condemn: ${damage}`),
  };
  const quiet = {
    info: () => undefined,
    warn: () => undefined,
    error: ({ problems }: { problems: string[] }) => void said.push(`damaged: ${problems.join()}`),
  };
  const check = createJournalCheck(data, journal, quiet as never, (_file, onEnd) => {
    said.push("check");
    test.end = onEnd;
    return () => void said.push("stop");
  });
  test.stop = check.begin(() => void said.push("sound"));
  return test;
}

describe("the check of the journal after a start", () => {
  test("lets actions go once the journal is sound", () => {
    const test = begun();
    expect(test.said).toEqual(["freeze", "check"]);
    test.end({ outcome: "sound" });
    expect(test.said).toEqual(["freeze", "check", "thaw", "sound"]);
    vi.advanceTimersByTime(3_600_000);
    expect(test.said).toHaveLength(4);
  });

  test("condemns one that is damaged for good, and says what and how to repair it", () => {
    const test = begun();
    test.end({ outcome: "damaged", problems: ["page 7 is never used"] });
    vi.advanceTimersByTime(3_600_000);
    expect(test.said).toEqual([
      "freeze",
      "check",
      expect.stringMatching(
        /^condemn: .*journal\.sqlite is damaged \(page 7 is never used\).*journal repair/,
      ),
      "damaged: page 7 is never used",
    ]);
  });

  test("is not made again if a commit has found damage meanwhile", () => {
    const during = begun();
    during.damage = "page 9 is gone";
    during.end({ outcome: "failed", error: new Error("no thread") });
    expect(during.said.splice(0)).toEqual(["freeze", "check", "damaged: page 9 is gone"]);
    const before = begun();
    before.frozen = { ok: false, problem: "the disk is full" };
    before.end({ outcome: "failed", error: new Error("no thread") });
    before.said.splice(0);
    before.damage = "page 9 is gone";
    vi.advanceTimersByTime(3_600_000);
    expect(before.said).toEqual(["damaged: page 9 is gone"]);
    expect(during.said).toEqual([]);
  });

  test("is made again after a minute if it failed, the file is another one, or nothing can be written", () => {
    const test = begun();
    test.end({ outcome: "failed", error: new Error("no thread") });
    expect(test.said.splice(0)).toEqual(["freeze", "check", "stop", "thaw"]);
    test.place = { ok: false, problem: "it is gone" };
    vi.advanceTimersByTime(60_000);
    test.end({ outcome: "sound" });
    expect(test.said.splice(0)).toEqual(["freeze", "check", "stop", "thaw"]);
    test.place = OK;
    test.frozen = { ok: false, problem: "the disk is full" };
    vi.advanceTimersByTime(60_000);
    expect(test.said.splice(0)).toEqual(["freeze"]);
    test.frozen = OK;
    vi.advanceTimersByTime(60_000);
    test.end({ outcome: "sound" });
    expect(test.said).toEqual(["freeze", "check", "thaw", "sound"]);
  });

  test("gives up before the log that it holds back has grown too large", () => {
    const test = begun();
    writeFileSync(test.log, "");
    truncateSync(test.log, 128 * 1_048_576);
    vi.advanceTimersByTime(1_000);
    expect(test.said).toEqual(["freeze", "check"]);
    truncateSync(test.log, 128 * 1_048_576 + 1);
    vi.advanceTimersByTime(1_000);
    expect(test.said).toEqual(["freeze", "check", "stop", "thaw"]);
    truncateSync(test.log, 0);
    vi.advanceTimersByTime(60_000);
    expect(test.said.slice(4)).toEqual(["freeze", "check"]);
  });

  test("ends with the process", () => {
    const test = begun();
    test.stop();
    expect(test.said).toEqual(["freeze", "check", "stop"]);
    vi.advanceTimersByTime(3_600_000);
    expect(test.said).toHaveLength(3);
  });
});

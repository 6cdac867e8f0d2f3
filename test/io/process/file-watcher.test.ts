import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createSettling,
  watchFiles,
  type FileWatcher,
} from "../../../src/io/process/file-watcher.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const NEVER = 2_000_000;

let directory: ReturnType<typeof temporaryDirectory>;
let watching: FileWatcher | undefined;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => {
  watching?.close();
  watching = undefined;
  directory.remove();
});

/** Gives the next hint, of those that came already or will come. */
function hintsOf(directories: () => readonly string[], everyMs = NEVER) {
  const hints = { count: 0, seen: 0 };
  let wake = (): void => {};
  watching = watchFiles({
    directories,
    onHint: () => {
      hints.count += 1;
      wake();
    },
    settleMs: 5,
    everyMs,
  });
  return {
    count: () => hints.count,
    next: async (): Promise<void> => {
      while (hints.count <= hints.seen) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      hints.seen = hints.count;
    },
  };
}

describe("watching files", () => {
  it("hints at once, as something may have changed before, and at each change", async () => {
    const hints = hintsOf(() => [directory.path]);
    await hints.next();
    writeFileSync(join(directory.path, "a.yaml"), "1");
    await hints.next();
    rmSync(join(directory.path, "a.yaml"));
    await hints.next();
  });

  it("hints when the link of a mounted directory is swapped", async () => {
    for (const version of ["..one", "..two"]) mkdirSync(join(directory.path, version));
    symlinkSync("..one", join(directory.path, "..data"));
    const hints = hintsOf(() => [directory.path]);
    await hints.next();
    symlinkSync("..two", join(directory.path, "..data_tmp"));
    renameSync(join(directory.path, "..data_tmp"), join(directory.path, "..data"));
    await hints.next();
  });

  it("watches what is there by then when it is armed again, and hints", async () => {
    const later = join(directory.path, "later");
    const hints = hintsOf(() => [later]);
    await hints.next();
    mkdirSync(later);
    watching?.rearm();
    await hints.next();
    writeFileSync(join(later, "a.yaml"), "1");
    await hints.next();
  });

  it("hints every so often if nothing can be watched", async () => {
    const hints = hintsOf(() => [join(directory.path, "missing")], 10);
    for (let count = 0; count < 3; count += 1) await hints.next();
    expect(hints.count()).toBeGreaterThanOrEqual(3);
  });

  it("waits for the last of many writes, and no longer than two seconds", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let hints = 0;
    const settled = createSettling(250, () => (hints += 1));
    /** So many writes, each this long after the one before. */
    const write = (times: number, everyMs: number): void => {
      for (let time = 0; time < times; time += 1) {
        settled.note();
        vi.advanceTimersByTime(everyMs);
      }
    };
    write(4, 200);
    expect(hints).toBe(0);
    vi.advanceTimersByTime(50);
    expect(hints).toBe(1);
    write(11, 200);
    expect(hints).toBe(2);
    settled.drop();
    vi.advanceTimersByTime(10_000);
    expect(hints).toBe(2);
  });

  it("hints no more once it is closed", async () => {
    const hints = hintsOf(() => [directory.path], 10);
    await hints.next();
    watching?.rearm();
    watching?.close();
    const before = hints.count();
    writeFileSync(join(directory.path, "a.yaml"), "1");
    const other = temporaryDirectory();
    try {
      // Another watcher has seen a later change by then, and so would this one have.
      const observer = hintsOf(() => [other.path], 20);
      for (let count = 0; count < 3; count += 1) await observer.next();
    } finally {
      other.remove();
    }
    expect(hints.count()).toBe(before);
  });
});

import { watch, type FSWatcher } from "node:fs";
import { SECOND, type Millis } from "../../domain/time.ts";

/** Hints that files may have changed. The reader finds out whether they did. */
export type FileWatcher = {
  /** Watches the directories again, which may be others now; a hint follows. */
  readonly rearm: () => void;
  readonly close: () => void;
};

export type FileWatcherOptions = {
  /** A mount replaces a file by a link in its directory, so directories are watched, not files. */
  readonly directories: () => readonly string[];
  readonly onHint: () => void;
  /** Writes that follow each other are one hint, this long after the last of them, so that no half of a copy is read. */
  readonly settleMs?: Millis;
  /** Some mounts report no changes, so a hint comes regularly in any case. */
  readonly everyMs?: Millis;
};

export function watchFiles({
  directories,
  onHint,
  settleMs = SECOND / 4,
  everyMs = 30 * SECOND,
}: FileWatcherOptions): FileWatcher {
  let watchers: FSWatcher[] = [];
  const { note: hint, drop } = createSettling(settleMs, onHint);
  const closeAll = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  const rearm = (): void => {
    closeAll();
    watchers = directories().flatMap((directory) => watchDirectory(directory, hint));
    // A change while no directory was watched gave no hint.
    hint();
  };
  rearm();
  const timer = setInterval(rearm, everyMs);
  return {
    rearm,
    close: () => {
      clearInterval(timer);
      drop();
      closeAll();
    },
  };
}

/** Something else may write to the directory again and again. */
const SETTLES_WITHIN: Millis = 2 * SECOND;

/** Calls `onSettled` when nothing was noted for this long, or some time after the first of many. */
export function createSettling(settleMs: Millis, onSettled: () => void) {
  let last: NodeJS.Timeout | undefined;
  let first: NodeJS.Timeout | undefined;
  const drop = (): void => {
    clearTimeout(last);
    clearTimeout(first);
    first = undefined;
  };
  const settle = (): void => {
    drop();
    onSettled();
  };
  return {
    note: (): void => {
      clearTimeout(last);
      last = setTimeout(settle, settleMs);
      first ??= setTimeout(settle, SETTLES_WITHIN);
    },
    drop,
  };
}

/** A directory that is missing or cannot be watched has only the regular hints. */
function watchDirectory(directory: string, onEvent: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, { persistent: false }, onEvent);
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

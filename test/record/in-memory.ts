import { kinds } from "../../src/pollers/kinds.ts";
import type { Policy } from "../../src/domain/step.ts";
import type { StoredPage } from "../../src/io/journal/record-pages.ts";
import { toEnd } from "../../src/domain/slices.ts";
import type { Instant } from "../../src/domain/time.ts";
import { createRecorder, type Recorder, type RecorderOptions } from "../../src/record/recorder.ts";
import { rebuild, type Recorded } from "../../src/record/rebuild.ts";
import type { Telling } from "../../src/record/source-reader.ts";

/** A recorder whose pages stay in memory, each written as soon as it is due. */
export function recordInMemory(
  watched: () => Policy["aggregators"],
  options?: RecorderOptions,
): {
  readonly note: (...of: Parameters<Recorder["note"]>) => void;
  readonly pages: (at: Instant) => readonly StoredPage[];
} {
  const recorder = createRecorder(watched, options);
  const pages: StoredPage[] = [];
  const write = (at: Instant, all?: "all"): void => {
    for (const page of recorder.due(at, all)) pages.push({ ...page, seq: pages.length + 1 });
    recorder.written();
  };
  return {
    note: (event, at, result) => {
      toEnd(recorder.note(event, at, result));
      write(at);
    },
    pages: (at) => {
      write(at, "all");
      return pages;
    },
  };
}

/** All that the pages tell, and what was complained of. */
export function tellOf(
  pages: Iterable<StoredPage>,
  telling?: Telling,
): {
  readonly told: readonly Recorded[];
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const told = [...rebuild(pages, kinds, (problem) => problems.push(problem), telling)];
  return { told, problems };
}

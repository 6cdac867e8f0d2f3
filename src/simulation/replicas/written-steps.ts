import type { JournalRecord } from "../../io/journal/journal.ts";

/** How many steps of a tenure, counted from the first, the database has, and of how many of these anybody knows. */
export type WrittenSteps = {
  /** So many are in the record, or were before it. */
  readonly noteSent: (record: JournalRecord, steps: number) => void;
  readonly noteWritten: (record: JournalRecord) => void;
  readonly noteKnown: (record: JournalRecord) => void;
  readonly noteAllKnown: () => void;
  readonly count: () => number;
  /** It has no more than so many any more, and does not know the tenure if that is left out. */
  readonly lose: (left: number | undefined) => void;
  /** One is missing of which anybody knew. */
  readonly isLost: () => boolean;
};

export function createWrittenSteps(): WrittenSteps {
  // A part of a record may be left out, as it is written already; its changes are always the same.
  const inRecord = new WeakMap<JournalRecord["changes"], number>();
  let written = 0;
  let known = 0;
  let isLost = false;
  return {
    noteSent: ({ changes }, steps) => void inRecord.set(changes, steps),
    noteWritten: ({ changes }) => {
      written = Math.max(written, inRecord.get(changes) ?? 0);
    },
    noteKnown: ({ changes }) => {
      known = inRecord.get(changes) ?? known;
    },
    noteAllKnown: () => {
      known = written;
    },
    count: () => written,
    lose: (left) => {
      written = Math.min(written, left ?? 0);
      isLost ||= left === undefined || known > left;
    },
    isLost: () => isLost,
  };
}

import type { JournalRecord } from "../../io/journal/journal.ts";

/** How many steps of a tenure the database has, from the first on, and how many of these any replica knows of. */
export type WrittenSteps = {
  /** The steps up to this number are in the record, or were written before it. */
  readonly noteSent: (record: JournalRecord, steps: number) => void;
  readonly noteWritten: (record: JournalRecord) => void;
  readonly noteKnown: (record: JournalRecord) => void;
  readonly noteAllKnown: () => void;
  readonly count: () => number;
  /** The database has lost all but the first `left` steps; undefined: it does not know the tenure. */
  readonly lose: (left: number | undefined) => void;
  /** Whether a step is missing that any replica knew of. */
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

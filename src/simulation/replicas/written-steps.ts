import type { JournalRecord } from "../../io/journal/journal.ts";

/** How many steps of a tenure the database has, from the first on, and how many of these any replica knows of. */
export type WrittenSteps = ReturnType<typeof createWrittenSteps>;

export function createWrittenSteps() {
  // A part of a record may be left out, as it is written already; its changes are always the same.
  const inRecord = new WeakMap<JournalRecord["changes"], number>();
  let written = 0;
  let known = 0;
  let isLost = false;
  return {
    /** The steps up to this number are in the record, or were written before it. */
    noteSent: ({ changes }: JournalRecord, steps: number): void =>
      void inRecord.set(changes, steps),
    noteWritten: ({ changes }: JournalRecord): void => {
      written = Math.max(written, inRecord.get(changes) ?? 0);
    },
    noteKnown: ({ changes }: JournalRecord): void => {
      known = inRecord.get(changes) ?? known;
    },
    noteAllKnown: (): void => {
      known = written;
    },
    count: (): number => written,
    /** The database has lost all but the first `left` steps; undefined: it does not know the tenure. */
    lose: (left: number | undefined): void => {
      written = Math.min(written, left ?? 0);
      isLost ||= left === undefined || known > left;
    },
    /** Whether a step is missing that any replica knew of. */
    isLost: (): boolean => isLost,
  };
}

/** Tests src/io/journal: what every journal does, on that in a file. */
import { HOME } from "../../../src/domain/lease.ts";
import { readPages } from "../../../src/io/journal/record-pages.ts";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { JOURNAL_FILE, openJournal, type Journal } from "../../../src/io/journal/journal.ts";
import { COMMITS_PER_PRUNING, type JournalBounds } from "../../../src/io/journal/retention.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { journalContract } from "./contract.ts";

journalContract(async (context) => {
  const directory = temporaryDirectory();
  let journal = opened(directory.path);
  const again = (bounds?: JournalBounds): Journal => {
    journal.close();
    journal = opened(directory.path, bounds);
    return journal;
  };
  context.onTestFinished(() => {
    journal.close();
    directory.remove();
  });
  return {
    commit: async (record) => journal.commit(record),
    rows: async () => [...again().rows()],
    findings: async (limit) => journal.findings(limit),
    historyOf: async (alert, until) => journal.historyOf(alert, until),
    orders: async (from, until) => journal.orders(from, until),
    between: async (span, searched) => journal.between(span, searched),
    alertsAfter: async (key, until, limit) => journal.alertsAfter(key, until, limit),
    restarts: async (from, until) => journal.restarts(from, until),
    reachesBackTo: async () => journal.reachesBackTo(),
    recordSpan: async () => journal.recordSpan(),
    chapterAt: async (at) => journal.chapterAt(at, HOME),
    pagesFrom: async (seq, limit) => journal.pagesFrom(seq, limit),
    pages: async () => {
      journal.close();
      const file = new DatabaseSync(join(directory.path, JOURNAL_FILE));
      const bodies = [...readPages(file, 0)].map((page) =>
        "body" in page ? page.body : page.problem,
      );
      file.close();
      journal = opened(directory.path);
      return bodies;
    },
    prune: async (at, bounds) => {
      const bounded = again(bounds);
      for (let index = 0; index < COMMITS_PER_PRUNING; index += 1)
        bounded.commit({ at, changes: [], findings: [] });
    },
  };
});

function opened(directory: string, bounds?: JournalBounds): Journal {
  const journal = openJournal(directory, bounds);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

import { postgresJournal } from "../../../src/io/postgres/journal.ts";
import { HOME } from "../../../src/domain/lease.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { readPages } from "../../../src/io/postgres/pages.ts";
import { journalContract } from "../journal/contract.ts";
import { connectMigrated } from "./fixture.ts";

/** What every journal does, on that in a PostgreSQL. */
export const postgresContract = (makeDatabase: () => Promise<string>): void =>
  journalContract(async (context) => {
    const database = await connectMigrated(context, await makeDatabase());
    const journal = postgresJournal(database, HOME);
    const taken = await leaseStore(database, HOME).take("a");
    if (!taken.ok || !taken.value.taken) throw new Error("the lease is another's");
    const { epoch } = taken.value;
    let sequence = 0;
    let after = 0;
    return {
      commit: async (record) => {
        sequence += 1;
        const done = await journal.commit(record, { epoch, sequence, after });
        if (done.ok) after = sequence;
        return done;
      },
      rows: async () => {
        const loaded = await journal.load(epoch);
        if (!loaded.ok) throw new Error(loaded.problem.detail);
        return loaded.value.rows;
      },
      findings: journal.findings,
      historyOf: journal.historyOf,
      orders: journal.orders,
      between: journal.between,
      alertsAfter: journal.alertsAfter,
      restarts: journal.restarts,
      reachesBackTo: journal.reachesBackTo,
      recordSpan: journal.recordSpan,
      chapterAt: async (at) => await journal.chapterAt(at, HOME),
      pagesFrom: journal.pagesFrom,
      pages: async () => {
        const bodies: string[] = [];
        for await (const page of readPages(database))
          bodies.push("body" in page ? page.body : page.problem);
        return bodies;
      },
      prune: journal.prune,
    };
  });

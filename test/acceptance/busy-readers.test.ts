import { expect, it } from "vitest";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { startPair } from "./pair.ts";
import { remediationLine } from "./quick.ts";

const server = usePostgres();

const READERS = 24;

it("readers that keep the database busy hold up neither the lease nor the commits of the owner", async (context) => {
  const aggregator = await startAggregator(context);
  const database = await server().makeDatabase();
  const { a } = await startPair(context, database, aggregator.url);
  const { query } = await connect(context, database);
  // Findings are written as fast as before, and each read of them takes seconds.
  await query("ALTER TABLE finding RENAME TO written_finding");
  await query(
    "CREATE VIEW finding AS SELECT * FROM written_finding WHERE (SELECT pg_sleep(4)) IS NOT NULL",
  );
  const over = new AbortController();
  let replies = 0;
  const refused = Promise.withResolvers<void>();
  const readers = Array.from({ length: READERS }, async () => {
    while (!over.signal.aborted) {
      const { ok } = await fetch(`${a.url}/api/v1/findings`);
      replies += 1;
      if (!ok && replies > READERS) refused.resolve();
    }
  });
  const ended = Promise.allSettled(readers);
  await refused.promise;
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await a.line(remediationLine("verified"));
  expect(await a.metric("aggwatch_lease_epoch")).toBe(1);
  over.abort();
  await ended;
});

import type { Database } from "../../../src/io/postgres/database.ts";

/**
 * Ends the connections that fit a condition on `pg_stat_activity`, until an event has come. Once is not enough: one that
 * is being made has its rights already, and is not listed yet.
 */
export async function endConnections(
  query: Database["query"],
  condition: string,
  until: Promise<unknown>,
): Promise<void> {
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${condition}`;
  const come = new AbortController();
  const ending = async (): Promise<void> => {
    while (!come.signal.aborted) await query(end);
  };
  await Promise.all([until.finally(() => come.abort()), ending()]);
}

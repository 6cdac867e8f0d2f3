import { originText, type WatchReading } from "../../domain/watch.ts";
import type { Logger } from "../../io/process/log.ts";

/** What people are told of the watch lists' sources. */

/** Each problem of a source is logged when it comes, and that it is over when it goes. */
export function tellProblems(
  log: Logger,
  readings: readonly WatchReading[],
  told: Map<string, string>,
): void {
  for (const { aggregator, sources } of readings) {
    for (const state of sources) {
      const fields = { aggregator, list: originText(state) };
      const key = `${aggregator} ${originText(state)}`;
      const before = told.get(key);
      if (state.problem === before) continue;
      if (state.problem === undefined) {
        told.delete(key);
        log.info(fields, "watch list can be read again");
      } else {
        told.set(key, state.problem);
        const problems = state.problem.split("\n");
        log.error({ ...fields, problems }, "watch list cannot be read; the one before is in force");
      }
    }
  }
}

/** As many names that disagree are told one by one. */
const MOST_CONFLICTS = 5;

/** What an operator is told on the page and by `/healthz`. */
export function noticesOf({ aggregator, sources, conflicts }: WatchReading): string[] {
  const failed = sources.flatMap((state) => {
    if (state.problem === undefined) return [];
    const [first = ""] = state.problem.split("\n");
    const instead =
      state.entries === undefined
        ? "nothing"
        : `what it said before (${state.entries.length} entries)`;
    return [`Watch list ${originText(state)} of ${aggregator}: ${instead} is in force: ${first}`];
  });
  const more = conflicts.length - MOST_CONFLICTS;
  return [
    ...failed,
    ...conflicts.slice(0, MOST_CONFLICTS).map((text) => `Watch lists of ${aggregator}: ${text}`),
    ...(more > 0 ? [`Watch lists of ${aggregator}: ${more} more such`] : []),
  ];
}

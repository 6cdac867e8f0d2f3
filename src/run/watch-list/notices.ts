import { counted } from "../../domain/wording.ts";
import { originText, type WatchReading } from "../../domain/watch.ts";
import type { Logger } from "../../io/process/log.ts";
import type { AggregatorSetup } from "../setup.ts";
import { sweepNotices } from "./sweep-plan.ts";

/** What is logged and shown of the watch lists' sources. */

/** Logs each problem of a source once when it begins, and once when it is over. */
export function createProblemLog(): (log: Logger, readings: readonly WatchReading[]) => void {
  const logged = new Map<string, string>();
  return (log, readings) => {
    for (const { aggregator, sources } of readings) {
      for (const state of sources) {
        const fields = { aggregator, list: originText(state) };
        const key = `${aggregator} ${fields.list}`;
        const { problem } = state;
        if (problem === logged.get(key)) continue;
        if (problem === undefined) {
          logged.delete(key);
          log.info(fields, "watch list can be read again");
        } else {
          logged.set(key, problem);
          const problems = problem.split("\n");
          log.error(
            { ...fields, problems },
            "watch list cannot be read; the one before is in force",
          );
        }
      }
    }
  };
}

/** More names that disagree are counted, and left out. */
const MOST_CONFLICTS = 5;

/** What the page and `/healthz` show to operators. */
export function noticesOf(
  { aggregator, sources, conflicts, sweeps }: WatchReading,
  { client }: Pick<AggregatorSetup, "client">,
): string[] {
  const failed = sources.flatMap((state) => {
    if (state.problem === undefined) return [];
    const [first = ""] = state.problem.split("\n");
    const instead =
      state.entries === undefined
        ? "nothing"
        : `what it said before (${counted(state.entries.length, "entry", "entries")})`;
    return [`Watch list ${originText(state)} of ${aggregator}: ${instead} is in force: ${first}`];
  });
  const more = conflicts.length - MOST_CONFLICTS;
  return [
    ...failed,
    ...conflicts.slice(0, MOST_CONFLICTS).map((text) => `Watch lists of ${aggregator}: ${text}`),
    ...(more > 0 ? [`Watch lists of ${aggregator}: ${more} more such`] : []),
    ...sweepNotices({ aggregator, sweeps }, client.rate.requestsPerSecond),
  ];
}

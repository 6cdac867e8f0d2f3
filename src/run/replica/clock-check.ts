import { formatDuration, MINUTE, SECOND, type Instant, type Millis } from "../../domain/time.ts";
import { SYSTEM } from "../../io/process/clock.ts";
import { DatabaseAway, type Database } from "../../io/postgres/database.ts";

/** How far this replica's clock is from the database's, which all replicas can be compared with. */
type ClockCheck = {
  /** Compares them once. While the database is away, nothing new is known. */
  readonly look: () => Promise<void>;
  readonly notices: () => readonly string[];
};

/** Less than that makes no hold or budget end at a time that would surprise people. */
const MOST_APART: Millis = 5 * SECOND;
export const LOOK_EVERY: Millis = MINUTE;

export function checkClock(
  { query }: Pick<Database, "query">,
  log: Readonly<Record<"warn" | "info", (fields: object, text: string) => void>>,
  wall: () => Instant = SYSTEM.wall,
): ClockCheck {
  let text: string | undefined;
  return {
    look: async () => {
      const found = await apart(query, wall).catch((error: unknown) => {
        if (error instanceof DatabaseAway) return undefined;
        throw error;
      });
      if (found === undefined) return;
      const { leastMs, mostMs } = found;
      const isApart = Math.abs(leastMs) > MOST_APART;
      // An answer that took long does not tell.
      if (!isApart && mostMs > MOST_APART) return;
      const before = text;
      text = isApart ? textOf(leastMs) : undefined;
      if (text !== undefined && before === undefined) log.warn({}, text);
      if (text === undefined && before !== undefined)
        log.info({}, "the clock of this replica agrees with the database's again");
    },
    notices: () => (text === undefined ? [] : [text]),
  };
}

/**
 * By how much the own clock is ahead, at least; and by how much it may be off. The answer was made at some instant between
 * question and answer.
 */
async function apart(query: Database["query"], wall: () => Instant) {
  const asked = wall();
  const [row] = await query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at");
  const answered = wall();
  const at = Number(row?.["at"]);
  const leastMs: Millis = asked > at ? asked - at : Math.min(0, answered - at);
  const mostMs: Millis = Math.max(answered - at, at - asked);
  return { leastMs, mostMs };
}

function textOf(aheadMs: Millis): string {
  const length = formatDuration(Math.round(Math.abs(aheadMs) / SECOND) * SECOND);
  const how = aheadMs > 0 ? "ahead of" : "behind";
  return `the clock of this replica is ${length} ${how} the database's: while it acts, holds, silences and budgets go by it. Run NTP on both hosts`;
}

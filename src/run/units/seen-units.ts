import type { OtherUnits, WorkFault } from "../../core/explain/heartbeat.ts";
import type { Entity } from "../../domain/entity.ts";
import { pollerKey, sendersNumber, sendersUnits } from "../../domain/lease.ts";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { passingClock, type ClockSources } from "../../io/process/clock.ts";
import type { Database } from "../../io/postgres/database.ts";
import { storable } from "../../io/postgres/text.ts";
import { SENDER_POLLERS } from "../../pollers/watch-kinds.ts";
import type { Service } from "../service/service.ts";
import { unownedLine } from "./units.ts";

/** A unit may be without an owner for so long, and may go unseen for so long: as in `NoOwner` of Prometheus. */
const GRACE: Millis = 60 * SECOND;

/** What a unit of senders knows of the others: it may have no senders, and `home` speaks for all. */
export const WATCHED_ELSEWHERE: OtherUnits = { isWatching: true, faults: [] };

type PollersRead = {
  readonly count: number;
  readonly stale: readonly WorkFault[];
};

/** What the owner of `home` knows of the units of senders: it sends the heartbeat for all of them. */
export type SeenUnits = {
  /** To be called with each reading of the units. Rejects if the database is away; what was read before then stays. */
  readonly look: (
    unowned: readonly string[],
    home: Pick<Service, "loop"> | undefined,
  ) => Promise<void>;
  readonly others: () => OtherUnits;
};

export function createSeenUnits(
  { query }: Pick<Database, "query">,
  shards: number,
  clocks?: ClockSources,
): SeenUnits {
  const names = sendersUnits(shards);
  const steadyNow = passingClock(clocks);
  const unownedSince = new Map<string, Millis>();
  let lookedAt = steadyNow();
  let read: PollersRead | undefined;

  function noteOwners(unowned: readonly string[], now: Millis): void {
    for (const unit of names)
      if (!unowned.includes(unit)) unownedSince.delete(unit);
      else if (!unownedSince.has(unit)) unownedSince.set(unit, now);
  }

  function faults(): readonly WorkFault[] {
    const now = steadyNow();
    const unseenMs = now - lookedAt;
    if (unseenMs > GRACE)
      return [
        overdue(`what the units of senders do has not been seen for ${formatDuration(unseenMs)}`),
      ];
    const unowned = [...unownedSince].filter(([, since]) => now - since > GRACE);
    return [...unowned.map(([unit]) => overdue(unownedLine(unit))), ...(read?.stale ?? [])];
  }

  return {
    look: async (unowned, home) => {
      noteOwners(unowned, steadyNow());
      read = home && (await readPollers({ query }, names, home));
      lookedAt = steadyNow();
    },
    others: () => ({ isWatching: read === undefined || read.count > 0, faults: faults() }),
  };
}

/** As the units' own cores judge them: how often a unit polls depends on how many senders it has. */
async function readPollers(
  { query }: Pick<Database, "query">,
  names: readonly string[],
  { loop }: Pick<Service, "loop">,
): Promise<PollersRead> {
  const keys = names.flatMap((unit) =>
    loop
      .policy()
      .aggregators.flatMap(({ name: aggregator }) =>
        [...SENDER_POLLERS].map((name) =>
          pollerKey(aggregator, { name, unit: sendersNumber(unit) }),
        ),
      ),
  );
  const rows = await query(
    "SELECT unit, value FROM state WHERE unit = ANY($1::text[]) AND name = 'entity' AND key = ANY($2::text[]) AND value IS NOT NULL",
    [names, keys.map(storable)],
  );
  const known = rows.map(({ unit, value }) => ({
    unit: String(unit),
    ...(JSON.parse(String(value)) as Pick<Entity, "aggregator" | "id" | "facts">),
  }));
  const stale = known.filter(({ facts }) => facts["stale"] === true);
  return {
    count: known.length,
    stale: stale.map(({ unit, aggregator, id }) =>
      overdue(`${unit}: ${aggregator}/${id} has read nothing for longer than its stale_after`),
    ),
  };
}

function overdue(detail: string): WorkFault {
  return { reason: "poll_overdue", detail };
}

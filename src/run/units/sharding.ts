import type { Millis } from "../../domain/time.ts";
import type { Database } from "../../io/postgres/database.ts";
import { presenceOf } from "../../io/postgres/presence.ts";
import type { Logger } from "../../io/process/log.ts";
import type { RunningUnit } from "../replica/run-unit.ts";
import { followHomeAlerts } from "./home-alerts.ts";
import type { SeenUnits } from "./seen-units.ts";
import { followSilences } from "./silences.ts";
import { startUnits, type Units } from "./units.ts";

/** Takes this replica's part of the units of senders. */
export function startSharding(
  {
    owner,
    shards,
    leaseMs,
    database,
    writer,
    log,
    home,
    seen,
  }: {
    readonly owner: string;
    readonly shards: number;
    readonly leaseMs: Millis;
    readonly database: Database;
    /** For reports that it lives, which readers must not hold up. */
    readonly writer: Database;
    readonly log: Logger;
    readonly home: RunningUnit;
    readonly seen: SeenUnits;
  },
  start: (unit: string) => RunningUnit,
): Units {
  return startUnits({
    owner,
    shards,
    leaseMs,
    presence: presenceOf(writer, owner, { lastsMs: leaseMs, shards }),
    start,
    log,
    onTurn: async (running, unowned) => {
      await seen.look(unowned, home.life()?.service());
      const services = running.flatMap((unit) => unit.life()?.service() ?? []);
      await followHomeAlerts(database, services);
      await followSilences(database, services);
    },
  });
}

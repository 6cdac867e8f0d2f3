import type { Millis } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { postgresJournal } from "../../io/postgres/journal.ts";
import { leaseStore } from "../../io/postgres/lease.ts";
import { undeletedLogger } from "../servers.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";
import { setupOfUnit } from "../units/unit-setup.ts";
import { beginLife, type OwningLife } from "./owner-life.ts";
import { createBugHandler } from "./bug-handler.ts";
import { createInForce } from "./in-force.ts";
import { startReplica, type Replica } from "./replica.ts";
import type { SharedWorld } from "./shared-world.ts";
import { loggedLeases } from "./logged-leases.ts";

/** One unit in this replica: it asks for the unit's lease, and lives as its owner while it has it. */
export type RunningUnit = Replica & {
  readonly unit: string;
  readonly world: SharedWorld;
  /** Undefined while another owns it, and until it has begun. */
  readonly life: () => OwningLife | undefined;
};

export type UnitWorld = Pick<SharedWorld, "name" | "database" | "writer" | "shown" | "others"> & {
  readonly owner: string;
  readonly leaseMs: Millis;
  readonly setup: WatchdogSetup;
  /** The unit's part of the config and rules; undefined if nothing is read again. */
  readonly sourcesOf: (part: (setup: WatchdogSetup) => WatchdogSetup) => Sources | undefined;
  /** It has begun to decide. */
  readonly onBegun: () => void;
  /** It cannot go on: there were too many bugs in the core. */
  readonly onBroken: (bug: unknown) => void;
};

export function runUnit(unit: string, given: UnitWorld): RunningUnit {
  const { name, owner, database, writer, leaseMs, shown, others, onBegun, onBroken } = given;
  const log = unit === HOME ? given.setup.log : given.setup.log.child({ unit });
  const part = (whole: WatchdogSetup): WatchdogSetup => ({ ...setupOfUnit(whole, unit), log });
  const setup = part(given.setup);
  const inForce = createInForce(setup, given.sourcesOf(part), log);
  let life: OwningLife | undefined;
  let takeOvers = 0;
  const world: SharedWorld = {
    unit,
    name,
    owner,
    database,
    writer,
    journal: postgresJournal(database, unit, { owner, writer }),
    log,
    notDeleted: undeletedLogger(log),
    current: inForce.current,
    reading: () => {
      const lease = replica.lease();
      return {
        isOwner: isCounted(replica),
        isDatabaseUp: replica.problem() === undefined,
        lease: lease && { epoch: lease.epoch, leftMs: lease.leftMs() },
        takeOvers,
        bugs: bugHandler.bugs(),
      };
    },
    shown,
    others,
  };
  const leases = leaseStore(writer, unit, leaseMs, setup.settings.journal.shards);
  const replica = startReplica({
    owner,
    // All units are in one database: one of them reports it.
    leases: unit === HOME ? loggedLeases(leases, log) : leases,
    lastsMs: leaseMs,
    journal: world.journal,
    live: (owned) => {
      inForce.renew();
      takeOvers += 1;
      life = beginLife(world, owned, (service) => {
        const { mode } = service.loop.policy().acting;
        const { epoch } = owned.lease;
        if (unit === HOME) log.info({ epoch, mode }, "acting");
        else log.info({ epoch }, "watching senders");
        bugHandler.begun(service, owned.lease);
        onBegun();
      });
      return life;
    },
    onStandby: (why) => {
      life = undefined;
      log.warn({ detail: why }, "standing by: the lease is lost");
    },
    onUnreadable: (why) => log.error({ detail: why }, "the journal cannot be read"),
  });
  const bugHandler = createBugHandler({ unit, beginAgain: replica.beginAgain, onBroken });
  return { ...replica, unit, world, life: () => life };
}

/** One that hangs does nothing, and one whose lease has run out sends no action: they do not count as owners. */
function isCounted({ isOwner, fault, lease }: Replica): boolean {
  return isOwner() && fault() === undefined && lease()?.leftMs() !== 0;
}

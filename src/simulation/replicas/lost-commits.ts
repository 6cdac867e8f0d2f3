import { restore } from "../../core/start.ts";
import { HOME } from "../../domain/lease.ts";
import type { JournalRecord } from "../../io/journal/journal.ts";
import type { Machine } from "../machine/machines.ts";
import { isOfAction } from "../machine/observed-journal.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { Loss } from "../plan.ts";
import type { RunEvent } from "../run-event.ts";
import type { Owners } from "./owners.ts";
import type { SharedDatabase } from "./shared-database.ts";
import type { Tenure } from "./tenure.ts";

/** A database that loses its last commits: an asynchronous copy of it that has fallen behind takes its place. */
export type LostCommits = ReturnType<typeof createLostCommits>;

type World = {
  readonly time: VirtualTime;
  readonly database: () => Pick<SharedDatabase, "keep" | "rowsOf" | "epochOf">;
  readonly owners: () => Owners;
  readonly observe: (seen: RunEvent, unit: string) => void;
  readonly note: (text: string) => void;
  /** The copy is in place: a replica that would continue from it, as if no other had owned the unit since, must end. */
  readonly onPromoted: () => void;
};

type Copy = { readonly putBack: () => void; readonly written: ReadonlyMap<Tenure, number> };

export function createLostCommits(world: World) {
  const { time, note } = world;
  /** Only the newest copy can be promoted. */
  let newest: Copy | undefined;
  let next: Loss | undefined;
  let hasLost = false;
  let hasEnded = false;

  function begin({ after }: Loss): void {
    const copy = copyOf(world);
    newest = copy;
    time.at(time.now() + after, () => {
      if (newest !== copy || hasEnded) return;
      newest = undefined;
      hasLost = true;
      note("a copy of the database that lacks what was committed last takes its place");
      promote(world, copy);
    });
  }

  function beginAt(from: Loss["from"]): Loss | undefined {
    const loss = next?.from === from && !hasEnded ? next : undefined;
    if (loss === undefined) return undefined;
    next = undefined;
    begin(loss);
    return loss;
  }

  return {
    lose: (loss: Loss): void => {
      if (loss.from === "now") begin(loss);
      else next = loss;
    },
    /** Must be called right before a lease is taken. */
    beforeTaken: (unit: string, machine: Machine): void => {
      const stall = unit === HOME ? beginAt("next_take_over")?.stall : undefined;
      if (stall !== undefined) time.at(time.now(), () => machine.pause(stall.length, stall.asleep));
    },
    /** Must be called right before a record is written. */
    beforeWrite: (unit: string, record: JournalRecord): void => {
      if (unit === HOME && isOfAction(record)) beginAt("next_action");
    },
    /** Commits were lost at least once: an epoch alone no longer identifies the owner. */
    hasLost: (): boolean => hasLost,
    /** Ends all losses. */
    end: (): void => {
      hasEnded = true;
    },
  };
}

function copyOf({ database, owners }: World): Copy {
  const written = [...owners().all()].map(
    ([, { tenure }]) => [tenure, tenure.written.count()] as const,
  );
  return { putBack: database().keep(), written: new Map(written) };
}

function promote(world: World, { putBack, written }: Copy): void {
  const { time, observe, onPromoted } = world;
  const [database, owners] = [world.database(), world.owners()];
  putBack();
  for (const [unit, { tenure }] of owners.all()) {
    owners.countFrom(unit, database.epochOf(unit));
    tenure.written.lose(written.get(tenure));
    if (!tenure.written.isLost()) continue;
    observe({ type: "lost", at: time.now(), state: restore(database.rowsOf(unit)) }, unit);
  }
  onPromoted();
}

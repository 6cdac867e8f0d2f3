import { HOME } from "../../domain/lease.ts";
import type { Policy } from "../../domain/step.ts";
import type { Machine } from "../machine/machines.ts";
import type { VirtualTime } from "../machine/virtual-time.ts";
import type { Ended, RunEvent } from "../run-event.ts";
import type { Tenure } from "./tenure.ts";

/** The owner of a unit, or the last one. */
type Owner = {
  readonly replica: { readonly name: string; readonly machine: Machine };
  readonly tenure: Tenure;
  readonly policy: () => Policy;
};

export type Owners = ReturnType<typeof createOwners>;

export function createOwners({
  time,
  observe,
  onTakeOver,
}: {
  readonly time: VirtualTime;
  readonly observe: (seen: RunEvent, unit: string) => void;
  readonly onTakeOver: (unit: string) => void;
}) {
  const owners = new Map<string, Owner>();
  const epochs = new Map<string, number>();
  const ofSenders = (): Array<[string, Owner]> => [...owners].filter(([unit]) => unit !== HOME);
  return {
    of: (unit: string): Owner | undefined => owners.get(unit),
    isOwner: (tenure: Tenure): boolean => owners.get(tenure.unit)?.tenure === tenure,
    /** False if it took the lease, and another has taken it since: it was suspended while it read the rows. */
    takeOver: (next: Owner): boolean => {
      const { unit, epoch } = next.tenure;
      const last = owners.get(unit)?.tenure;
      if ((epochs.get(unit) ?? 0) > epoch) return false;
      last?.showWritten();
      if (last?.isOver() === false)
        observe({ type: "crashed", at: time.now(), boundary: "another replica took over" }, unit);
      owners.set(unit, next);
      epochs.set(unit, epoch);
      onTakeOver(unit);
      return true;
    },
    /** The database counts epochs from `epoch` again. */
    countFrom: (unit: string, epoch: number): void => void epochs.set(unit, epoch),
    all: (): Iterable<readonly [unit: string, owner: Owner]> => owners,
    /** Shows an event of all units whose owner runs on the machine. */
    showOf: (machine: Machine, seen: RunEvent): void => {
      for (const [unit, { replica }] of owners)
        if (replica.machine === machine) observe(seen, unit);
    },
    /** Every step that was decided was shown. */
    isQuiet: (): boolean => [...owners.values()].every(({ tenure }) => tenure.isQuiet()),
    /** What the owner of each unit of senders knows at the end of the run. */
    ends: (): ReadonlyArray<readonly [unit: string, ended: Ended]> => {
      const at = time.now();
      return ofSenders().map(([unit, { tenure, policy }]) => [
        unit,
        { type: "ended", at, policy: policy(), state: tenure.state(), truth: [] },
      ]);
    },
    /** How many units of senders the replica owns. */
    count: (replica: object): number =>
      ofSenders().filter(([, own]) => own.replica === replica && !own.tenure.isOver()).length,
  };
}

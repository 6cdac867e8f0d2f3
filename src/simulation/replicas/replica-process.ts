import { HOME } from "../../domain/lease.ts";
import { LEASE_LASTS } from "../../io/postgres/lease-store.ts";
import { startUnits } from "../../run/units/units.ts";
import { createMortality, type Mortality } from "../machine/mortality.ts";
import { quietLog } from "../machine/simulated-setup.ts";
import type { ReplicaEnvironment } from "./replica-environment.ts";
import { startUnit, type SimulatedUnit } from "./replica-unit.ts";
import type { Tenure } from "./tenure.ts";

/** A process that is one of several replicas, from its start to its crash or its end. */
export type ReplicaProcess = Mortality & {
  /** The last tenure of each unit that it had. */
  readonly tenures: () => readonly Tenure[];
  readonly stop: () => Promise<void>;
};

export function startReplicaProcess(world: ReplicaEnvironment): ReplicaProcess {
  const { owner, machine, database, time, shards } = world;
  const all: SimulatedUnit[] = [];
  const tenures = (): Tenure[] => all.flatMap(({ tenure }) => tenure() ?? []);
  const mortality = createMortality({
    time,
    observe: (seen) => {
      for (const tenure of tenures()) {
        tenure.showWritten();
        world.observe(tenure, seen);
      }
    },
    onDeath: (boundary) => {
      for (const tenure of tenures()) tenure.end();
      machine.dropTimers();
      world.onDeath(boundary);
    },
  });
  const { isAlive } = mortality;
  let stop = async (): Promise<void> => await Promise.resolve();
  const stopProcess = async (): Promise<void> =>
    await new Promise((resolve) => {
      const end = async (): Promise<void> => {
        await stop();
        mortality.die("stopped");
        resolve();
      };
      machine.run(() => void end());
    });
  const start = (unit: string): SimulatedUnit => {
    const own = startUnit(world, unit, { ...mortality, stop: stopProcess });
    all.push(own);
    return own;
  };
  machine.run(() => {
    if (!isAlive()) return;
    const home = start(HOME);
    if (shards === 0) {
      ({ stop } = home);
      return;
    }
    const from = { machine, isAlive, owner, onWritten: () => undefined };
    const units = startUnits({
      owner,
      shards,
      leaseMs: LEASE_LASTS,
      clocks: machine,
      presence: database.presence(from),
      start,
      onTurn: async () => await Promise.resolve(),
      log: quietLog(),
    });
    stop = async () => {
      await Promise.all([home.stop(), units.stop()]);
    };
  });
  return { ...mortality, tenures, stop: stopProcess };
}

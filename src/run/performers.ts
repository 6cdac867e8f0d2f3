import { shutdownGrace } from "./service/shutdown-grace.ts";
import { createEffects, type Effects, type EffectsWorld } from "./effects.ts";
import type { Loop } from "./loop.ts";
import { createNotifying, type Notifying, type NotifyingWorld } from "./notifying.ts";
import { outdatedBy } from "./outdated.ts";
import { createLeaseWatch, type LeaseWatch } from "./replica/lease-watch.ts";
import type { GapDetector } from "../io/process/gap.ts";
import type { Lease } from "./replica/lease.ts";
import type { WatchdogSetup } from "./setup.ts";

type Performers = {
  readonly notifying: Notifying;
  readonly effects: Effects;
  readonly lease: LeaseWatch;
};

type PerformersWorld = Omit<
  NotifyingWorld,
  "push" | "settings" | "isRecorded" | "isAbandoned" | "graceMs"
> & {
  readonly gaps?: GapDetector | undefined;
  readonly lease?: Lease | undefined;
};

/** The parts of the daemon that are made for it. */
type PerformersOwn = Pick<EffectsWorld, "actSignal"> & {
  readonly loop: () => Loop;
  readonly setup: () => WatchdogSetup;
  readonly polling: Pick<EffectsWorld, "clientOf" | "probeRequest">;
};

/** What carries out effects. An action is checked once more right before it leaves. */
export function createPerformers(world: PerformersWorld, own: PerformersOwn): Performers {
  const { loop, setup, polling, actSignal } = own;
  const { clientOf, probeRequest } = polling;
  const push: Loop["push"] = (event) => loop().push(event);
  const isRecorded = (): boolean => loop().journalWritable();
  const isAbandoned = (): boolean => loop().isAbandoned();
  const { notificationsMs: graceMs } = shutdownGrace(world.lease);
  const settings = () => setup().notify;
  const given = { push, settings, isRecorded, isAbandoned, graceMs };
  const notifying = createNotifying({ ...world, ...given });
  const lease = createLeaseWatch(world.lease, loop, setup);
  const outdated = outdatedBy({ ...world, loop, lease: lease.reading });
  const notify = notifying.perform;
  const effects = createEffects({ push, clientOf, probeRequest, notify, outdated, actSignal });
  return { notifying, lease, effects };
}

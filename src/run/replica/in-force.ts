import { SECOND, type Millis } from "../../domain/time.ts";
import { steadyNow, systemClock } from "../../io/process/clock.ts";
import type { Logger } from "../../io/process/log.ts";
import type { FailedReading } from "../reloading.ts";
import type { Loaded, Sources, WatchdogSetup } from "../setup.ts";

/** Any request may ask, and a look reads every file. */
const LOOKS_EVERY: Millis = SECOND;

/** The settings and rules that a life begins with: those of the files, unless there are problems in them. */
export function createInForce(setup: WatchdogSetup, sources: Sources | undefined, log: Logger) {
  let current = setup;
  const { now } = systemClock();
  let readAt = now();
  let failed: FailedReading | undefined;
  let isFirst = true;
  let lookedAt: Millis = Number.NEGATIVE_INFINITY;
  const inForce = () => ({ setup: current, sources, failed });
  const load = (accept: (loaded: Loaded) => void): void => {
    if (sources === undefined) return;
    const loaded = sources.load("reload");
    if (!loaded.ok) {
      log.error({ problems: loaded.problem }, "config and rules are not read again");
      failed = { problems: loaded.problem, successAt: readAt };
      return;
    }
    accept(loaded.value);
    readAt = now();
    failed = undefined;
    log.level = loaded.value.setup.settings.log.level;
    // What traces was opened at the start, and goes on.
    current = { ...loaded.value.setup, tracing: setup.tracing };
  };
  return {
    current: inForce,
    renew: (): void => {
      const isSame = isFirst && sources?.isOutdated() !== true;
      isFirst = false;
      if (!isSame) load((loaded) => loaded.accept());
    },
    /** The same, first read again if the files are others now: for what shows, and has no life that watches them. */
    renewed: (): ReturnType<typeof inForce> => {
      if (steadyNow() - lookedAt >= LOOKS_EVERY) {
        lookedAt = steadyNow();
        // Nothing is decided by them, so the next reload is still to say what it changes.
        if (sources?.isOutdated() === true) load(() => undefined);
      }
      return inForce();
    },
  };
}

import { systemClock } from "../../io/process/clock.ts";
import type { Logger } from "../../io/process/log.ts";
import type { FailedReading } from "../reloading.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";

/** The settings and rules that a life begins with: those of the files, unless there are problems in them. */
export function createInForce(setup: WatchdogSetup, sources: Sources | undefined, log: Logger) {
  let current = setup;
  const { now } = systemClock();
  let readAt = now();
  let failed: FailedReading | undefined;
  let isFirst = true;
  return {
    current: () => ({ setup: current, sources, failed }),
    renew: (): void => {
      const isSame = isFirst && sources?.isOutdated() !== true;
      isFirst = false;
      if (isSame || sources === undefined) return;
      const loaded = sources.load("reload");
      if (!loaded.ok) {
        log.error({ problems: loaded.problem }, "config and rules are not read again");
        failed = { problems: loaded.problem, successAt: readAt };
        return;
      }
      loaded.value.accept();
      readAt = now();
      failed = undefined;
      log.level = loaded.value.setup.settings.log.level;
      // What traces was opened at the start, and goes on.
      current = { ...loaded.value.setup, tracing: setup.tracing };
    },
  };
}

import { onTestFinished } from "vitest";
import type { WatchdogSetup } from "../../../src/run/setup.ts";
import { startWatchdog, type Watchdog, type WatchdogOptions } from "../../../src/run/watchdog.ts";

/** A daemon that has started, and ends with the test. */
export async function startedWatchdog(
  setup: WatchdogSetup,
  options?: WatchdogOptions,
): Promise<Watchdog> {
  const started = await startWatchdog(setup, options);
  if (!started.ok) throw new Error(started.problem);
  onTestFinished(started.value.stop);
  return started.value;
}

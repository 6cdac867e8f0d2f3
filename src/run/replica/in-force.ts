import { ruleChanges, ruleHashes } from "../../core/change/reload.ts";
import { indexRules } from "../../core/policy.ts";
import { succeed } from "../../domain/result.ts";
import type { ReloadDone } from "../../io/api/server-source.ts";
import { systemClock } from "../../io/process/clock.ts";
import type { Logger } from "../../io/process/log.ts";
import { createReadAgain, type FailedReading, type Reloading } from "../reloading.ts";
import type { Loaded, Sources, WatchdogSetup } from "../setup.ts";

/**
 * The settings and rules that a life begins with: those of the files, unless there are problems in them. Then it is what
 * this process read last, as an earlier owner or as a standby.
 */
export function createInForce(setup: WatchdogSetup, sources: Sources | undefined, log: Logger) {
  let current = setup;
  const { now } = systemClock();
  const startedAt = now();
  let failed: FailedReading | undefined;
  let isFirst = true;
  const use = (next: WatchdogSetup): void => {
    log.level = next.settings.log.level;
    // What traces was opened at the start, and goes on.
    current = { ...next, tracing: setup.tracing };
  };
  const load = (): void => {
    if (sources === undefined) return;
    const loaded = sources.load("reload");
    if (!loaded.ok) {
      log.error({ problems: loaded.problem }, "config and rules are not read again");
      const last = sources.lastAccepted();
      if (last !== undefined) use(last.setup);
      failed = { at: now(), problems: loaded.problem, successAt: last?.at ?? startedAt };
      return;
    }
    loaded.value.accept();
    failed = undefined;
    use(loaded.value.setup);
  };
  return {
    current: () => ({ setup: current, sources, failed }),
    renew: (): void => {
      const isSame = isFirst && sources?.isOutdated() !== true;
      isFirst = false;
      if (!isSame) load();
    },
  };
}

/**
 * The settings and rules of what a replica shows, of which nothing is decided here. While this replica is the owner, that
 * logs what it reads.
 */
export function createShownInForce(
  setup: WatchdogSetup,
  sources: Sources | undefined,
  isOwner: () => boolean,
): Reloading {
  const changed = ({ rules }: WatchdogSetup, next: Loaded): ReloadDone => ({
    rules: ruleChanges(ruleHashes(indexRules(rules).rules), indexRules(next.setup.rules).rules),
    settings: next.changes,
    alerts: [],
    actions: [],
    entitiesEnded: 0,
  });
  return createReadAgain(setup, sources, {
    clock: systemClock(),
    putInForce: (before, loaded) => succeed(changed(before, loaded)),
    preview: changed,
    isQuiet: isOwner,
  });
}

import { previewPolicy, reportOf } from "../core/change/reload-report.ts";
import { fail, succeed } from "../domain/result.ts";
import { formatInstant, type Clock, type Instant } from "../domain/time.ts";
import { messageOf } from "../domain/error-message.ts";
import { reloadFields, someSettings } from "../io/process/log-reload.ts";
import { watchFiles } from "../io/process/file-watcher.ts";
import type { ReloadReading } from "../io/metrics/definition.ts";
import type { Metrics } from "../io/metrics/metrics.ts";
import type { ReloadDone, ReloadOutcome } from "../io/api/server-source.ts";
import type { Loop } from "./loop.ts";
import {
  policyOf,
  type DaemonSettings,
  type Loaded,
  type Sources,
  type WatchdogSetup,
} from "./setup.ts";
import type { WatchLists } from "./watch-list/watch-lists.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Prepared, Polling } from "./polling.ts";

/** Reading rules and config again while it runs, all or nothing: on any problem those before stay. */
export type Reloading = {
  readonly reload: (by: string, dryRun: boolean) => ReloadOutcome;
  readonly reading: () => ReloadReading;
  readonly failed: () => FailedReading | undefined;
  /** That the last reload failed, and the first problem. */
  readonly notices: () => readonly string[];
  /** The settings in force, as they were read. */
  readonly setup: () => WatchdogSetup;
  readonly server: () => DaemonSettings["server"];
  readonly maintenance: () => DaemonSettings["maintenance"];
  readonly heartbeat: () => WatchdogSetup["heartbeat"];
  readonly notify: () => WatchdogSetup["notify"];
  /** Reloads from now on when the files change, and at each SIGHUP; gives what ends that. */
  readonly listen: () => Undo;
};

/** Config and rules that could not be read: those that were read last, at `successAt`, go on. */
export type FailedReading = {
  readonly at: Instant;
  readonly problems: string;
  readonly successAt: Instant;
};

type Undo = () => void;

type ReadAgain = {
  readonly clock: Clock;
  readonly failedReading?: FailedReading | undefined;
  readonly putInForce: (before: WatchdogSetup, loaded: Loaded, by: string) => ReloadOutcome;
  readonly preview: (before: WatchdogSetup, loaded: Loaded) => ReloadDone;
  /** Called once they are in force. */
  readonly onInForce?: () => void;
  /** Whether another logs the same; left out if none does. */
  readonly isQuiet?: () => boolean;
};

type ReloadingWorld = Pick<ReadAgain, "clock" | "failedReading"> & {
  readonly loop: Pick<
    Loop,
    "push" | "reload" | "isAbandoned" | "defect" | "state" | "policy" | "lastEventAt"
  >;
  readonly maintenance: Pick<Maintenance, "missing" | "prepare">;
  readonly polling: Pick<Polling, "prepare">;
  readonly metrics: Pick<Metrics, "expect">;
  readonly lists: Pick<WatchLists, "effective" | "sync">;
};

const TAKEN_OVER = "nothing was done: another replica took over meanwhile. Ask that one.";
const WITHOUT_SOURCES = "this aggwatch was not started from files that it could read again";

export function createReloading(
  startSetup: WatchdogSetup,
  sources: Sources | undefined,
  world: ReloadingWorld,
): Reloading {
  return createReadAgain(startSetup, sources, {
    clock: world.clock,
    failedReading: world.failedReading,
    putInForce: (before, loaded, by) => putInForce(before, loaded, by, world),
    preview: (before, loaded) => preview(before, loaded, world),
    onInForce: () => world.lists.sync(),
  });
}

/** The same for whatever settings and rules may be in force for. */
export function createReadAgain(
  startSetup: WatchdogSetup,
  sources: Sources | undefined,
  world: ReadAgain,
): Reloading {
  const { log } = startSetup;
  const { clock, isQuiet = () => false } = world;
  let inForce = startSetup;
  let failure = world.failedReading;
  let successAt = failure?.successAt ?? clock.now();

  function reload(by: string, dryRun: boolean): ReloadOutcome {
    if (sources === undefined) return fail(WITHOUT_SOURCES);
    const loaded = sources.load(dryRun ? "preview" : "reload");
    if (dryRun) return loaded.ok ? succeed(world.preview(inForce, loaded.value)) : loaded;
    const outcome = loaded.ok ? world.putInForce(inForce, loaded.value, by) : loaded;
    if (!outcome.ok || !loaded.ok) {
      const problems = outcome.ok ? "" : outcome.problem;
      failure = { at: clock.now(), problems, successAt };
      if (!isQuiet())
        log.error(
          { by, problems: problems.split("\n") },
          "reload failed; what was in force still is",
        );
      return fail(problems);
    }
    inForce = loaded.value.setup;
    world.onInForce?.();
    failure = undefined;
    successAt = clock.now();
    loaded.value.accept();
    if (!isQuiet()) log.info(reloadFields(by, outcome.value), "reloaded");
    log.level = inForce.settings.log.level;
    return outcome;
  }

  return {
    reload,
    reading: () => ({
      successful: failure === undefined,
      successAt,
      hash: inForce.configHash,
    }),
    failed: () => failure,
    notices: () => (failure === undefined ? [] : [noticeOf(failure.at, failure.problems)]),
    setup: () => inForce,
    server: () => inForce.settings.server,
    maintenance: () => inForce.settings.maintenance,
    heartbeat: () => inForce.heartbeat,
    notify: () => inForce.notify,
    listen: () => (sources === undefined ? () => {} : listenTo(sources, reload)),
  };
}

function listenTo(sources: Sources, reload: Reloading["reload"]): Undo {
  const reloadFor = (by: string): void => {
    reload(by, false);
    // The config may name other files now.
    files.rearm();
  };
  const files = watchFiles({
    directories: sources.directories,
    onHint: () => {
      if (sources.isOutdated()) reloadFor("a change of the files");
    },
  });
  const endHangups = sources.onHangup(() => reloadFor("SIGHUP"));
  return () => {
    endHangups();
    files.close();
  };
}

/**
 * First prepares what must be ready, and holds the new maintenance windows that are open; then lets the loop decide, and
 * only then polls by the new settings.
 */
function putInForce(
  inForce: WatchdogSetup,
  { setup, changes }: Loaded,
  by: string,
  { loop, maintenance, polling, metrics, lists }: ReloadingWorld,
): ReloadOutcome {
  const effective = lists.effective(setup);
  const policy = policyOf(effective);
  let prepared: Prepared;
  try {
    prepared = polling.prepare(effective);
  } catch (error) {
    return fail(`an aggregator cannot be asked by these settings: ${messageOf(error)}`);
  }
  maintenance.prepare(setup.settings.maintenance);
  const request = { by, settings: someSettings(changes) };
  const result = loop.reload(policy, movedOf(inForce, setup), request);
  if (result === undefined) {
    prepared.drop();
    return fail(loop.isAbandoned() ? TAKEN_OVER : bugText(loop.defect()));
  }
  metrics.expect(policy);
  prepared.apply();
  return succeed({ ...reportOf(policy, loop.state(), result), settings: changes });
}

/** A loop that has ended by it is followed by one that reads all again. */
function bugText(defect: string | undefined): string {
  const text = "a bug in the core; the log says which";
  return defect === undefined ? text : `${text}. What begins after it reads these files again`;
}

function preview(
  inForce: WatchdogSetup,
  { setup, changes }: Loaded,
  { loop, clock, maintenance, lists }: ReloadingWorld,
): ReloadDone {
  const at = Math.max(clock.now(), loop.lastEventAt());
  const moved = movedOf(inForce, setup);
  const policy = policyOf(lists.effective(setup));
  const first = maintenance.missing(setup.settings.maintenance);
  const report = previewPolicy(loop.policy(), policy, loop.state(), moved, at, first);
  return { ...report, settings: changes };
}

/** Aggregators that are somewhere else now. */
function movedOf(before: WatchdogSetup, after: WatchdogSetup): string[] {
  const addresses = new Map(before.aggregators.map(({ name, client }) => [name, client.baseUrl]));
  return after.aggregators.flatMap(({ name, client }) => {
    const known = addresses.get(name);
    return known === undefined || known === client.baseUrl ? [] : [name];
  });
}

function noticeOf(at: Instant, problems: string): string {
  const lines = problems.split("\n");
  // What stands before the problems says what they leave in force.
  const first = lines.findIndex((line) => line.includes(": error: "));
  const shown = lines.slice(0, Math.max(first, 0) + 1).join("; ");
  return `The reload at ${formatInstant(at)} failed, and the rules and config before it run on: ${shown}`;
}

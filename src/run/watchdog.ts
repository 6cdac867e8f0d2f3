import { fail, succeed, type Result } from "../domain/result.ts";
import type { App } from "../io/http/app-server.ts";
import { journalBytes } from "../io/journal/file.ts";
import { openJournal, type Journal } from "../io/journal/journal.ts";
import { closeToOthers, type OpenToOthers } from "../io/journal/permissions.ts";
import { messageOf } from "../domain/error-message.ts";
import { createCleanup, type Cleanup } from "../io/process/lifecycle.ts";
import type { Logger } from "../io/process/log.ts";
import { createJournalCheck } from "./journal-check.ts";
import { serve, undeletedLogger } from "./servers.ts";
import { restoringApp, servedApp } from "./service/loaded-app.ts";
import { createRestoring } from "./service/restoring.ts";
import type { Watchdog, WatchdogOptions } from "./service/running.ts";
import { createService } from "./service/service.ts";
import type { WatchdogSetup } from "./setup.ts";

export type { Watchdog, WatchdogOptions } from "./service/running.ts";

/**
 * Nothing is requested, notified or scheduled before the servers listen. A start that fails leaves nothing
 * behind: the journal is closed, and the process can end.
 */
export async function startWatchdog(
  setup: WatchdogSetup,
  options: WatchdogOptions = {},
): Promise<Result<Watchdog, string>> {
  const { log, settings } = setup;
  const cleanup = createCleanup((name, error) => log.error({ err: error, name }, "cleanup failed"));
  if (setup.tracing !== undefined) cleanup.add("tracing", setup.tracing.close);
  logOpenToOthers(log, closeToOthers(settings.data));
  const { postgres } = settings.journal;
  let started: Result<Watchdog, string>;
  try {
    if (postgres === undefined) started = await startOne(setup, options, cleanup);
    else {
      const { startShared } = await import("./replica/shared-watchdog.ts");
      started = await startShared(setup, options, postgres, cleanup);
    }
  } catch (error) {
    started = fail(messageOf(error));
  }
  if (!started.ok) await cleanup.run();
  return started;
}

/** One line for all that is mended, and one for all that cannot be. */
function logOpenToOthers(log: Logger, found: readonly OpenToOthers[]): void {
  const mended = found.filter(({ problem }) => problem === undefined);
  const left = found.filter(({ problem }) => problem !== undefined);
  if (mended.length > 0) log.warn({ mended }, "the data directory was open to other users");
  if (left.length > 0) log.warn({ left }, "the data directory stays open to other users");
}

/**
 * The one daemon on a journal of its own. It listens before the journal is read, which takes long if there is much, and
 * says meanwhile how far it is.
 */
async function startOne(
  setup: WatchdogSetup,
  { sources, guard, signal }: WatchdogOptions,
  cleanup: Cleanup,
): Promise<Result<Watchdog, string>> {
  const { data, listen, record } = setup.settings;
  const opened = openJournal(data, { record });
  if (!opened.ok) return opened;
  const journal: Journal = opened.value;
  cleanup.add("journal", journal.close);
  const service = createService(setup, sources, {
    journal,
    reading: journal,
    backUp: journal.backUp,
    notDeleted: undeletedLogger(setup.log),
    own: {
      isRestoredLater: true,
      journalBytes: () => journalBytes(data),
      journalCheck: createJournalCheck(data, journal, setup.log),
    },
    onTick: () => guard?.beat(),
  });
  const { loop, broken } = service;
  cleanup.add("service", service.close);
  const restoring = createRestoring(loop, journal);
  let app: App = restoringApp({ access: service.source.access, ...restoring }, setup.log);
  const server = await serve({ fetch: (...asked) => app.fetch(...asked) }, listen, signal);
  if (!server.ok) return server;
  const { url, close } = server.value;
  cleanup.add("server", close);
  // What ends is not guarded, be it this start or all that follows.
  const unguard = (): void => cleanup.add("guard", async () => await guard?.stop());
  unguard();
  const onCounted = (rows: number): void => setup.log.info({ url, rows }, "restoring the journal");
  await restoring.run({ signal, onTurn: () => guard?.beat(), onCounted });
  const served = servedApp(service.source, setup.log);
  app = served;
  service.begin(cleanup);
  cleanup.add("loading", served.loadSoon());
  guard?.beat();
  unguard();
  setup.log.info({ url, mode: loop.policy().acting.mode }, "watching");
  return succeed({ url, loop: () => loop, broken, stop: cleanup.run });
}

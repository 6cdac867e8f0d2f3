import { fail, succeed, type Result } from "../domain/result.ts";
import { systemClock } from "../io/clock.ts";
import { messageOf } from "../io/error-message.ts";
import { createSender } from "../io/http-send.ts";
import { killFileExists } from "../io/kill-file.ts";
import { openJournal, type Journal } from "../io/journal.ts";
import { journalBytes, meterCommits } from "../io/journal-meter.ts";
import { createCleanup, type Cleanup } from "../io/lifecycle.ts";
import { createDaemon, type Daemon } from "./daemon.ts";
import { startFaces } from "./faces.ts";
import type { Loop } from "./loop.ts";
import type { Sources, WatchdogSetup } from "./setup.ts";

/** The live world: real time, real sockets, a real disk. The only place where all floors are wired. */
export type Watchdog = {
  readonly url: string;
  readonly loop: Loop;
  /** Resolves where the watchdog cannot go on: a bug in the core that comes again and again. */
  readonly broken: Promise<unknown>;
  /** Ends within five seconds; nothing that was decided is lost. Calling it twice is fine. */
  readonly stop: () => Promise<void>;
};

/** With `sources`, rules and settings are read anew while it runs. */
export async function startWatchdog(
  setup: WatchdogSetup,
  sources?: Sources,
): Promise<Result<Watchdog, string>> {
  const { log } = setup;
  const cleanup = createCleanup((name, error) => log.error({ err: error, name }, "cleanup failed"));
  const journal = openJournal(setup.dataDirectory);
  if (!journal.ok) return journal;
  cleanup.add("journal", journal.value.close);
  try {
    return succeed(await wire(setup, sources, journal.value, cleanup));
  } catch (error) {
    await cleanup.run();
    return fail(explainStart(error, setup));
  }
}

function explainStart(error: unknown, { listen }: WatchdogSetup): string {
  const message = messageOf(error);
  if (!/EADDRINUSE|EACCES|EADDRNOTAVAIL|ENOTFOUND/.test(message)) return message;
  return `cannot listen on ${listen.host}:${listen.port} (${message}). Give another address with --listen HOST:PORT.`;
}

async function wire(
  setup: WatchdogSetup,
  sources: Sources | undefined,
  journal: Journal,
  cleanup: Cleanup,
): Promise<Watchdog> {
  const lastAt = journal.row("counter", "at");
  const clock = systemClock(typeof lastAt === "number" ? lastAt : 0);
  const daemon: Daemon = createDaemon(setup, sources, {
    clock,
    journal: meterCommits(journal, (tookMs, isOk) => daemon.metrics.meters.commit(tookMs, isOk)),
    journalBytes: () => journalBytes(setup.dataDirectory),
    createSender,
    random: Math.random,
    fileExists: killFileExists,
  });
  const { loop, broken } = daemon;
  daemon.wake();
  cleanup.add("transports", daemon.close);
  const server = await startFaces(setup, daemon, { clock, journal });
  cleanup.add("server", server.close);
  daemon.begin(cleanup);
  setup.log.info({ url: server.url, mode: loop.policy().acting.ceiling }, "watching");
  return { url: server.url, loop, broken, stop: cleanup.run };
}

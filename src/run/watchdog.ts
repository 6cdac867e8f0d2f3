import { eachInSlices } from "../domain/slices.ts";
import { silentSince } from "../core/explain/status-notify.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import { systemClock } from "../io/process/clock.ts";
import { messageOf } from "../io/process/error-message.ts";
import { createSender } from "../io/http/http-send.ts";
import { createGapDetector } from "../io/process/gap.ts";
import { killFileExists } from "../io/process/kill-file.ts";
import { openJournal, type Journal } from "../io/journal/journal.ts";
import { journalBytes } from "../io/journal/file.ts";
import { closeToOthers, type OpenToOthers } from "../io/journal/permissions.ts";
import { meterCommits } from "../io/journal/meter.ts";
import { createTimeSlice } from "../io/process/time-slice.ts";
import { createCleanup, type Cleanup } from "../io/process/lifecycle.ts";
import { openRawReplies, type RawReplies } from "../io/journal/raw-replies.ts";
import { SECOND, type Clock, type Instant } from "../domain/time.ts";
import type { Logger } from "../io/process/log.ts";
import { createFeed, type Feed } from "../io/api/events/feed.ts";
import { viewOf } from "../io/api/lists/view.ts";
import { createPollHistory } from "../io/api/lists/poll-history.ts";
import type { LoopGuard } from "../io/process/loop-guard.ts";
import { createDaemon, LONGEST_USUAL_GAP, type Daemon } from "./daemon.ts";
import { createJournalCheck } from "./journal-check.ts";
import { startServers } from "./servers.ts";
import type { Loop } from "./loop.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { Sources, WatchdogSetup } from "./setup.ts";
import { createWork } from "./work.ts";

/** The live daemon: real time, real sockets, a real disk. Only here do all floors meet. */
export type Watchdog = {
  readonly url: string;
  readonly loop: Loop;
  /** Resolves if the watchdog cannot go on: a bug in the core that comes again and again. */
  readonly broken: Promise<unknown>;
  /** Ends within five seconds; nothing that was decided is lost. Calling it twice is fine. */
  readonly stop: () => Promise<void>;
};

export type WatchdogOptions = {
  /** With them, rules and settings are read anew while it runs. */
  readonly sources?: Sources;
  /** Ends the process if the loop stands still. */
  readonly guard?: LoopGuard | undefined;
  /** Aborted while it starts, the start fails. */
  readonly signal?: AbortSignal;
};

/**
 * Nothing is requested, notified or scheduled before the servers listen. A start that fails leaves nothing
 * behind: the journal is closed, and the process can end.
 */
export async function startWatchdog(
  setup: WatchdogSetup,
  options: WatchdogOptions = {},
): Promise<Result<Watchdog, string>> {
  const { log } = setup;
  const cleanup = createCleanup((name, error) => log.error({ err: error, name }, "cleanup failed"));
  logOpenToOthers(log, closeToOthers(setup.settings.data));
  const journal = openJournal(setup.settings.data, { record: setup.settings.record });
  if (!journal.ok) return journal;
  cleanup.add("journal", journal.value.close);
  let started: Result<Watchdog, string>;
  try {
    started = await startParts(setup, options, journal.value, cleanup);
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

async function startParts(
  setup: WatchdogSetup,
  { sources, guard, signal }: WatchdogOptions,
  journal: Journal,
  cleanup: Cleanup,
): Promise<Result<Watchdog, string>> {
  const lastAt = journal.row("counter", "at");
  const clock = systemClock(typeof lastAt === "number" ? lastAt : 0);
  const { stuckAfterMs } = setup.settings;
  const work = createWork({
    clock,
    stuckAfterMs,
    loop: () => daemon.loop,
    slots: () => daemon.slots(),
    notifiersSilentSince: () => notifiersSilentSince(daemon),
  });
  const polls = createPollHistory();
  const daemon: Daemon = createDaemon(setup, sources, {
    clock,
    gaps: createGapDetector(LONGEST_USUAL_GAP),
    slice: createTimeSlice(),
    journal: meterCommits(journal, (tookMs, isOk) => {
      daemon.metrics.count([{ type: "commit", tookMs, isOk }]);
      if (isOk) work.committed();
    }),
    journalBytes: () => journalBytes(setup.settings.data),
    onTick: (at) => {
      work.ticked(at);
      guard?.beat();
    },
    onStep: function* (_event, result, at) {
      yield* eachInSlices(result.findings, (finding) => polls.note(at, finding));
      yield* feed.note(result, at);
    },
    heartbeat: () => heartbeat.reading(),
    createSender,
    random: Math.random,
    fileExists: killFileExists,
    journalCheck: createJournalCheck(setup.settings.data, journal, setup.log),
    replies: keepReplies(setup, clock, cleanup),
  });
  const heartbeat = createHeartbeat({
    clock,
    log: setup.log,
    setup: () => daemon.reloading.heartbeat(),
    faults: work.faults,
    count: (outcome) => daemon.metrics.count([{ type: "heartbeat", outcome }]),
    createSender,
  });
  const { loop, broken } = daemon;
  const feed: Feed = createFeed({
    view: () => viewOf(loop.policy(), loop.state()),
    idle: loop.idle,
    onError: (error) => setup.log.error({ err: error }, "viewers cannot be sent what changes"),
  });
  cleanup.add("clients", daemon.close);
  const server = await startServers(setup, daemon, {
    clock,
    journal,
    work,
    heartbeat,
    polls,
    feed,
    signal,
  });
  if (!server.ok) return server;
  const { url, close } = server.value;
  cleanup.add("server", close);
  cleanup.add("feed", feed.close);
  cleanup.add("heartbeat", heartbeat.close);
  daemon.begin(cleanup);
  guard?.beat();
  const checking = setInterval(heartbeat.check, SECOND);
  cleanup.add("heartbeat's timer", () => clearInterval(checking));
  if (guard !== undefined) cleanup.add("guard", guard.stop);
  setup.log.info({ url, mode: loop.policy().acting.mode }, "watching");
  return succeed({ url, loop, broken, stop: cleanup.run });
}

function keepReplies(
  { settings: { data: directory, record }, log }: WatchdogSetup,
  clock: Clock,
  cleanup: Cleanup,
): RawReplies | undefined {
  const { keep, maxBytes } = record.replies;
  if (keep === "none") return undefined;
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "replies cannot be kept; tried again in a minute");
  const replies = openRawReplies(
    { keep, maxBytes, retentionMs: record.retentionMs },
    { directory, clock, onError },
  );
  cleanup.add("replies", replies.close);
  return replies;
}

/** Since when no notifier delivers, if the heartbeat is to stop for that. */
function notifiersSilentSince({ loop, reloading }: Daemon): Instant | undefined {
  if (reloading.heartbeat()?.needsNotifier !== true) return undefined;
  const { channels } = loop.policy().notify;
  return silentSince(
    loop.state(),
    channels.map(({ name }) => name),
  );
}

import type { OtherUnits } from "../../core/explain/heartbeat.ts";
import { silentSince } from "../../core/explain/status-notify.ts";
import { eachInSlices } from "../../domain/slices.ts";
import { SECOND, type Clock, type Instant, type Millis } from "../../domain/time.ts";
import { createFeed, type Feed } from "../../io/api/events/feed.ts";
import { viewOf } from "../../io/api/lists/view.ts";
import { createPollHistory } from "../../io/api/lists/poll-history.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { createSender } from "../../io/http/http-send.ts";
import type { JournalReading } from "../../io/journal/past.ts";
import { openRawReplies, type RawReplies } from "../../io/journal/raw-replies.ts";
import { PROCESS_STARTED_AT, systemClock } from "../../io/process/clock.ts";
import { createGapDetector } from "../../io/process/gap.ts";
import { killFileExists } from "../../io/process/kill-file.ts";
import type { Cleanup } from "../../io/process/lifecycle.ts";
import { createTimeSlice } from "../../io/process/time-slice.ts";
import type { LoopJournal } from "../commit/loop-journal.ts";
import { metered } from "../commit/metered.ts";
import {
  createDaemon,
  LONGEST_USUAL_GAP,
  type Daemon,
  type DaemonDependencies,
} from "../daemon.ts";
import { createHeartbeat, type Heartbeat } from "../heartbeat.ts";
import { lastAtOf } from "../load-state.ts";
import { serverSourceOf, type ServedWorld } from "../servers.ts";
import type { Sources, WatchdogSetup } from "../setup.ts";
import { createWork, type Work } from "../work.ts";
import { createPast } from "./past.ts";

/** A daemon in the real world, with its heartbeat, and what it serves. */
export type Service = Pick<Daemon, "loop" | "broken" | "abandon"> & {
  readonly clock: Clock;
  readonly source: ServerSource;
  /** Begins to poll, to decide and to act, and adds what ends that to the cleanup. */
  readonly begin: (cleanup: Cleanup) => void;
  /** To be called once that has ended: what is in memory is committed, if it can be. */
  readonly close: () => Promise<void>;
};

export type ServiceWorld = Pick<ServedWorld, "backUp" | "notDeleted" | "instead"> & {
  readonly journal: LoopJournal;
  readonly reading: JournalReading;
  readonly onTick?: () => void;
  /** It never begins, so it has no work of its own that it could be behind with. */
  readonly isShownOnly?: true;
  /** Of the same watchdog; left out if there are none. */
  readonly others?: (() => OtherUnits) | undefined;
  /** What depends on where the journal is. */
  readonly own?: Pick<
    DaemonDependencies,
    | "isRestoredLater"
    | "journalBytes"
    | "journalCheck"
    | "lease"
    | "onFenced"
    | "replica"
    | "failedReading"
  > &
    Partial<Pick<DaemonDependencies, "fileExists">>;
};

export function createService(
  setup: WatchdogSetup,
  sources: Sources | undefined,
  world: ServiceWorld,
): Service {
  const clock = systemClock(world.isShownOnly ? 0 : lastAtOf(world.journal));
  const work = workOf(setup, clock, world, () => daemon);
  const polls = createPollHistory();
  const replies = keepReplies(setup, clock);
  const daemon: Daemon = createDaemon(setup, sources, {
    clock,
    ...createRealWorld(),
    replies,
    journal: metered(world.journal, (tookMs, isOk) => {
      noteCommit(setup, daemon, tookMs, isOk);
      if (isOk) work.committed();
    }),
    ...world.own,
    onTick: (at) => {
      work.ticked(at);
      world.onTick?.();
    },
    onStep: function* (_event, result, at) {
      yield* eachInSlices(result.findings, (finding) => polls.note(at, finding));
      yield* feed.note(result, at);
    },
    ...(world.isShownOnly ? {} : { heartbeat: () => heartbeat.reading() }),
  });
  const heartbeat = createHeartbeat({
    clock,
    log: setup.log,
    setup: () => daemon.reloading.heartbeat(),
    faults: work.faults,
    count: (outcome) => daemon.metrics.count([{ type: "heartbeat", outcome }]),
    createSender,
  });
  const feed = feedOf(setup, daemon);
  const past = createPast(() => daemon.loop, world.reading, clock.now, daemon.writeRecord);
  const shown = { clock, work, heartbeat, polls, feed, journal: world.reading, ...past };
  return {
    ...daemon,
    clock,
    source: serverSourceOf(setup, daemon, { ...world, ...world.own, ...shown }),
    begin: (cleanup) => {
      for (const [name, { close }] of Object.entries({ feed, heartbeat })) cleanup.add(name, close);
      daemon.begin(cleanup);
      beginChecks(work, heartbeat, cleanup);
    },
    close: async () => {
      await Promise.all([past.close(), daemon.close()]);
      replies?.close();
    },
  };
}

function workOf(
  { settings: { stuckAfterMs } }: WatchdogSetup,
  clock: Clock,
  { others }: ServiceWorld,
  daemon: () => Daemon,
): Work {
  return createWork({
    clock,
    stuckAfterMs,
    loop: () => daemon().loop,
    slots: () => daemon().slots(),
    notifiersSilentSince: () => notifiersSilentSince(daemon()),
    others,
  });
}

function noteCommit(
  { tracing }: WatchdogSetup,
  { metrics }: Daemon,
  tookMs: Millis,
  isOk: boolean,
): void {
  metrics.count([{ type: "commit", tookMs, isOk }]);
  tracing?.committed(tookMs);
}

function beginChecks(work: Work, { check }: Heartbeat, cleanup: Cleanup): void {
  work.begin();
  const checking = setInterval(check, SECOND);
  cleanup.add("heartbeat's timer", () => clearInterval(checking));
}

/** What sends viewers that which changes. */
function feedOf({ log }: WatchdogSetup, { loop }: Daemon): Feed {
  return createFeed({
    view: () => viewOf(loop.policy(), loop.state()),
    idle: loop.idle,
    onError: (error) => log.error({ err: error }, "viewers cannot be sent what changes"),
  });
}

/** What a daemon does with the world around it. */
function createRealWorld() {
  const gaps = createGapDetector(LONGEST_USUAL_GAP);
  const slice = createTimeSlice();
  const startedAt = PROCESS_STARTED_AT;
  return { startedAt, gaps, slice, createSender, random: Math.random, fileExists: killFileExists };
}

function keepReplies(
  { settings: { data: directory, record }, log }: WatchdogSetup,
  clock: Clock,
): RawReplies | undefined {
  const { keep, maxBytes } = record.replies;
  if (keep === "none") return undefined;
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "replies cannot be kept; tried again in a minute");
  const { retentionMs } = record;
  return openRawReplies({ keep, maxBytes, retentionMs }, { directory, clock, onError });
}

/** Since when no notifier delivers, if the heartbeat is to stop for that. */
function notifiersSilentSince({ loop, reloading }: Daemon): Instant | undefined {
  if (reloading.heartbeat()?.needsNotifier !== true) return undefined;
  const { channels } = loop.policy().notify;
  return silentSince(
    loop.stateSoFar(),
    channels.map(({ name }) => name),
  );
}

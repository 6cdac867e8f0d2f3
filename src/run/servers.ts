import { MENDED_BY_RESTART } from "../core/explain/heartbeat.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import type { Clock, Instant } from "../domain/time.ts";
import type { Feed } from "../io/api/events/feed.ts";
import type { ServerSource } from "../io/api/server-source.ts";
import { startServer, type App } from "../io/http/app-server.ts";
import type { RunningServer } from "../io/http/listen.ts";
import type { Backup } from "../io/journal/backup.ts";
import type { JournalReading } from "../io/journal/past.ts";
import type { PollHistory } from "../io/api/lists/poll-history.ts";
import { createTokenGate } from "../io/api/tokens.ts";
import { messageOf } from "../domain/error-message.ts";
import type { Logger } from "../io/process/log.ts";
import type { Daemon } from "./daemon.ts";
import type { Loop } from "./loop.ts";
import type { Lease } from "./replica/lease.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { createLoopSource } from "./loop-source.ts";
import type { DaemonSettings, WatchdogSetup } from "./setup.ts";
import { refusedCallsLog } from "./service/refused-calls.ts";
import { firstPolls } from "./service/first-polls.ts";
import { journalProblem, type Work } from "./work.ts";

export type ServedWorld = {
  readonly clock: Clock;
  /** If the journal is shared. */
  readonly lease?: Lease | undefined;
  readonly journal: JournalReading;
  readonly backUp: (at: Instant) => Result<Backup, string> | Promise<Result<Backup, string>>;
  /** Logs the old backups that could not be deleted. One for the process, as it logs each once. */
  readonly notDeleted: (undeleted: Backup["undeleted"]) => void;
  readonly work: Pick<Work, "faults">;
  readonly heartbeat: Pick<Heartbeat, "notices">;
  readonly polls: PollHistory;
  readonly feed: Feed;
  readonly entitiesAt: ServerSource["entitiesAt"];
  readonly entityPast: ServerSource["entityPast"];
  readonly backtesting: ServerSource["backtesting"];
  /** Where the answers of a daemon that does not act differ. */
  readonly instead?: Partial<ServerSource> | undefined;
};

/** What a daemon serves: page, metrics, health, API. */
export function serverSourceOf(
  setup: WatchdogSetup,
  { loop, metrics, reloading, lists }: Daemon,
  { clock, lease, journal, backUp, notDeleted, work, heartbeat, instead, ...shown }: ServedWorld,
): ServerSource {
  const { version, log } = setup;
  const { unhealthy, notices } = healthOf(work, heartbeat);
  return {
    ...createLoopSource({ loop, clock, journal, lists, lease }),
    version,
    polls: shown.polls,
    feed: shown.feed,
    entitiesAt: shown.entitiesAt,
    entityPast: shown.entityPast,
    backtesting: shown.backtesting,
    metrics: metrics.render,
    unhealthy,
    unready: () => [...unhealthy(), ...unready(loop)],
    unread: () => firstPolls(loop).flatMap(({ progress }) => progress ?? []),
    notices: () => [...notices(), ...reloading.notices(), ...lists.notices()],
    ...admissionOf(setup, reloading.server, clock),
    backUp: async (by) => {
      // In the middle of a large commit, rows are half old and half new.
      await loop.idle();
      const made = await backUp(clock.now());
      if (made.ok) {
        const { undeleted, ...backup } = made.value;
        notDeleted(undeleted);
        log.info({ by, ...backup }, "journal backed up");
      } else log.error({ by, detail: made.problem }, "journal not backed up");
      return made;
    },
    reload: (by, dryRun) => reloading.reload(`${by}, by POST /-/reload`, dryRun),
    onError: (path, error) => log.error({ err: error, path }, "page cannot be made"),
    ...instead,
  };
}

/** Names each old backup that cannot be deleted once, and again only if it was gone meanwhile. */
export function undeletedLogger(log: Logger): ServedWorld["notDeleted"] {
  let known: ReadonlySet<string> = new Set();
  return (all) => {
    const undeleted = all.filter(({ file }) => !known.has(file));
    known = new Set(all.map(({ file }) => file));
    if (undeleted.length > 0)
      log.warn(
        { undeleted },
        "old backups cannot be deleted, and take up disk: delete them, or let aggwatch's user write in their directory",
      );
  };
}

/** Who is answered, by the settings in force at each request. */
export function admissionOf(
  { log, settings: { listen } }: WatchdogSetup,
  server: () => DaemonSettings["server"],
  clock: Clock,
): Pick<ServerSource, "access" | "mcp" | "gate"> {
  return {
    access: () => {
      const { hosts, trustedProxies } = server();
      return { hosts: [...hosts, listen.host], trustedProxies };
    },
    mcp: () => server().mcp,
    gate: createTokenGate({
      tokens: () => server().tokens,
      clock,
      onRefused: refusedCallsLog(log),
    }),
  };
}

/** Serves an app. The problem is why it cannot listen; `signal` ends the start. */
export async function serve(
  app: App,
  { host, port }: WatchdogSetup["settings"]["listen"],
  signal: AbortSignal | undefined,
): Promise<Result<RunningServer, string>> {
  try {
    return succeed(await startServer(app, host, port, signal));
  } catch (error) {
    const why = `${host}:${port} (${messageOf(error)})`;
    return fail(`cannot listen on ${why}. Give another address with --listen HOST:PORT.`);
  }
}

/** What a restart can fix makes it unhealthy; everything else that is wrong is a notice. */
function healthOf(
  work: ServedWorld["work"],
  heartbeat: ServedWorld["heartbeat"],
): { readonly unhealthy: () => string[]; readonly notices: () => string[] } {
  const details = (isMended: boolean): string[] =>
    work
      .faults()
      .filter(({ reason }) => reason !== "starting" && MENDED_BY_RESTART.has(reason) === isMended)
      .map(({ detail }) => detail);
  return {
    unhealthy: () => details(true),
    notices: () => [...details(false), ...heartbeat.notices()],
  };
}

function unready(loop: Loop): string[] {
  const journal = journalProblem(loop);
  const silent = firstPolls(loop).filter(({ progress }) => progress === undefined);
  return [
    ...(journal === undefined ? [] : [journal]),
    ...silent.map(({ poller }) => `the first poll of ${poller} is not done`),
  ];
}

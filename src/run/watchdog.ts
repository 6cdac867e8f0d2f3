import { setTimeout as delay } from "node:timers/promises";
import { statusOf } from "../core/status.ts";
import { fail, succeed, type Result } from "../domain/result.ts";
import { formatDuration, SECOND, type Clock } from "../domain/time.ts";
import { systemClock } from "../io/clock.ts";
import { messageOf } from "../io/error-message.ts";
import { killFileExists } from "../io/kill-file.ts";
import { openJournal, type Journal } from "../io/journal.ts";
import { createCleanup, type Cleanup } from "../io/lifecycle.ts";
import { createFindingLog } from "../io/log-findings.ts";
import { createMetrics, type Metrics } from "../io/metrics/registry.ts";
import { createApp, startServer, type RunningServer } from "../io/server.ts";
import { createTokenGate } from "../io/tokens.ts";
import { createEffects } from "./effects.ts";
import { createMaintenance } from "./maintenance.ts";
import { createLoop, type Loop } from "./loop.ts";
import { createWatching } from "./watching.ts";
import { createReloading, type Reloading } from "./reloading.ts";
import { createOperating } from "./operating.ts";
import { policyOf, type Sources, type WatchdogSetup } from "./setup.ts";

/** The live world: real time, real sockets, a real disk. The only place where all floors are wired. */
export type Watchdog = {
  readonly url: string;
  readonly loop: Loop;
  /** Resolves where the watchdog cannot go on: a bug in the core that comes again and again. */
  readonly broken: Promise<unknown>;
  /** Ends within five seconds; nothing that was decided is lost. Calling it twice is fine. */
  readonly stop: () => Promise<void>;
};

const TICK = SECOND;
/** A loop that has not turned for so long is stuck. */
const STUCK_AFTER = 15 * SECOND;
/** How long a shutdown waits for the answers of actions that are under way. */
const ACTIONS_GET = 3 * SECOND;

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
  const { log } = setup;
  const policy = policyOf(setup);
  const lastAt = journal.row("counter", "at");
  const clock = systemClock(typeof lastAt === "number" ? lastAt : 0);
  const broken = Promise.withResolvers<unknown>();
  const stopping = new AbortController();
  const actStopping = new AbortController();
  const writeLog = createFindingLog(log);
  const metrics = createMetrics({
    version: setup.version,
    nodeVersion: setup.nodeVersion,
    policy,
    source: () => ({
      policy: loop.policy(),
      state: loop.state(),
      journalWritable: loop.journalWritable(),
      reload: reloading.reading(),
    }),
    slots: () => watching.slotCounts(),
    onError: (metric, error) => log.error({ err: error, metric }, "metric cannot be read"),
  });
  const watching = createWatching(setup, {
    clock,
    signal: stopping.signal,
    push: (event) => loop.push(event),
  });
  const effects = createEffects({
    push: (event) => loop.push(event),
    transportOf: watching.transportOf,
    probeRequest: watching.probeRequest,
    actSignal: actStopping.signal,
  });
  const loop: Loop = createLoop(policy, {
    clock,
    journal,
    perform: effects.perform,
    publish: (_event, result) => {
      metrics.count(result.findings);
      writeLog(result.findings);
    },
    onBug: (error, event, fatal) => {
      log.fatal({ err: error, event: event.type, fatal }, "bug in the core: actions are stopped");
      if (fatal) broken.resolve(error);
    },
  });
  const reloading = createReloading(setup, sources, { clock, loop, watching, metrics });
  const maintenance = createMaintenance(reloading.maintenance, { clock, loop });
  loop.push({ type: "started" });
  lookForKillFile(setup, loop);
  maintenance.look();
  cleanup.add("transports", watching.close);
  const server = await serve(setup, { loop, clock, journal, metrics, reloading });
  cleanup.add("server", server.close);
  cleanup.add("actions", async () => {
    await Promise.race([effects.settle(), delay(ACTIONS_GET, undefined, { ref: false })]);
    actStopping.abort(new Error("aggwatch is stopping"));
    await effects.settle();
  });
  const ticker = setInterval(() => {
    lookForKillFile(setup, loop);
    maintenance.look();
    loop.push({ type: "tick" });
  }, TICK);
  cleanup.add("ticker", () => clearInterval(ticker));
  watching.start();
  cleanup.add("scheduler", async () => {
    stopping.abort(new Error("aggwatch is stopping"));
    await watching.stop();
  });
  cleanup.add("reloading", reloading.listen());
  log.info({ url: server.url, mode: policy.acting.ceiling }, "watching");
  return { url: server.url, loop, broken: broken.promise, stop: cleanup.run };
}

/** The kill file is looked for before every tick, so it holds at most a second after it appears. */
function lookForKillFile({ killFile }: WatchdogSetup, loop: Loop): void {
  const exists = killFileExists(killFile);
  if (exists === loop.state().tables.kill.has("file")) return;
  loop.push({
    type: "command",
    by: killFile,
    reason: exists ? `the file ${killFile} exists` : `the file ${killFile} is gone`,
    command: { name: exists ? "kill" : "unkill", source: "file" },
  });
}

/** The faces: page, metrics, health, API. */
async function serve(
  { version, log, listen }: WatchdogSetup,
  world: {
    readonly loop: Loop;
    readonly clock: Clock;
    readonly journal: Journal;
    readonly metrics: Metrics;
    readonly reloading: Reloading;
  },
): Promise<RunningServer> {
  const { loop, clock, journal, metrics, reloading } = world;
  const unhealthy = (): string[] => stuck(loop, clock);
  const app = createApp({
    version,
    status: () => statusOf(loop.policy(), loop.state()),
    findings: journal.findings,
    metrics: async () => ({ contentType: metrics.contentType, text: await metrics.render() }),
    unhealthy,
    unready: () => [...unhealthy(), ...unready(loop)],
    notices: () => [...journalNotices(loop), ...reloading.notices()],
    ...createOperating({ loop, clock, journal }),
    gate: createTokenGate({
      tokens: reloading.tokens,
      clock,
      onRefused: (client, reason) => log.warn({ client, reason }, "writing call refused"),
    }),
    backUp: (by) => {
      const made = journal.backUp(clock.now());
      if (made.ok) log.info({ by, ...made.value }, "journal backed up");
      else log.error({ by, detail: made.problem }, "journal not backed up");
      return made;
    },
    reload: (by, dryRun) => reloading.reload(`${by}, by POST /-/reload`, dryRun),
    onError: (path, error) => log.error({ err: error, path }, "page cannot be made"),
  });
  return await startServer(app, listen.host, listen.port);
}

function stuck(loop: Loop, clock: Clock): string[] {
  const stillMs = clock.now() - loop.turnedAt();
  return stillMs > STUCK_AFTER ? [`the loop has not turned for ${formatDuration(stillMs)}`] : [];
}

function unready(loop: Loop): string[] {
  const reasons = journalNotices(loop);
  for (const key of loop.state().entitiesByKind.get("poller") ?? []) {
    const entity = loop.state().tables.entity.get(key);
    if (entity?.facts["up"] === undefined) {
      reasons.push(`the first poll of ${entity?.id ?? key} is not done`);
    }
  }
  return reasons;
}

/** A journal that cannot be written, and why: it is healthy, as a restart would not mend the disk. */
function journalNotices(loop: Loop): string[] {
  if (loop.journalWritable()) return [];
  const why = loop.state().tables.kill.get("journal")?.reason ?? "it is not known why";
  return [`the journal cannot be written, and no action is sent: ${why}`];
}

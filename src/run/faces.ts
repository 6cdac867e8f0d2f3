import { statusOf } from "../core/status.ts";
import { formatDuration, SECOND, type Clock } from "../domain/time.ts";
import type { Journal } from "../io/journal.ts";
import { createApp, startServer, type RunningServer } from "../io/server.ts";
import { createTokenGate } from "../io/tokens.ts";
import type { Daemon } from "./daemon.ts";
import type { Loop } from "./loop.ts";
import { createOperating } from "./operating.ts";
import type { WatchdogSetup } from "./setup.ts";

/** A loop that has not turned for so long is stuck. */
const STUCK_AFTER = 15 * SECOND;

/** The faces of a daemon: page, metrics, health, API. */
export async function startFaces(
  { version, log, listen }: WatchdogSetup,
  { loop, metrics, reloading, lists }: Daemon,
  { clock, journal }: { readonly clock: Clock; readonly journal: Journal },
): Promise<RunningServer> {
  const unhealthy = (): string[] => stuck(loop, clock);
  const app = createApp({
    version,
    status: () => statusOf(loop.policy(), loop.state()),
    findings: journal.findings,
    metrics: async () => ({ contentType: metrics.contentType, text: await metrics.render() }),
    unhealthy,
    unready: () => [...unhealthy(), ...unready(loop)],
    notices: () => [...journalNotices(loop), ...reloading.notices(), ...lists.notices()],
    ...createOperating({ loop, clock, journal, lists }),
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

import { settingsSchema } from "../../src/config/settings/settings-schema.ts";
import { compileProfile } from "../../src/aggregator/profile.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createRedactor } from "../../src/io/redact/redactor.ts";
import { createLog, type Logger } from "../../src/io/process/log.ts";
import { pollers } from "../../src/pollers/index.ts";
import { NOTHING_WATCHED } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";
import { NO_NOTIFICATIONS } from "../../src/config/settings/resolve-notify.ts";
import type {
  AggregatorSetup,
  DaemonSettings,
  PollerSetup,
  WatchdogSetup,
} from "../../src/run/setup.ts";
import { ACTING, repair, rule } from "../core/fixtures.ts";
import { TEST_SETTINGS } from "../io/aggregator/client-fixture.ts";

/** Every poller that is on by default, each second. */
export const EVERY_POLLER: readonly PollerSetup[] = pollers
  .filter(({ defaultSchedule }) => defaultSchedule !== undefined)
  .map(({ name }) => ({
    name,
    schedule: "* * * * * *",
    intervalMs: SECOND,
    staleAfterMs: 10 * SECOND,
  }));

export function aggregatorSetup(
  baseUrl: string,
  change: Partial<AggregatorSetup> = {},
): AggregatorSetup {
  const profile = compileProfile({});
  if (!profile.ok) throw new Error(JSON.stringify(profile.problem));
  return {
    name: "bsc",
    client: { ...TEST_SETTINGS, baseUrl },
    profile: profile.value,
    pollers: EVERY_POLLER,
    watch: NOTHING_WATCHED,
    statuses: DEFAULT_STATUSES,
    ...change,
  };
}

export function watchdogSetup(
  directory: string,
  aggregators: readonly AggregatorSetup[],
  change: Partial<WatchdogSetup> = {},
): WatchdogSetup {
  return {
    settings: daemonSettings(directory),
    aggregators,
    rules: [rule({ act: repair() })],
    notify: NO_NOTIFICATIONS,
    configHash: 1,
    log: silentLog(),
    redactor: createRedactor(),
    version: "1.2.3",
    nodeVersion: "v24.0.0",
    ...change,
  };
}

/** The defaults of the config, but that it acts, and logs nothing. */
export function daemonSettings(data: string): DaemonSettings {
  const parsed = settingsSchema.parse({ data, log: { level: "silent" } });
  return {
    ...parsed,
    listen: { host: "127.0.0.1", port: 0 },
    stuckAfterMs: 0,
    journal: { postgres: undefined, shards: 0 },
    actions: {
      ...ACTING,
      budget: { max: 5, perMs: HOUR },
      approvalExpiresAfterMs: MINUTE,
      killFile: `${data}/KILL`,
    },
    server: { ...parsed.server, tokens: undefined },
  };
}

export function silentLog(): Logger {
  return createLog({ level: "silent", format: "json" }, { isTerminal: false }, () => {});
}

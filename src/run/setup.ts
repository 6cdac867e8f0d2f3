import type { WireProfile } from "../aggregator/profile.ts";
import { actionsByName } from "../actions/index.ts";
import { indexRules } from "../core/policy.ts";
import type { LogFormat, LogLevel } from "../config/settings-schema.ts";
import type { SettingChange } from "../config/settings-view.ts";
import type { Token } from "../config/tokens.ts";
import type { ActingPolicy, Policy, WatchedPoller } from "../domain/step.ts";
import type { Result } from "../domain/result.ts";
import type { Rule } from "../domain/rule.ts";
import { DAY, MINUTE, type Millis } from "../domain/time.ts";
import type { Logger } from "../io/log.ts";
import type { MaintenanceWindow } from "../io/maintenance-windows.ts";
import type { RecordBounds } from "../io/record-pages.ts";
import type { TransportSettings } from "../io/transport.ts";
import { kinds } from "../pollers/kinds.ts";
import { pollers } from "../pollers/index.ts";
import type { Poller, PollerName, Statuses, WatchList } from "../pollers/poller.ts";

/** Everything a watchdog is told when it starts; the command line makes it from the settings. */
export type WatchdogSetup = {
  readonly heartbeat?: HeartbeatSetup | undefined;
  /** A loop that stands still for so long is stuck; 0 where nothing follows from that. */
  readonly stuckAfterMs?: Millis;
  readonly logFormat?: LogFormat;
  readonly listen: { readonly host: string; readonly port: number };
  readonly dataDirectory: string;
  /** How much is kept of what was observed. */
  readonly record: RecordBounds;
  /** While this file exists, nothing is sent. */
  readonly killFile: string;
  readonly aggregators: readonly AggregatorSetup[];
  readonly rules: readonly Rule[];
  readonly acting: ActingPolicy;
  /** Recurring holds. */
  readonly maintenance: readonly MaintenanceWindow[];
  /** Who may make writing calls; undefined where they are off. */
  readonly tokens: readonly Token[] | undefined;
  /** The least severe level that is logged. */
  readonly logLevel: LogLevel;
  /** The same number where the same settings and rules are in force; secrets do not count. */
  readonly configHash: number;
  readonly log: Logger;
  readonly version: string;
  readonly nodeVersion: string;
};

/** A dead man's switch. */
export type HeartbeatSetup = {
  /** A secret: it never goes to a log. */
  readonly url: string;
  readonly everyMs: Millis;
  readonly timeoutMs: Millis;
  readonly needsNotifier: boolean;
};

/** Where rules and settings come from, so that they can be read anew while it runs. */
export type Sources = {
  /** Reads and checks everything. The problem is the text of every problem, as `check` prints it. */
  readonly load: (why: "reload" | "preview") => Result<Loaded, string>;
  /** The files read otherwise than at the last load that was meant (not at a preview). */
  readonly isOutdated: () => boolean;
  /** What to watch for that. */
  readonly directories: () => readonly string[];
  /** Calls the listener at each SIGHUP, until the function that it gives is called. */
  readonly onHangup: (listener: () => void) => () => void;
};

export type Loaded = {
  readonly setup: WatchdogSetup;
  /** The settings that differ from those in force. */
  readonly changes: readonly SettingChange[];
  /** Says that these are in force now. */
  readonly accept: () => void;
};

export type AggregatorSetup = {
  readonly name: string;
  readonly transport: TransportSettings;
  readonly profile: WireProfile;
  /** Those that are on. */
  readonly pollers: readonly PollerSetup[];
  readonly watch: WatchList;
  readonly statuses: Statuses;
};

export type PollerSetup = WatchedPoller & {
  readonly name: PollerName;
  /** Cron, in UTC. */
  readonly schedule: string;
};

/** How long a resolved alert stays in sight; as long as in Prometheus (rules/alerting.go). */
const RESOLVED_RETENTION = 15 * MINUTE;
const REMEDIATION_RETENTION = 7 * DAY;

/** The pollers that are on and have something to ask. */
export function activePollers(
  setup: AggregatorSetup,
): ReadonlyArray<{ readonly poller: Poller; readonly setup: PollerSetup }> {
  return setup.pollers.flatMap((own) => {
    const poller = pollers.find(({ name }) => name === own.name);
    if (poller === undefined || poller.plan(setup.watch).length === 0) return [];
    return [{ poller, setup: own }];
  });
}

export function policyOf(setup: WatchdogSetup): Policy {
  return {
    aggregators: setup.aggregators.map((aggregator) => ({
      name: aggregator.name,
      pollers: activePollers(aggregator).map(
        ({ setup: { name, intervalMs, staleAfterMs } }): WatchedPoller => ({
          name,
          intervalMs,
          staleAfterMs,
        }),
      ),
    })),
    ...decidingBy(setup.rules, setup.acting),
  };
}

/** All of a policy but what is watched. */
export function decidingBy(
  rules: readonly Rule[],
  acting: ActingPolicy,
): Omit<Policy, "aggregators"> {
  return {
    kinds,
    actions: actionsByName,
    ...indexRules(rules),
    acting,
    resolvedRetentionMs: RESOLVED_RETENTION,
    remediationRetentionMs: REMEDIATION_RETENTION,
  };
}

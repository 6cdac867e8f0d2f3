import type { WireProfile } from "../aggregator/profile.ts";
import { actionsByName } from "../actions/index.ts";
import { indexRules } from "../core/policy.ts";
import type { LogFormat, LogLevel } from "../config/settings/settings-schema.ts";
import type { SettingChange } from "../config/settings/settings-view.ts";
import type { Token } from "../config/settings/tokens.ts";
import { NO_CHANNELS, type NotifyPolicy } from "../domain/notification.ts";
import type { ActingPolicy, Policy, WatchedPoller } from "../domain/step.ts";
import type { Result } from "../domain/result.ts";
import type { Rule } from "../domain/rule.ts";
import type { WatchListing } from "../domain/watch.ts";
import type { HttpList } from "../io/watch-list/http-list.ts";
import { DAY, MINUTE, type Millis } from "../domain/time.ts";
import type { Logger } from "../io/process/log.ts";
import type { MaintenanceWindow } from "../io/schedule/maintenance-windows.ts";
import type { RawRepliesSettings } from "../io/journal/replies-store.ts";
import type { RecordBounds } from "../io/journal/record-pages.ts";
import type { ClientSettings } from "../io/aggregator/client.ts";
import { kinds } from "../pollers/kinds.ts";
import { pollers } from "../pollers/index.ts";
import { notifyPolicyOf, type NotifySettings } from "../config/settings/resolve-notify.ts";
import type { Poller, PollerName, Statuses, WatchList } from "../pollers/poller.ts";
import { entriesOf, watchKinds } from "../pollers/watch-kinds.ts";
import { sweepPlan, type SweepPlan } from "./watch-list/sweep-plan.ts";

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
  /** Which replies are kept as they came; undefined where none is. */
  readonly replies?: RawRepliesSettings | undefined;
  /** While this file exists, nothing is sent. */
  readonly killFile: string;
  readonly aggregators: readonly AggregatorSetup[];
  readonly rules: readonly Rule[];
  readonly acting: ActingPolicy;
  /** Recurring holds. */
  readonly maintenance: readonly MaintenanceWindow[];
  readonly notify: NotifySettings;
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
  readonly client: ClientSettings;
  readonly profile: WireProfile;
  /** Those that are on. */
  readonly pollers: readonly PollerSetup[];
  readonly watch: WatchList;
  /** What `watch` is merged of; left out where it is the config's alone. */
  readonly given?: readonly WatchListing[];
  readonly watchSources?: WatchSources;
  readonly statuses: Statuses;
};

/** Where more entries of the watch lists come from. */
export type WatchSources = {
  /** Paths whose last part may be a pattern. */
  readonly files: readonly string[];
  readonly http: readonly HttpList[];
};

export type PollerSetup = WatchedPoller & {
  readonly name: PollerName;
  /** Cron, in UTC. */
  readonly schedule: string;
  /** `staleAfterMs` was set, so it stays as it is however long a poll takes. */
  readonly isStaleAfterSet?: true;
};

/** A poller that is on and has something to ask. */
export type ActivePoller = {
  readonly poller: Poller;
  readonly setup: PollerSetup;
  readonly surfaces: ReadonlySet<string>;
  readonly sweep: SweepPlan;
};

/** How long a resolved alert stays in sight; as long as in Prometheus (rules/alerting.go). */
const RESOLVED_RETENTION = 15 * MINUTE;
const REMEDIATION_RETENTION = 7 * DAY;

/** The pollers that are on and have something to ask. */
export function activePollers(setup: AggregatorSetup): readonly ActivePoller[] {
  return setup.pollers.flatMap((own) => {
    const poller = pollers.find(({ name }) => name === own.name);
    const planned = poller?.plan(setup.watch) ?? [];
    if (poller === undefined || planned.length === 0) return [];
    const sweep = sweepPlan({
      surfaces: planned.length,
      requests: planned.reduce((sum, { asks }) => sum + asks.length, 0),
      rate: setup.client.rate,
      intervalMs: own.intervalMs,
      timeoutMs: poller.defaultTimeoutMs,
    });
    return [{ poller, setup: own, surfaces: new Set(planned.map(({ name }) => name)), sweep }];
  });
}

/** As many polls may be missed before what was read is unknown. A poll that takes long is no miss. */
const MISSED_POLLS = 3;

function watchedPoller({ setup, surfaces, sweep }: ActivePoller): WatchedPoller {
  const { name, intervalMs, staleAfterMs, isStaleAfterSet } = setup;
  const least = isStaleAfterSet === true ? 0 : MISSED_POLLS * sweep.leastMs;
  return { name, intervalMs, staleAfterMs: Math.max(staleAfterMs, least), surfaces };
}

function givenTo({ name, watch, given }: AggregatorSetup): [string, readonly WatchListing[]] {
  return [name, given ?? [{ source: "config", name: "", entries: entriesOf(watch) }]];
}

export function policyOf(setup: WatchdogSetup): Policy {
  return {
    aggregators: setup.aggregators.map((aggregator) => ({
      name: aggregator.name,
      pollers: activePollers(aggregator).map(watchedPoller),
    })),
    watch: { kinds: watchKinds, given: new Map(setup.aggregators.map(givenTo)) },
    ...decidingBy(setup.rules, setup.acting, notifyPolicyOf(setup.notify)),
  };
}

/** All of a policy but what is watched. */
export function decidingBy(
  rules: readonly Rule[],
  acting: ActingPolicy,
  notify: NotifyPolicy = NO_CHANNELS,
): Omit<Policy, "aggregators"> {
  return {
    kinds,
    actions: actionsByName,
    ...indexRules(rules),
    acting,
    notify,
    resolvedRetentionMs: RESOLVED_RETENTION,
    remediationRetentionMs: REMEDIATION_RETENTION,
  };
}

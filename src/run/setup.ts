import { createHash } from "node:crypto";
import type { WireProfile } from "../aggregator/profile.ts";
import { actionsByName } from "../actions/index.ts";
import { indexRules } from "../core/policy.ts";
import { MISSED_POLLS, type PollerSettings } from "../config/settings/resolve-aggregator.ts";
import type { HeartbeatSettings } from "../config/settings/resolve-heartbeat.ts";
import type { WatchSources } from "../config/settings/resolve-watch.ts";
import type { SettingChange } from "../config/settings/setting-entries.ts";
import type { Settings } from "../config/settings/settings.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { NO_CHANNELS } from "../domain/notification.ts";
import type { ActingPolicy, Policy, WatchedPoller } from "../domain/step.ts";
import type { Result } from "../domain/result.ts";
import type { Rule } from "../domain/rule.ts";
import type { WatchEntry, WatchListing } from "../domain/watch.ts";
import type { OpenRoute } from "../io/http/route.ts";
import type { HttpList } from "../io/watch-list/http-list.ts";
import { DAY, MINUTE, type Instant } from "../domain/time.ts";
import type { Redactor } from "../io/redact/redactor.ts";
import type { Logger } from "../io/process/log.ts";
import type { Tracing } from "../io/tracing/tracing.ts";
import type { ClientSettings } from "../io/aggregator/client.ts";
import { kinds } from "../pollers/kinds.ts";
import { pollers } from "../pollers/index.ts";
import { notifyPolicyOf, type NotifySettings } from "../config/settings/resolve-notify.ts";
import { defaultTimeoutOf, type Poller, type WatchList } from "../pollers/poller.ts";
import type { Statuses } from "../pollers/status-words.ts";
import { entriesOf, watchKinds } from "../pollers/watch-kinds.ts";
import { sweepPlan, type SweepPlan } from "./watch-list/sweep-plan.ts";

/** What the daemon uses of the settings as it is; the schema says what each key means. */
export type DaemonSettings = Pick<
  Settings,
  | "listen"
  | "stuckAfterMs"
  | "data"
  | "journal"
  | "record"
  | "log"
  | "maintenance"
  | "server"
  | "limits"
  | "tracing"
> & { readonly actions: ActingPolicy & { readonly killFile: string } };

/** Everything that a watchdog starts with; the command line makes it from the settings and the rules. */
export type WatchdogSetup = {
  readonly settings: DaemonSettings;
  readonly heartbeat?: HeartbeatSetup | undefined;
  readonly aggregators: readonly AggregatorSetup[];
  readonly rules: readonly Rule[];
  readonly notify: NotifySettings;
  /** The same number if the same settings and rules are in force; secrets do not count. */
  readonly configHash: number;
  readonly log: Logger;
  /** Knows the secrets of these settings and of those before them. */
  readonly redactor: Redactor;
  readonly version: string;
  readonly nodeVersion: string;
  /** Left out if nothing is traced. */
  readonly tracing?: Tracing | undefined;
};

/** A dead man's switch, with its secrets in the clear. */
export type HeartbeatSetup = Omit<HeartbeatSettings, "url" | "route"> & {
  /** A secret: it never goes to a log. */
  readonly url: string;
  readonly route?: OpenRoute;
};

/** Reads rules and settings again while the daemon runs. */
export type Sources = {
  /**
   * Reads and checks everything. The problem is the text of every problem, as `check` prints it, after a line on tokens
   * that are revoked and still valid for it.
   */
  readonly load: (why: "reload" | "preview") => Result<Loaded, string>;
  /** The files read otherwise than at the last load that was meant (not at a preview). */
  readonly isOutdated: () => boolean;
  /**
   * What was accepted last since the start, here or by another, which is now in force here; undefined if nothing was.
   */
  readonly lastAccepted: () => Accepted | undefined;
  /** What to watch for that. */
  readonly directories: () => readonly string[];
  /** Calls the listener at each SIGHUP, until the function that it gives is called. */
  readonly onHangup: (listener: () => void) => () => void;
  /** The same files for one that has settings in force of its own: those of the start, until it accepts others. */
  readonly another: () => Sources;
};

export type Loaded = {
  readonly setup: WatchdogSetup;
  /** The settings that differ from those in force. */
  readonly changes: readonly SettingChange[];
  /** Says that these are in force now. */
  readonly accept: () => void;
};

export type Accepted = { readonly setup: WatchdogSetup; readonly at: Instant };

export type AggregatorSetup = {
  readonly name: string;
  readonly client: ClientSettings;
  readonly profile: WireProfile;
  /** Those that are on. */
  readonly pollers: readonly PollerSetup[];
  readonly watch: WatchList;
  /** What `watch` is merged of; left out if it is the config's alone. */
  readonly given?: readonly WatchListing[];
  readonly watchSources?: Pick<WatchSources, "files"> & { readonly http: readonly HttpList[] };
  /** What of its sources is watched here; left out: all. */
  readonly part?: WatchPart;
  readonly statuses: Statuses;
};

/** What one unit watches of the lists. */
export type WatchPart = {
  readonly watches: (entry: WatchEntry) => boolean;
  /** Which entries must not have the same alias in two units; left out: none. */
  readonly sharesNames?: (entry: WatchEntry) => boolean;
  /** What the config itself lists, for all units; left out: `watch` has the same. */
  readonly configured?: readonly WatchEntry[];
};

export type PollerSetup = PollerSettings & Pick<WatchedPoller, "unit">;

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
      requests: planned.reduce((sum, { requests }) => sum + requests.length, 0),
      rate: setup.client.rate,
      intervalMs: own.intervalMs,
      staleAfterMs: own.staleAfterMs,
      timeoutMs: Math.max(
        poller.defaultTimeoutMs,
        // A request may take as long as its own limit allows, and requests in turn until the last reading is stale.
        setup.client.timeouts.requestMs,
        Math.min(defaultTimeoutOf(poller, planned), own.staleAfterMs),
      ),
    });
    return [{ poller, setup: own, surfaces: new Set(planned.map(({ name }) => name)), sweep }];
  });
}

function watchedPoller({ setup, surfaces, sweep }: ActivePoller): WatchedPoller {
  const { name, unit, intervalMs, staleAfterMs, isStaleAfterSet } = setup;
  // A poll that takes long is not a missed one.
  const least = isStaleAfterSet === true ? 0 : MISSED_POLLS * sweep.leastMs;
  return { name, unit, intervalMs, staleAfterMs: Math.max(staleAfterMs, least), surfaces };
}

function givenTo({ name, watch, given }: AggregatorSetup): [string, readonly WatchListing[]] {
  return [name, given ?? [{ source: "config", name: "", entries: entriesOf(watch) }]];
}

/** What of a setup the core decides by. */
type DecidingSetup = Pick<WatchdogSetup, "aggregators" | "rules"> & {
  readonly settings: Pick<DaemonSettings, "actions" | "limits">;
  readonly notify?: NotifySettings;
};

export function policyOf(setup: DecidingSetup): Policy {
  return {
    aggregators: setup.aggregators.map((aggregator) => ({
      name: aggregator.name,
      address: createHash("sha256").update(aggregator.client.baseUrl).digest().readUIntBE(0, 6),
      pollers: activePollers(aggregator).map(watchedPoller),
    })),
    watch: { kinds: watchKinds, given: new Map(setup.aggregators.map(givenTo)) },
    ...decidingBy(setup.rules, setup.settings.actions, {
      ...(setup.notify && { notify: notifyPolicyOf(setup.notify) }),
      limits: setup.settings.limits,
    }),
  };
}

/** All of a policy but what is watched. */
export function decidingBy(
  rules: readonly Rule[],
  acting: ActingPolicy,
  {
    notify = NO_CHANNELS,
    limits = DEFAULT_LIMITS,
  }: Partial<Pick<Policy, "notify" | "limits">> = {},
): Omit<Policy, "aggregators"> {
  return {
    kinds,
    actions: actionsByName,
    ...indexRules(rules),
    acting,
    notify,
    limits,
    resolvedRetentionMs: RESOLVED_RETENTION,
    remediationRetentionMs: REMEDIATION_RETENTION,
  };
}

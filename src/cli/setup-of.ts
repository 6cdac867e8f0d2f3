import { createHash } from "node:crypto";
import { compileProfile, type WireProfile } from "../aggregator/profile.ts";
import type { AggregatorSettings } from "../config/settings/resolve-aggregator.ts";
import type { Settings } from "../config/settings/settings.ts";
import { entriesText, secretsOf } from "../config/settings/setting-entries.ts";
import type { Rule } from "../domain/rule.ts";
import { DEFAULT_CLIENT_SETTINGS } from "../io/aggregator/client.ts";
import { createRedactor, type Redactor } from "../io/redact/redactor.ts";
import { openCredential } from "../io/http/credentials.ts";
import { openRoute } from "../io/http/route.ts";
import type { AggregatorSetup, WatchdogSetup } from "../run/setup.ts";

/** Makes the setup that a watchdog starts with from checked settings and rules. */
export function setupOf(
  settings: Settings,
  rules: readonly Rule[],
  surroundings: Pick<WatchdogSetup, "log" | "version" | "nodeVersion"> & {
    /** That of the settings before, if there were any. */
    readonly redactor?: Redactor;
  },
): WatchdogSetup {
  const { redactor = createRedactor(), ...rest } = surroundings;
  redactor.learn(secretsOf(settings));
  return {
    settings,
    heartbeat: settings.heartbeat && {
      ...settings.heartbeat,
      url: settings.heartbeat.url.reveal(),
      route: openRoute(settings.heartbeat.route),
    },
    aggregators: settings.aggregators.map(aggregatorSetup),
    rules,
    notify: settings.notify,
    configHash: configHash(settings, rules),
    redactor,
    ...rest,
  };
}

/** What replicas that run the same config may differ in. The kill file is in `data` if nothing else is said. */
const OF_ONE_REPLICA: ReadonlySet<string> = new Set([
  "journal.postgres.replica",
  "listen",
  "data",
  "actions.kill_file",
]);

/** 48 bits, which a metric's number holds exactly; Alertmanager does the same. */
function configHash(settings: Settings, rules: readonly Rule[]): number {
  const names = rules.map(({ alert, hash }) => `${alert} ${hash}`).sort();
  const entries = settings.entries.filter(({ key }) => !OF_ONE_REPLICA.has(key));
  const text = [entriesText(entries), ...names].join("\n");
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}

/** The wire profile with another `api_prefix`; undefined if an endpoint must not have it. */
export function profileAt(
  { wire, instants }: AggregatorSettings,
  apiPrefix: string,
): WireProfile | undefined {
  const profile = compileProfile(wire, { instants, apiPrefix });
  return profile.ok ? profile.value : undefined;
}

export function aggregatorSetup(aggregator: AggregatorSettings): AggregatorSetup {
  // The settings' own check has compiled it already, so a problem here is a bug.
  const profile = compileProfile(aggregator.wire, aggregator);
  if (!profile.ok) throw new Error(`the wire profile of ${aggregator.name} was not checked`);
  const { name, baseUrl, auth, rate, timeouts, maxBodyBytes, conditionalReads } = aggregator;
  const { pollers, watch, statuses, swapStatuses, watchSources } = aggregator;
  return {
    name,
    client: {
      baseUrl,
      auth: { read: openCredential(auth.read), act: openCredential(auth.act) },
      route: openRoute(aggregator.route),
      rate,
      timeouts,
      maxBodyBytes,
      retries: { ...DEFAULT_CLIENT_SETTINGS.retries, limit: aggregator.retries },
      longestPauseMs: rate.longestPauseMs,
      conditionalReads,
    },
    profile: profile.value,
    pollers,
    watch,
    watchSources: {
      ...watchSources,
      http: watchSources.http.map((list) => ({
        ...list,
        auth: openCredential(list.auth),
        route: openRoute(list.route),
      })),
    },
    statuses: { ...statuses, swaps: swapStatuses },
  };
}

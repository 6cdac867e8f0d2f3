import { createHash } from "node:crypto";
import { compileProfile } from "../aggregator/profile.ts";
import type { AggregatorSettings, Settings } from "../config/settings/settings.ts";
import { settingsText } from "../config/settings/settings-view.ts";
import type { Rule } from "../domain/rule.ts";
import type { ActingPolicy } from "../domain/step.ts";
import type { Logger } from "../io/process/log.ts";
import { DEFAULT_CLIENT_SETTINGS } from "../io/aggregator/client.ts";
import { authOf } from "../io/http/auth-of.ts";
import type { AggregatorSetup, WatchdogSetup } from "../run/setup.ts";

/** Settings and rules, both checked, as what a watchdog is told when it starts. */
export function setupOf(
  settings: Settings,
  rules: readonly Rule[],
  surroundings: { readonly log: Logger; readonly version: string; readonly nodeVersion: string },
): WatchdogSetup {
  const { actions } = settings;
  return {
    heartbeat: settings.heartbeat && {
      ...settings.heartbeat,
      url: settings.heartbeat.url.reveal(),
    },
    stuckAfterMs: settings.stuckAfterMs,
    logFormat: settings.log.format,
    listen: settings.listen,
    dataDirectory: settings.dataDirectory,
    record: settings.record,
    replies: repliesOf(settings.record),
    killFile: actions.killFile,
    aggregators: settings.aggregators.map(aggregatorSetup),
    rules,
    acting: actingOf(actions),
    tokens: settings.server.tokens,
    logLevel: settings.log.level,
    configHash: configHash(settings, rules),
    maintenance: settings.maintenance,
    notify: settings.notify,
    ...surroundings,
  };
}

function repliesOf({ retentionMs, replies }: Settings["record"]): WatchdogSetup["replies"] {
  const { keep, maxBytes } = replies;
  return keep === "none" ? undefined : { keep, maxBytes, retentionMs };
}

/** How it may act, by the settings. */
export function actingOf(actions: Settings["actions"]): ActingPolicy {
  return {
    ceiling: actions.mode,
    budget: actions.budget,
    budgetByAction: actions.budgets,
    settleAfterStartMs: actions.settleAfterStartMs,
    maxAgeMs: actions.maxAgeMs,
    confirmWithinMs: actions.confirmWithinMs,
    approvalExpiresAfterMs: actions.approvalExpiresAfterMs,
    undoWindowMs: actions.undoWindowMs,
    undoLimit: actions.undoLimit,
    rampIntervalMs: actions.rampIntervalMs,
  };
}

/** 48 bits, which a metric's number holds exactly; Alertmanager does the same. */
function configHash(settings: Settings, rules: readonly Rule[]): number {
  const names = rules.map(({ alert, hash }) => `${alert} ${hash}`).sort();
  const text = [settingsText(settings), ...names].join("\n");
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}

export function aggregatorSetup(aggregator: AggregatorSettings): AggregatorSetup {
  // The settings' own check has compiled it already, so a problem here is a bug.
  const profile = compileProfile(aggregator.wire);
  if (!profile.ok) throw new Error(`the wire profile of ${aggregator.name} was not checked`);
  return {
    name: aggregator.name,
    client: {
      baseUrl: aggregator.baseUrl,
      auth: { read: authOf(aggregator.auth.read), act: authOf(aggregator.auth.act) },
      rate: aggregator.rate,
      timeouts: aggregator.timeouts,
      maxBodyBytes: aggregator.maxBodyBytes,
      retries: { ...DEFAULT_CLIENT_SETTINGS.retries, limit: aggregator.retries },
      longestPauseMs: aggregator.longestPauseMs,
      conditionalReads: aggregator.conditionalReads,
    },
    profile: profile.value,
    pollers: aggregator.pollers,
    watch: aggregator.watch,
    watchSources: {
      files: aggregator.watchSources.files,
      http: aggregator.watchSources.http.map((list) => ({ ...list, auth: authOf(list.auth) })),
    },
    statuses: aggregator.statuses,
  };
}

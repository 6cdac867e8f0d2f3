import { createHash } from "node:crypto";
import type { Credential } from "./resolve-credential.ts";
import type { ChannelSettings } from "./resolve-notify.ts";
import type { AggregatorSettings, Settings } from "./settings.ts";
import { formatDuration } from "../../domain/time.ts";
import { formatScope } from "../../domain/hold.ts";
import type { Budget } from "../../domain/rule.ts";

/** A setting that two configs differ in. Secrets are compared, and not shown. */
export type SettingChange = {
  /** As in the config; an aggregator is named, not counted: `aggregators.bsc-mainnet.schedules.pools`. */
  readonly key: string;
  readonly before: string;
  readonly after: string;
};

/** What there is to say of a setting, and, where that does not tell everything, what to compare. */
type Shown = { readonly text: string; readonly secret?: string };

const ABSENT = "(none)";

/** All settings that differ, in the order of the config. */
export function settingChanges(before: Settings, after: Settings): readonly SettingChange[] {
  const old = viewOf(before);
  const fresh = viewOf(after);
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const one = old.get(key);
    const other = fresh.get(key);
    if (one?.text === other?.text && one?.secret === other?.secret) return [];
    return [{ key, before: one?.text ?? ABSENT, after: other?.text ?? ABSENT }];
  });
}

/** Every setting as one line, without secrets: equal where the same is in force. */
export function settingsText(settings: Settings): string {
  return [...viewOf(settings)].map(([key, { text }]) => `${key}: ${text}`).join("\n");
}

function viewOf(settings: Settings): ReadonlyMap<string, Shown> {
  const { actions, listen, log, server } = settings;
  const plain: Array<[string, string]> = [
    ["listen", `${listen.host}:${listen.port}`],
    ["stuck_after", formatDuration(settings.stuckAfterMs)],
    ["data", settings.dataDirectory],
    ["rules", settings.rulesDirectory],
    ["record.retention", formatDuration(settings.record.retentionMs)],
    ["record.max_size", `${settings.record.maxBytes} bytes`],
    ["record.replies.keep", settings.record.replies.keep],
    ["record.replies.max_size", `${settings.record.replies.maxBytes} bytes`],
    ["log.level", log.level],
    ["log.format", log.format],
    ["actions.mode", actions.mode],
    ["actions.budget", budgetText(actions.budget)],
    ...Object.entries(actions.budgets).map(([name, budget]): [string, string] => [
      `actions.budgets.${name}`,
      budgetText(budget),
    ]),
    ["actions.settle_after_start", formatDuration(actions.settleAfterStartMs)],
    ["actions.max_age", formatDuration(actions.maxAgeMs)],
    ["actions.confirm_within", formatDuration(actions.confirmWithinMs)],
    ["actions.approval_expires_after", formatDuration(actions.approvalExpiresAfterMs)],
    ["actions.undo_window", formatDuration(actions.undoWindowMs)],
    ["actions.undo_limit", String(actions.undoLimit)],
    ["actions.ramp_interval", formatDuration(actions.rampIntervalMs)],
    ["actions.kill_file", actions.killFile],
    ["server.tokens_file", server.tokensFile ?? ABSENT],
  ];
  const windows = settings.maintenance.map(({ name, ...window }): [string, Shown] => [
    `maintenance.${name}`,
    {
      text: `${window.schedule} ${window.timeZone} for ${formatDuration(window.durationMs)}, ${formatScope(window.scope)}: ${window.reason}`,
    },
  ]);
  const tokens = (server.tokens ?? []).map(({ name, scopes, sha256 }): [string, Shown] => [
    `server.tokens.${name}`,
    { text: scopes.join(", "), secret: sha256 },
  ]);
  const { notify } = settings;
  return new Map<string, Shown>([
    ["notify.page_url", { text: notify.pageUrl ?? ABSENT }],
    ["notify.resend_interval", { text: formatDuration(notify.resendMs) }],
    ["notify.suppressed_after", { text: formatDuration(notify.suppressedAfterMs) }],
    ...notify.channels.map(channelView),
    ...plain.map(([key, text]): [string, Shown] => [key, { text }]),
    ...windows,
    ...tokens,
    ...heartbeatView(settings.heartbeat),
    ...settings.aggregators.flatMap(aggregatorView),
  ]);
}

function heartbeatView(heartbeat: Settings["heartbeat"]): Array<[string, Shown]> {
  if (heartbeat === undefined) return [];
  const { url, everyMs, timeoutMs, needsNotifier } = heartbeat;
  const needs = needsNotifier ? ", with a notifier that answers" : "";
  const text = `every ${formatDuration(everyMs)}, within ${formatDuration(timeoutMs)}${needs}`;
  return [["notify.heartbeat", { text, secret: url.reveal() }]];
}

function aggregatorView(aggregator: AggregatorSettings): Array<[string, Shown]> {
  const { timeouts, watch, pollers } = aggregator;
  const list = (texts: readonly string[]): Shown => ({ text: texts.join(", ") || ABSENT });
  const own: Array<[string, Shown]> = [
    ["base_url", { text: aggregator.baseUrl }],
    ["auth.read", credentialView(aggregator.auth.read)],
    ["auth.act", credentialView(aggregator.auth.act)],
    ["rate.requests_per_second", { text: String(aggregator.rate.requestsPerSecond) }],
    ["rate.concurrency", { text: String(aggregator.rate.concurrency) }],
    ["timeout", { text: formatDuration(timeouts.requestMs) }],
    ["timeouts.connect", { text: formatDuration(timeouts.connectMs) }],
    ["timeouts.response", { text: formatDuration(timeouts.responseMs) }],
    ["max_body_bytes", { text: String(aggregator.maxBodyBytes) }],
    ["retries", { text: String(aggregator.retries) }],
    ...pollers.map(({ name, schedule }): [string, Shown] => [
      `schedules.${name}`,
      { text: schedule },
    ]),
    ...pollers.map(({ name, staleAfterMs }): [string, Shown] => [
      `stale_after (${name})`,
      { text: formatDuration(staleAfterMs) },
    ]),
    ["watch.senders", list(watch.senders.map(({ address, alias }) => named(address, alias)))],
    ["watch.liquidations", list(watch.liquidations.map(({ id, alias }) => named(id, alias)))],
    ["watch.pools", list(watch.pools.map(({ factory, pair }) => `${factory}/${pair}`))],
    [
      "watch.orders",
      list(watch.orders.map((one) => named(`${one.market}/${one.id}`, one.alias ?? one.id))),
    ],
    ["watch.order_statuses.spot", list(watch.orderStatuses.spot)],
    ["watch.order_statuses.futures", list(watch.orderStatuses.futures)],
    [
      "watch.markets",
      list(watch.markets.map(({ pair = "*", exchange = "*" }) => `${pair}@${exchange}`)),
    ],
    ["watch.history_limit", { text: String(watch.historyLimit) }],
    ["watch.estimation", { text: `${watch.estimation.side} ${watch.estimation.amount}` }],
    ["watch.files", list(aggregator.watchSources.files)],
    ...aggregator.watchSources.http.map(
      ({ name, url, everyMs, timeoutMs, auth }): [string, Shown] => {
        const { text, secret } = credentialView(auth);
        const shown = `${url} every ${formatDuration(everyMs)}, timeout ${formatDuration(timeoutMs)}, auth ${text}`;
        return [`watch.http.${name}`, { text: shown, ...(secret === undefined ? {} : { secret }) }];
      },
    ),
    ["statuses.open", list(aggregator.statuses.open)],
    ["statuses.cancelable", list(aggregator.statuses.cancelable)],
    ["statuses.final", list(aggregator.statuses.final)],
    ...Object.entries(aggregator.wire).map(([name, endpoint]): [string, Shown] => [
      `wire.${name}`,
      // A header of it may be a secret.
      {
        text: `sha256:${createHash("sha256").update(JSON.stringify(endpoint)).digest("hex").slice(0, 12)}`,
      },
    ]),
  ];
  return own.map(([key, shown]) => [`aggregators.${aggregator.name}.${key}`, shown]);
}

function channelView(channel: ChannelSettings): [string, Shown] {
  const { policy, url, secrets, auth, body } = channel;
  const { name, type, topics, leastSeverity, match } = policy;
  const credential = credentialView(auth);
  const wanted = [`from ${leastSeverity}`, topics.join(" "), JSON.stringify(match)].join(", ");
  const text = `${type} ${url ?? "[redacted]"}, ${wanted}, auth ${credential.text}, body ${body?.source ?? "as by default"}`;
  const hidden = [
    ...Object.entries(secrets).map(([key, secret]) => `${key} ${secret.reveal()}`),
    credential.secret,
  ];
  return [`notify.${name}`, { text, secret: hidden.join("\n") }];
}

function named(id: string, alias: string): string {
  return id === alias ? id : `${id} (${alias})`;
}

function budgetText({ max, perMs }: Budget): string {
  return `${max} per ${formatDuration(perMs)}`;
}

function credentialView(credential: Credential): Shown {
  switch (credential.type) {
    case "none":
      return { text: "none" };
    case "bearer":
      return { text: "bearer [redacted]", secret: credential.token.reveal() };
    case "basic":
      return {
        text: `basic ${credential.username} [redacted]`,
        secret: credential.password.reveal(),
      };
    case "header":
      return { text: `header ${credential.name} [redacted]`, secret: credential.value.reveal() };
  }
}

import type { Alert } from "../../domain/alert.ts";
import type { Finding, Muting } from "../../domain/finding.ts";
import type { SuppressionReason } from "../../domain/guard.ts";
import type { EntityId } from "../../domain/entity.ts";
import type { ChannelPolicy, EventNews } from "../../domain/notification.ts";
import type { Event } from "../../domain/step.ts";
import { touch, type Draft } from "../draft.ts";
import { modeOf } from "../act/guards/guard.ts";
import { createMute, type Mute } from "./mute.ts";
import {
  alertNews,
  holdNews,
  isWanted,
  killNews,
  proposedNews,
  remediationNews,
  resolvedNews,
  suppressedNews,
} from "./notifications.ts";
import { alertSubject, awaitNews, forgetRow, foundDropped, rowKey } from "./outbox.ts";

/**
 * Decides what people are told. Of alerts by their level: a channel is told what it does not know
 * yet, so nothing is lost by a restart, a reload, or a silence that ends. Of the rest once.
 */
export function announce(draft: Draft, because: Event["type"]): void {
  const { channels } = draft.policy.notify;
  if (channels.length === 0 && draft.state.tables.notification.size === 0) return;
  const mute = createMute(draft);
  const isAnew = because === "started" || because === "policy_changed";
  if (isAnew) forgetChannels(draft);
  for (const finding of draft.findings.slice()) tell(draft, mute, finding);
  if (isAnew) tellAllAlerts(draft, mute);
  else if (because === "tick" || because === "command") tellMutedAgain(draft, mute);
  if (because === "tick") tellLongSuppressed(draft, mute);
}

/** Holds of recurring maintenance end as planned, and nobody has to be reminded of that. */
const MAINTENANCE_HOLD = /^maintenance-/;

function tell(draft: Draft, mute: Mute, finding: Finding): void {
  const { type } = finding;
  if (type === "alert") tellAlertChange(draft, mute, finding);
  else if (type === "remediation") tellRemediation(draft, mute, finding);
  else if (type === "proposed") tellProposal(draft, mute, finding);
  else if (type === "kill") {
    tellEvent(draft, `kill ${finding.source}`, killNews(finding, draft.at));
  } else if (type === "hold" && finding.change === "ends_soon") {
    const { id } = finding.hold;
    if (!MAINTENANCE_HOLD.test(id)) tellEvent(draft, `hold ${id}`, holdNews(finding, draft.at));
  }
}

function tellRemediation(
  draft: Draft,
  mute: Mute,
  { remediation }: Extract<Finding, { type: "remediation" }>,
): void {
  const { id, rule, entity } = remediation;
  const news = remediationNews(remediation, draft.at);
  if (news !== undefined) tellUnlessMuted(draft, mute, `remediation ${id}`, rule, entity, news);
}

function tellAlertChange(
  draft: Draft,
  mute: Mute,
  { alert: { key }, change, alert: found }: Extract<Finding, { type: "alert" }>,
): void {
  if (change === "firing") {
    const alert = draft.state.tables.alert.get(key);
    if (alert?.state === "firing") tellFiring(draft, mute, alert);
  } else if (change === "resolved" || change === "pending" || change === "dropped") {
    // Pending again, or dropped: for those who know it as firing, that is over.
    draft.state.muted.delete(key);
    tellResolved(draft, found, change === "resolved");
  }
}

function tellFiring(draft: Draft, mute: Mute, alert: Alert): void {
  const untold = draft.policy.notify.channels.filter((channel) => !knows(draft, channel, alert));
  const news = alertNews(alert, "firing", draft.at);
  const wanting = untold.filter((channel) => isWanted(channel, news));
  const muting = wanting.length === 0 ? undefined : mute.ofAlert(alert);
  if (muting !== undefined) return noteMuted(draft, alert.key, muting);
  draft.state.muted.delete(alert.key);
  for (const channel of wanting) awaitNews(draft, channel, alertSubject(alert.key), news);
}

/** It was told of this run, or is about to be. */
function knows(draft: Draft, { name }: ChannelPolicy, { key, startedAt }: Alert): boolean {
  const row = draft.state.tables.notification.get(rowKey(name, alertSubject(key)));
  const last = row?.waiting?.news ?? row?.told?.news;
  return last?.type === "alert" && last.state === "firing" && last.startedAt === startedAt;
}

/**
 * The end is told to every channel that was told of the beginning, or was to be: whoever could not be
 * reached meanwhile learns of both by it. No silence keeps it back, as an incident would stay open.
 */
function tellResolved(draft: Draft, alert: Readonly<Alert>, isResolved: boolean): void {
  for (const channel of draft.policy.notify.channels) {
    const subject = alertSubject(alert.key);
    const row = draft.state.tables.notification.get(rowKey(channel.name, subject));
    const last = row?.waiting?.news ?? row?.told?.news;
    if (last?.type !== "alert" || last.state === "resolved") continue;
    const news = isResolved ? alertNews(alert, "resolved", draft.at) : resolvedNews(last, draft.at);
    awaitNews(draft, channel, subject, news);
  }
}

/** After a start or a reload: what fires is told to those who do not know, and what ended likewise. */
function tellAllAlerts(draft: Draft, mute: Mute): void {
  const { alert: alerts, notification } = draft.state.tables;
  for (const key of draft.state.firing) {
    const alert = alerts.get(key);
    if (alert !== undefined) tellFiring(draft, mute, alert);
  }
  for (const channel of draft.policy.notify.channels) {
    for (const key of draft.state.channels.get(channel.name)?.rows ?? []) {
      const row = notification.get(key);
      const last = row?.waiting?.news ?? row?.told?.news;
      if (row === undefined || last?.type !== "alert" || last.state === "resolved") continue;
      if (draft.state.firing.has(last.key)) continue;
      awaitNews(draft, channel, row.subject, resolvedNews(last, draft.at));
    }
  }
}

/** A silence may have ended, and what inhibited may fire no more. */
function tellMutedAgain(draft: Draft, mute: Mute): void {
  for (const key of draft.state.muted.keys()) {
    const alert = draft.state.tables.alert.get(key);
    if (alert?.state === "firing") tellFiring(draft, mute, alert);
    else draft.state.muted.delete(key);
  }
}

function noteMuted(draft: Draft, key: string, muting: Muting): void {
  const known = draft.state.muted.get(key);
  draft.state.muted.set(key, muting);
  if (known?.reason === muting.reason && known.detail === muting.detail) return;
  draft.findings.push({ type: "muted", subject: alertSubject(key), ...muting });
}

function tellProposal(
  draft: Draft,
  mute: Mute,
  finding: Extract<Finding, { type: "proposed" }>,
): void {
  const { proposal: id, entity } = finding;
  for (const { id: own, rule, expiresAt } of draft.state.tables.proposal.values()) {
    if (own !== id) continue;
    const news = proposedNews(finding, rule, expiresAt, draft.at);
    tellUnlessMuted(draft, mute, `proposal ${id}`, rule, entity, news);
  }
}

/** What a rule, a mode or a person wants so, is not worth a word; the rest is, once it lasts. */
const AS_WANTED: ReadonlySet<SuppressionReason> = new Set(["shadow", "approval", "condition"]);

function tellLongSuppressed(draft: Draft, mute: Mute): void {
  const { suppressedAfterMs } = draft.policy.notify;
  for (const key of draft.state.firing) {
    const alert = draft.state.tables.alert.get(key);
    const { suppressed } = alert ?? {};
    if (alert === undefined || suppressed === undefined || suppressed.told === true) continue;
    if (AS_WANTED.has(suppressed.reason) || draft.at - suppressed.since < suppressedAfterMs)
      continue;
    const act = draft.policy.rules.get(alert.rule)?.act;
    // In shadow nothing would be sent whatever the other guards say.
    if (act === undefined || modeOf({ policy: draft.policy, act }) === "shadow") continue;
    alert.suppressed = { ...suppressed, told: true };
    touch(draft, "alert", key);
    const news = suppressedNews(alert, act.action, draft.at);
    tellUnlessMuted(draft, mute, `suppressed ${key}`, alert.rule, alert.entity, news);
  }
}

function tellUnlessMuted(
  draft: Draft,
  mute: Mute,
  subject: string,
  rule: string,
  entity: EntityId,
  news: EventNews,
): void {
  if (!draft.policy.notify.channels.some((channel) => isWanted(channel, news))) return;
  const muting = mute.ofEvent(rule, entity);
  if (muting === undefined) tellEvent(draft, subject, news);
  else draft.findings.push({ type: "muted", subject, ...muting });
}

function tellEvent(draft: Draft, subject: string, news: EventNews): void {
  for (const channel of draft.policy.notify.channels) {
    if (isWanted(channel, news)) awaitNews(draft, channel, subject, news);
  }
}

/** Channels that are not configured any more are told nothing, not even what waited for them. */
function forgetChannels(draft: Draft): void {
  const configured = new Set(draft.policy.notify.channels.map(({ name }) => name));
  for (const [name, state] of draft.state.channels) {
    if (configured.has(name)) continue;
    const waited = state.waiting.size;
    for (const key of state.rows) forgetRow(draft, key);
    draft.state.channels.delete(name);
    if (waited > 0) foundDropped(draft, name, waited, "the channel is not configured any more");
  }
  // What was wrong with a channel may be mended by what was changed.
  for (const state of draft.state.channels.values()) state.retryAt = -Infinity;
}

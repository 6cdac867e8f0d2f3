import type { Alert } from "../../domain/alert.ts";
import type { Finding } from "../../domain/finding.ts";
import type { ChannelPolicy, EventWord } from "../../domain/notification.ts";
import type { EndedProposal } from "../../domain/remediation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Event } from "../../domain/step.ts";
import { MINUTE, type Millis } from "../../domain/time.ts";
import { touch, type Draft } from "../draft.ts";
import { modeOf } from "../act/guards/guard.ts";
import { createMute, noteMuted, type Mute } from "./mute.ts";
import { alertNotification, labelledAs, resolvedNotification } from "./alert-notification.ts";
import {
  dueProposals,
  endOfProposal,
  eventOf,
  INTENDED,
  noteAsked,
  suppressedEvent,
  type EventOnSubject,
} from "./event-notification.ts";
import { alertSubject, dequeue, dropChannels, enqueue, lastNotification } from "./outbox.ts";
import { putOff, rowKey } from "./outbox.ts";
import { beginResends } from "./resend.ts";
import { dropUnwanted, isWanted } from "./wanted.ts";

/**
 * Decides on notifications. Alerts are level-triggered: a channel is notified of the state that it does
 * not know yet, so a restart, a reload or the end of a silence loses nothing. Events are notified once.
 */
export function* notify(draft: Draft, because: Event["type"]): Slices {
  const { channels } = draft.policy.notify;
  if (channels.length === 0 && draft.state.tables.notification.size === 0) return;
  const mute = createMute(draft);
  const isRepeated = because === "started" || because === "policy_changed";
  if (isRepeated) {
    dropChannels(draft);
    beginResends(draft);
  }
  yield* eachInSlices(draft.findings.slice(), (finding) => {
    if (finding.type === "alert") notifyAlertChange(draft, mute, finding);
    const event = eventOf(draft, finding);
    if (event !== undefined) notifyEvent(draft, mute, event);
  });
  for (const ended of draft.endedProposals) notifyEnded(draft, mute, ended);
  for (const event of dueProposals(draft)) notifyEvent(draft, mute, event);
  if (isRepeated) notifyAllAlerts(draft, mute);
  else if (because === "tick" || because === "command") notifyUnmuted(draft, mute);
  if (because === "tick") notifyLongSuppressed(draft, mute);
}

function notifyAlertChange(
  draft: Draft,
  mute: Mute,
  { alert: { key }, change, alert: found }: Extract<Finding, { type: "alert" }>,
): void {
  if (change === "firing") {
    const alert = draft.state.tables.alert.get(key);
    if (alert?.state === "firing") notifyFiring(draft, mute, alert);
  } else if (change === "resolved" || change === "pending" || change === "dropped") {
    // Pending again, or dropped: a receiver that knows it as firing has to see it end.
    draft.state.muted.delete(key);
    notifyResolved(draft, found, change === "resolved");
  }
}

function notifyFiring(draft: Draft, mute: Mute, alert: Alert): void {
  if (draft.policy.notify.leftToHome?.has(alert.entity.kind) === true) return;
  const unaware = draft.policy.notify.channels.filter(
    (channel) => !isNotified(draft, channel, alert),
  );
  const notification = alertNotification(draft, alert, "firing");
  const wanting = unaware.filter((channel) => isWanted(channel, notification));
  const muting = wanting.length === 0 ? undefined : mute.ofAlert(alert);
  if (muting !== undefined) return noteMuted(draft, alert.key, muting);
  draft.state.muted.delete(alert.key);
  for (const channel of wanting) enqueue(draft, channel, alertSubject(alert.key), notification);
}

/**
 * The channel has been notified of this run of the alert, or is about to be. One that routes by what is sent again is
 * notified of another severity too.
 */
function isNotified(
  draft: Draft,
  { name, resendMs }: ChannelPolicy,
  { key, startedAt, severity }: Alert,
): boolean {
  const row = draft.state.tables.notification.get(rowKey(name, alertSubject(key)));
  const last = lastNotification(row);
  if (last?.type !== "alert" || last.state !== "firing") return false;
  return last.startedAt === startedAt && (resendMs === undefined || last.severity === severity);
}

/**
 * The end goes to every channel that was notified of the beginning, or was to be: one that could not be
 * reached meanwhile gets both by it. No silence holds it back, as an incident would stay open.
 */
function notifyResolved(draft: Draft, alert: Readonly<Alert>, isResolved: boolean): void {
  for (const channel of draft.policy.notify.channels) {
    const subject = alertSubject(alert.key);
    const row = draft.state.tables.notification.get(rowKey(channel.name, subject));
    const last = lastNotification(row);
    if (last?.type !== "alert" || last.state === "resolved") continue;
    const notification = isResolved
      ? labelledAs(alertNotification(draft, alert, "resolved"), row?.told?.news ?? last)
      : resolvedNotification(last, draft.at);
    enqueue(draft, channel, subject, notification);
  }
}

/** After a start or a reload: channels are notified of what fires, and of what ended, if they do not know. */
function notifyAllAlerts(draft: Draft, mute: Mute): void {
  const { alert: alerts, notification: rows } = draft.state.tables;
  for (const key of draft.state.firing) {
    const alert = alerts.get(key);
    if (alert !== undefined) notifyFiring(draft, mute, alert);
  }
  for (const channel of draft.policy.notify.channels) {
    dropUnwanted(draft, channel);
    for (const key of draft.state.channels.get(channel.name)?.rows ?? []) {
      const row = rows.get(key);
      const last = lastNotification(row);
      if (row === undefined || last?.type !== "alert" || last.state === "resolved") continue;
      if (draft.state.firing.has(last.key)) continue;
      enqueue(draft, channel, row.subject, resolvedNotification(last, draft.at));
    }
  }
}

/** A silence may have ended, and an inhibiting alert may have resolved. */
function notifyUnmuted(draft: Draft, mute: Mute): void {
  for (const key of draft.state.muted.keys()) {
    const alert = draft.state.tables.alert.get(key);
    if (alert?.state === "firing") notifyFiring(draft, mute, alert);
    else draft.state.muted.delete(key);
  }
}

function notifyLongSuppressed(draft: Draft, mute: Mute): void {
  const { suppressedAfterMs } = draft.policy.notify;
  for (const key of draft.state.firing) {
    const alert = draft.state.tables.alert.get(key);
    const { suppressed } = alert ?? {};
    if (alert === undefined || suppressed === undefined || suppressed.told === true) continue;
    // It is well, so there is nothing to repair.
    if (alert.keepFiringSince !== undefined) continue;
    if (INTENDED.has(suppressed.reason) || draft.at - suppressed.since < suppressedAfterMs)
      continue;
    const act = draft.policy.rules.get(alert.rule)?.act;
    // In shadow nothing would be sent whatever the other guards say.
    if (act === undefined || modeOf({ policy: draft.policy, act }) === "shadow") continue;
    alert.suppressed = { ...suppressed, told: true };
    touch(draft, "alert", key);
    notifyEvent(draft, mute, suppressedEvent(alert, act.action, draft.at));
  }
}

function notifyEvent(
  draft: Draft,
  mute: Mute,
  { subject, notification, about }: EventOnSubject,
): void {
  const wanting = draft.policy.notify.channels.filter((one) => isWanted(one, notification));
  const muting = wanting.length === 0 ? undefined : about && mute.ofEvent(about);
  if (muting !== undefined) draft.findings.push({ type: "muted", subject, ...muting });
  else
    for (const channel of wanting) {
      if (notification.word === "proposed") dropExpired(draft, channel.name, subject);
      enqueue(draft, channel, subject, notification);
    }
}

/** The channel was to get the end of one that has expired: it gets that of the one in its place. */
function dropExpired(draft: Draft, channel: string, subject: string): void {
  const key = rowKey(channel, subject);
  if (waitingWord(draft, key) !== "expired") return;
  dequeue(draft, key);
  noteAsked(draft, channel, subject);
}

function waitingWord(draft: Draft, key: string): EventWord | undefined {
  const news = draft.state.tables.notification.get(key)?.waiting?.news;
  return news?.type === "event" ? news.word : undefined;
}

/** How long another proposal may take to follow one that has expired. If it does, its notification says enough. */
const FOLLOWS_WITHIN: Millis = MINUTE;

/** Each channel that got the proposal, or may have, gets its end too, despite a silence. */
function notifyEnded(draft: Draft, mute: Mute, ended: EndedProposal): void {
  const { alert, announcement } = ended.proposal;
  const { subject, notification, about } = endOfProposal(ended, draft.at);
  const isNotifiedOfSending =
    ended.word === "sent" && (about === undefined || mute.ofEvent(about) === undefined);
  for (const channel of draft.policy.notify.channels) {
    const { name } = channel;
    const key = rowKey(name, subject);
    if (announcement.told?.includes(name) !== true && !isBeingAsked(draft, name, key)) continue;
    // That what it proposed was sent says enough.
    if (isNotifiedOfSending && isWanted(channel, notification)) continue;
    const ofAlert = draft.state.tables.notification.get(rowKey(name, alertSubject(alert)));
    if (ended.withAlert === true && lastNotification(ofAlert) !== undefined) continue;
    enqueue(draft, channel, subject, notification);
    if (ended.word === "expired") putOff(draft, key, draft.at + FOLLOWS_WITHIN);
  }
}

/** The proposal is under way, or was when the last process ended: whether the receiver has it is not known. */
function isBeingAsked(draft: Draft, channel: string, key: string): boolean {
  const { tables, channels } = draft.state;
  if (tables.notification.get(key)?.waiting?.tried !== true) return false;
  const known = channels.get(channel);
  const isUnderWay = known?.sendingSince !== undefined || known?.lastError === undefined;
  return isUnderWay && waitingWord(draft, key) === "proposed";
}

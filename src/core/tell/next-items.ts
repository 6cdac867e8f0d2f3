import {
  notificationLabels,
  type BatchItem,
  type ChannelPolicy,
  type Notification,
  type OutboxRow,
  type WaitingNotification,
} from "../../domain/notification.ts";
import type { ChannelState } from "./channel-state.ts";
import { touch, type Draft } from "../draft.ts";
import { refreshed, resolvedNotification } from "./alert-notification.ts";
import { isOver } from "./event-notification.ts";
import { createMute, noteMuted, type Mute } from "./mute.ts";
import { dequeue } from "./outbox.ts";
import { nextResends } from "./resend.ts";

/**
 * The oldest that wait, and what must be sent again. The latter gets up to half of a batch: if it got only what is left
 * over, a queue that never empties would make the receiver end every firing alert. A proposal is sent alone.
 */
export function nextItems(draft: Draft, channel: ChannelPolicy, state: ChannelState): BatchItem[] {
  dropOver(draft, state);
  const most = state.alone > 0 ? 1 : channel.most;
  const again = nextResends(draft, channel, state, Math.floor(most / 2));
  const mute = createMute(draft);
  const items: BatchItem[] = [];
  let group: string | undefined;
  for (const key of state.waiting.values()) {
    if (items.length >= most - again.length) break;
    const row = draft.state.tables.notification.get(key);
    const waiting = row?.waiting;
    if (row === undefined || waiting === undefined) continue;
    if ((waiting.notBefore ?? draft.at) > draft.at) continue;
    if (isMutedMeanwhile(draft, mute, row)) {
      dequeue(draft, key);
      continue;
    }
    if (channel.grouping === "rule") {
      group ??= groupOf(waiting.news);
      if (groupOf(waiting.news) !== group) continue;
    }
    const isProposal = waiting.news.type === "event" && waiting.news.word === "proposed";
    // Among many others a receiver would get one line of it, and nothing to decide on.
    if (isProposal && items.length > 0) break;
    if (waiting.tried !== true) {
      row.waiting = { ...waiting, tried: true };
      touch(draft, "notification", key);
    }
    const item = itemOf(draft, row.subject, waiting);
    if (channel.resendMs !== undefined && state.alone === 0)
      items.push(...endOfFormer(draft, row, item));
    items.push(item);
    if (isProposal) break;
  }
  items.push(...again);
  return [...items, ...nextResends(draft, channel, state, most - items.length)];
}

/**
 * A silence, or an alert that inhibits this one, is newer than what waits. It is sent when that has ended, if it still
 * fires. What the receiver may know of goes on to its end.
 */
function isMutedMeanwhile(draft: Draft, mute: Mute, { waiting, told }: OutboxRow): boolean {
  if (waiting?.news.type !== "alert" || waiting.tried === true) return false;
  const { key, state, startedAt } = waiting.news;
  const isKnown = told?.news.state === "firing" && told.news.startedAt === startedAt;
  const alert = draft.state.tables.alert.get(key);
  if (state !== "firing" || isKnown || alert?.state !== "firing") return false;
  const muting = mute.ofAlert(alert);
  if (muting !== undefined) noteMuted(draft, key, muting);
  return muting !== undefined;
}

/** As people would act on it. What became of it is told by itself. */
function dropOver(draft: Draft, state: ChannelState): void {
  for (const number of state.events) {
    const key = state.waiting.get(number) ?? "";
    const { subject = "", waiting } = draft.state.tables.notification.get(key) ?? {};
    if (waiting?.news.type !== "event") continue;
    if (isOver(draft, { subject, notification: waiting.news })) dequeue(draft, key);
  }
}

function itemOf(draft: Draft, subject: string, waiting: WaitingNotification): BatchItem {
  const { news, number, since, superseded } = waiting;
  return { subject, notification: refreshed(draft, news), number, since, superseded };
}

/** If the receiver knows the alert by other labels: they are another alert to it, which ends. */
function endOfFormer(
  { at }: Draft,
  { told }: OutboxRow,
  { subject, notification }: BatchItem,
): BatchItem[] {
  if (told?.news.state !== "firing" || notification.type !== "alert") return [];
  const { news } = told;
  if (labelSet(news) === labelSet(notification)) return [];
  return [{ subject, notification: resolvedNotification(news, at), since: at, superseded: 0 }];
}

function labelSet(notification: Notification): string {
  const labels = notificationLabels(notification);
  return JSON.stringify(labels, Object.keys(labels).toSorted());
}

/** A channel that groups by rule gets the notifications of one such group in a request. */
export function groupOf(notification: Notification): string {
  const isAlert = notification.type === "alert";
  return isAlert ? `${notification.rule}|${notification.entity.aggregator}` : "";
}

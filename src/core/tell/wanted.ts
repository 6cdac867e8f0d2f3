import {
  notificationLabels,
  type ChannelPolicy,
  type Notification,
} from "../../domain/notification.ts";
import { severityRank } from "../../domain/shown/severity.ts";
import type { Draft } from "../draft.ts";
import { refreshed, resolvedNotification } from "./alert-notification.ts";
import { dequeue, enqueue } from "./outbox.ts";

/** Whether a channel is configured for it. A label that an event does not have excludes nothing. */
export function isWanted(channel: ChannelPolicy, notification: Notification): boolean {
  if (!channel.topics.includes(notification.type === "alert" ? "alerts" : notification.topic))
    return false;
  if (severityRank(notification.severity) < severityRank(channel.leastSeverity)) return false;
  const labels = notificationLabels(notification);
  return Object.entries(channel.match).every(([name, value]) => {
    const own = labels[name];
    return own === undefined ? notification.type === "event" : own === value;
  });
}

/**
 * A reload may have changed what a channel wants, or the severity of alerts. What it does not want now is not sent if it
 * was not before. What its receiver knows goes on to its end; but one that routes by the severity would go on with one
 * that is not true any more, so there the alert ends under it.
 */
export function dropUnwanted(draft: Draft, channel: ChannelPolicy): void {
  for (const key of draft.state.channels.get(channel.name)?.rows ?? []) {
    const row = draft.state.tables.notification.get(key);
    if (row === undefined) continue;
    const { waiting, told: known } = row;
    const last = waiting?.news ?? known?.news;
    if (last?.type !== "alert") continue;
    const now = refreshed(draft, last);
    if (isWanted(channel, now)) continue;
    const mayBeKnown = known?.news.state === "firing" || waiting?.tried === true;
    if (!mayBeKnown) dequeue(draft, key);
    else if (channel.resendMs !== undefined && now.severity !== last.severity)
      enqueue(draft, channel, row.subject, resolvedNotification(known?.news ?? last, draft.at));
  }
}

import type {
  BatchItem,
  ChannelPolicy,
  Notification,
  WaitingNotification,
} from "../../domain/notification.ts";
import type { ChannelState } from "./channel-state.ts";
import { touch, type Draft } from "../draft.ts";
import { refreshed } from "./alert-notification.ts";
import { nextResends } from "./resend.ts";

/**
 * The oldest that wait, and what must be sent again. The latter gets up to half of a batch: if it got only what is left
 * over, a queue that never empties would make the receiver end every firing alert. A proposal is sent alone.
 */
export function nextItems(draft: Draft, channel: ChannelPolicy, state: ChannelState): BatchItem[] {
  const most = state.alone > 0 ? 1 : channel.most;
  const again = nextResends(draft, channel, state, Math.floor(most / 2));
  const items: BatchItem[] = [];
  let group: string | undefined;
  for (const key of state.waiting.values()) {
    if (items.length >= most - again.length) break;
    const row = draft.state.tables.notification.get(key);
    const waiting = row?.waiting;
    if (row === undefined || waiting === undefined) continue;
    if ((waiting.notBefore ?? draft.at) > draft.at) continue;
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
    items.push(itemOf(draft, row.subject, waiting));
    if (isProposal) break;
  }
  items.push(...again);
  return [...items, ...nextResends(draft, channel, state, most - items.length)];
}

function itemOf(draft: Draft, subject: string, waiting: WaitingNotification): BatchItem {
  const { news, number, since, superseded } = waiting;
  return { subject, notification: refreshed(draft, news), number, since, superseded };
}

/** A channel that groups by rule gets the notifications of one such group in a request. */
export function groupOf(notification: Notification): string {
  const isAlert = notification.type === "alert";
  return isAlert ? `${notification.rule}|${notification.entity.aggregator}` : "";
}

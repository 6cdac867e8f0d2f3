import type { BatchItem, ChannelPolicy } from "../../domain/notification.ts";
import type { ChannelState } from "./channel-state.ts";
import type { Draft } from "../draft.ts";
import { refreshed } from "./alert-notification.ts";
import { deleteRow } from "./outbox.ts";

/**
 * An Alertmanager forgets alerts that are not sent again, so all that fire are, and for a while those that
 * have resolved. A silence does not stop this, as that would look like the end of the alert.
 */
export function nextResends(
  draft: Draft,
  channel: ChannelPolicy,
  state: ChannelState,
  room: number,
): BatchItem[] {
  if (channel.resendMs === undefined || room <= 0) return [];
  if (state.resending.length === 0 && draft.at >= state.resendAt) {
    state.resendAt = draft.at + channel.resendMs;
    state.resending = [...state.rows];
  }
  const items: BatchItem[] = [];
  while (items.length < room) {
    const key = state.resending.shift();
    if (key === undefined) break;
    const item = resendItem(draft, key);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function resendItem(draft: Draft, key: string): BatchItem | undefined {
  const row = draft.state.tables.notification.get(key);
  if (row?.told === undefined || row.waiting !== undefined) return undefined;
  const { news, at: since } = row.told;
  const isSame = draft.state.tables.alert.get(news.key)?.startedAt === news.startedAt;
  if (news.state === "firing" || isSame)
    return { subject: row.subject, notification: refreshed(draft, news), since, superseded: 0 };
  deleteRow(draft, key);
  return undefined;
}

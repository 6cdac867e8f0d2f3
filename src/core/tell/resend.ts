import type { AlertNotification, BatchItem, ChannelPolicy } from "../../domain/notification.ts";
import { WATCHDOG } from "../../domain/notification.ts";
import type { ChannelState } from "./channel-state.ts";
import type { Draft } from "../draft.ts";
import { labelledAs, refreshed } from "./alert-notification.ts";
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
  const items: BatchItem[] = [];
  if (state.resending.length === 0 && draft.at >= state.resendAt) {
    state.resendAt = draft.at + channel.resendMs;
    state.resending = [...state.rows];
  }
  if (channel.watchdog === true && draft.at >= state.watchdogAt) {
    state.watchdogAt = draft.at + channel.resendMs;
    items.push(watchdogItem(draft));
  }
  while (items.length < room) {
    const key = state.resending.shift();
    if (key === undefined) break;
    const item = resendItem(draft, key);
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** After a reload, as after a start, a round begins at once: the receiver or the interval may be another one. */
export function beginResends({ policy, state: { channels } }: Draft): void {
  for (const { name } of policy.notify.channels) {
    const state = channels.get(name);
    if (state !== undefined) Object.assign(state, { resendAt: -Infinity, watchdogAt: -Infinity });
  }
}

/** Not in the outbox, as it never ends. It is sent as often as what fires is sent again. */
function watchdogItem({ policy, state }: Draft): BatchItem {
  const watched = policy.aggregators.map(({ name }) => name).join(", ");
  const notification: AlertNotification = {
    type: "alert",
    state: "firing",
    key: WATCHDOG,
    rule: WATCHDOG,
    severity: "none",
    entity: { aggregator: "", kind: "", id: "" },
    labels: { watches: watched },
    annotations: {
      summary: "aggwatch runs, and can reach this Alertmanager.",
      description: `This alert always fires. If it stops, ${watched} is not watched, or notifications do not arrive.`,
      runbook_url: "docs/runbooks/Watchdog.md",
    },
    startedAt: state.startedAt,
    firedAt: state.startedAt,
  };
  return { subject: WATCHDOG, notification, since: state.startedAt, superseded: 0 };
}

function resendItem(draft: Draft, key: string): BatchItem | undefined {
  const row = draft.state.tables.notification.get(key);
  if (row?.told === undefined || row.waiting !== undefined) return undefined;
  const { news, at: since } = row.told;
  const isSame = draft.state.tables.alert.get(news.key)?.startedAt === news.startedAt;
  if (news.state === "firing" || isSame) {
    const notification = labelledAs(refreshed(draft, news), news);
    return { subject: row.subject, notification, since, superseded: 0 };
  }
  deleteRow(draft, key);
  return undefined;
}

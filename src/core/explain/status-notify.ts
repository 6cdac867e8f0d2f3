import type { ChannelPolicy } from "../../domain/notification.ts";
import type { Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../state.ts";
import type { ChannelState } from "../tell/channel-state.ts";

/** The state of a channel. */
export type ChannelStatus = {
  readonly name: string;
  /** The notifier's name. */
  readonly type: string;
  /** Notifications that wait to be delivered. */
  readonly waiting: number;
  /** When the oldest of them was decided. */
  readonly oldest: Instant | undefined;
  /** Since this process started. */
  readonly deliveredAt: Instant | undefined;
  /** Since when nothing was delivered although it was tried. */
  readonly failingSince: Instant | undefined;
  /** Undefined also if there is nothing to send. */
  readonly retryAt: Instant | undefined;
  readonly lastError: { readonly at: Instant; readonly detail: string } | undefined;
};

export function channelsOf(policy: Policy, state: State): ChannelStatus[] {
  return policy.notify.channels.map((channel) => {
    const { name, type } = channel;
    const known = state.channels.get(name);
    return {
      name,
      type,
      waiting: known?.waiting.size ?? 0,
      oldest: oldestIn(state, name),
      deliveredAt: known?.deliveredAt,
      failingSince: known?.failingSince,
      retryAt: known?.failingSince === undefined ? undefined : nextTry(state, channel, known),
      lastError: known?.lastError,
    };
  });
}

/** When it is tried again if nothing new is to be sent: what was refused alone waits for longer than the others. */
function nextTry(
  { tables }: State,
  { resendMs, watchdog }: ChannelPolicy,
  { waiting, rows, resendAt, retryAt }: ChannelState,
): Instant | undefined {
  const isResent = resendMs !== undefined && (watchdog === true || rows.size > 0);
  let first = isResent ? resendAt : Infinity;
  for (const key of waiting.values())
    first = Math.min(first, tables.notification.get(key)?.waiting?.notBefore ?? -Infinity);
  const at = Math.max(first, retryAt);
  return Number.isFinite(at) ? at : undefined;
}

/** A notification that took the place of an older one counts from the older one. */
export function oldestIn(state: State, channel: string): Instant | undefined {
  let oldest: Instant | undefined;
  for (const key of state.channels.get(channel)?.waiting.values() ?? []) {
    const since = state.tables.notification.get(key)?.waiting?.since;
    if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since;
  }
  return oldest;
}

/** Since when something waits in every channel; undefined if a channel is empty, or if there is none. */
export function silentSince(state: State, channels: readonly string[]): Instant | undefined {
  const oldest = channels.map((name) => oldestIn(state, name));
  const since = oldest.filter((at) => at !== undefined);
  // All have been silent only since the last of them became so.
  return since.length === oldest.length && since.length > 0 ? Math.max(...since) : undefined;
}

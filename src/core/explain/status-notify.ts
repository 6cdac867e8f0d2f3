import type { Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../state.ts";

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
  return policy.notify.channels.map(({ name, type, resendMs }) => {
    const known = state.channels.get(name);
    const isFailing = known?.failingSince !== undefined;
    const isTried = resendMs !== undefined || (known?.waiting.size ?? 0) > 0;
    return {
      name,
      type,
      waiting: known?.waiting.size ?? 0,
      oldest: oldestIn(state, name),
      deliveredAt: known?.deliveredAt,
      failingSince: known?.failingSince,
      retryAt: isFailing && isTried && known.retryAt > 0 ? known.retryAt : undefined,
      lastError: known?.lastError,
    };
  });
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

import {
  WATCHDOG,
  type AlertNotification,
  type Batch,
  type BatchItem,
  type ChannelPolicy,
  type Delivery,
} from "../../domain/notification.ts";
import { HOUR, MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import { refreshed } from "./alert-notification.ts";
import type { ChannelState } from "./channel-state.ts";
import { touch, type Draft } from "../draft.ts";
import { noteAsked } from "./event-notification.ts";
import { groupOf, nextItems } from "./next-items.ts";
import { channelState, dequeue, lastNotification, putOff, rowKey } from "./outbox.ts";

/** Sends what waits: one batch of a channel at a time, in order, until the receiver has accepted it. */

const FIRST_RETRY: Millis = 5 * SECOND;
const LONGEST_RETRY: Millis = MINUTE;
/** A receiver that denies everything needs a person to change something, which may take a while. */
const DENIED_RETRY: Millis = 5 * MINUTE;
/** The longest that a receiver may ask us to wait. */
const LONGEST_ASKED: Millis = HOUR;
/** An alert, or its end, that a receiver refused while it accepted others is sent again this often. */
const REFUSED_RETRY: Millis = HOUR;
/** A batch without an outcome for this long counts as lost. */
const BATCH_LOST: Millis = 10 * MINUTE;

/** The most alerts that still fire that a batch names. */
const MOST_FIRING_NAMED = 20;

/** Begins the next batch of every channel that has something to send and may send it. */
export function dispatch(draft: Draft): void {
  for (const channel of draft.policy.notify.channels) {
    const state = channelState(draft.state, channel.name);
    if (state.sendingSince !== undefined && draft.at - state.sendingSince < BATCH_LOST) continue;
    if (draft.at < state.retryAt) continue;
    const items = nextItems(draft, channel, state);
    if (items.length === 0) continue;
    state.sendingSince = draft.at;
    draft.effects.push({ type: "notify", batch: batchOf(draft, channel, state, items) });
  }
}

/** Applies the outcome of a batch. What has changed since it was sent goes on waiting. */
export function settleBatch(draft: Draft, batch: Batch, delivery: Delivery): void {
  if (!draft.policy.notify.channels.some(({ name }) => name === batch.channel)) return;
  const state = channelState(draft.state, batch.channel);
  delete state.sendingSince;
  switch (delivery.outcome) {
    case "delivered":
      return settleDelivered(draft, state, batch, delivery);
    case "refused":
    case "unwritten":
      return settleRefused(draft, state, batch, delivery);
    case "failed":
    case "denied":
      return settleFailed(draft, state, batch, delivery);
  }
}

function settleDelivered(
  draft: Draft,
  state: ChannelState,
  batch: Batch,
  delivery: Delivery,
): void {
  state.failures = 0;
  delete state.failingSince;
  delete state.lastError;
  delete state.refused;
  state.deliveredAt = draft.at;
  state.alone = Math.max(0, state.alone - 1);
  const isLevel = channelOf(draft, batch.channel)?.resendMs !== undefined;
  for (const item of batch.items) settleItem(draft, batch, item, isLevel);
  reportOutcome(draft, batch, delivery, "delivered", isResendOnly(batch));
}

function settleItem(draft: Draft, batch: Batch, item: BatchItem, isLevel: boolean): void {
  const { channel, at: sentAt } = batch;
  const key = rowKey(channel, item.subject);
  const row = draft.state.tables.notification.get(key);
  if (row === undefined || item.number === undefined) return;
  if (item.notification.type === "event") {
    if (item.notification.word === "proposed") noteAsked(draft, channel, item.subject);
  } else {
    // An end that is sent again for a while is remembered for as long.
    if (item.notification.state === "resolved" && !isLevel) delete row.told;
    else row.told = { news: item.notification, at: draft.at };
  }
  const { waiting } = row;
  if (waiting === undefined || waiting.number === item.number) return dequeue(draft, key);
  // It took the place of this one while this was under way, which has come after all.
  const superseded = Math.max(0, waiting.superseded - item.superseded - 1);
  row.waiting = { ...waiting, superseded, since: Math.max(waiting.since, sentAt) };
  touch(draft, "notification", key);
}

function settleFailed(draft: Draft, state: ChannelState, batch: Batch, delivery: Delivery): void {
  const isDenied = delivery.outcome === "denied";
  const repeated = state.lastError?.detail === delivery.detail;
  noteError(draft, state, delivery.detail);
  const backOff = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(10, state.failures));
  const asked = Math.min(LONGEST_ASKED, delivery.retryAfterMs ?? 0);
  state.failures += 1;
  state.askedUntil = draft.at + asked;
  state.retryAt = draft.at + Math.max(asked, isDenied ? DENIED_RETRY : backOff);
  // The resends begin again when it answers, with the state of then.
  state.resending = [];
  state.resendAt = -Infinity;
  state.watchdogAt = -Infinity;
  reportOutcome(draft, batch, delivery, "failed", repeated);
}

/** One notification that is refused must not hold the others back. */
function settleRefused(draft: Draft, state: ChannelState, batch: Batch, delivery: Delivery): void {
  const [only, ...others] = batch.items;
  if (only !== undefined && others.length === 0)
    return settleRefusedAlone(draft, state, batch, delivery, only);
  noteError(draft, state, delivery.detail);
  state.alone = batch.items.length;
  if (batch.items.some(({ subject }) => subject === WATCHDOG)) state.watchdogAt = -Infinity;
  state.resending.unshift(
    ...batch.items.flatMap(({ number, subject }) =>
      number === undefined ? [rowKey(batch.channel, subject)] : [],
    ),
  );
  reportOutcome(draft, batch, delivery, "failed", true);
}

/**
 * The status does not say whether the receiver refuses this one or everything, as if its chat is gone: what it accepts
 * meanwhile does. If it refuses another as well, it counts as denying everything, and one after the other is tried.
 * One that cannot be written shows nothing of that.
 */
function settleRefusedAlone(
  draft: Draft,
  state: ChannelState,
  batch: Batch,
  delivery: Delivery,
  { subject, number }: BatchItem,
): void {
  const key = rowKey(batch.channel, subject);
  const { waiting, told } = draft.state.tables.notification.get(key) ?? {};
  const isWaiting = waiting !== undefined && waiting.number === number;
  const isUnwritten = delivery.outcome === "unwritten";
  const repeated = isUnwritten ? waiting?.notBefore !== undefined : state.refused !== undefined;
  if (isWaiting && !isUnwritten) state.refused ??= subject;
  if (isWaiting && !isUnwritten && state.refused !== subject) {
    putOff(draft, key, draft.at + DENIED_RETRY);
    return settleFailed(draft, state, batch, { ...delivery, outcome: "denied" });
  }
  noteError(draft, state, delivery.detail);
  state.alone = Math.max(0, state.alone - 1);
  if (!isWaiting) return reportOutcome(draft, batch, delivery, "refused", number === undefined);
  const { news, since } = waiting;
  const isFiring = news.type === "alert" && news.state === "firing";
  const isKnownEnd = news.type === "alert" && news.state === "resolved" && told !== undefined;
  const acceptsOthers = (state.deliveredAt ?? -Infinity) >= since;
  if (!acceptsOthers && !isKnownEnd) {
    putOff(draft, key, draft.at + DENIED_RETRY);
    return reportOutcome(draft, batch, delivery, "failed", repeated);
  }
  if (isFiring || isKnownEnd) putOff(draft, key, draft.at + REFUSED_RETRY);
  else dequeue(draft, key);
  reportOutcome(draft, batch, delivery, "refused", false);
}

function noteError(draft: Draft, state: ChannelState, detail: string): void {
  state.failingSince ??= draft.at;
  state.lastError = { at: draft.at, detail };
}

function batchOf(
  draft: Draft,
  channel: ChannelPolicy,
  state: ChannelState,
  items: readonly BatchItem[],
): Batch {
  const fresh = items.filter(({ number }) => number !== undefined).length;
  const { unit } = draft.policy.notify;
  return {
    channel: channel.name,
    ...(unit === undefined ? {} : { unit }),
    at: draft.at,
    items,
    firing: channel.grouping === "rule" ? firingBeside(draft, state, items) : NONE,
    behind: state.waiting.size - fresh,
  };
}

const NONE = { total: 0, some: [] } as const;

/** The alerts of the batch's group that the channel will know as firing. */
function firingBeside(
  draft: Draft,
  state: ChannelState,
  items: readonly BatchItem[],
): Batch["firing"] {
  const group = items[0] === undefined ? "" : groupOf(items[0].notification);
  const some: AlertNotification[] = [];
  let total = 0;
  for (const key of state.rows) {
    const row = draft.state.tables.notification.get(key);
    const last = lastNotification(row);
    if (last?.type !== "alert" || last.state !== "firing" || groupOf(last) !== group) continue;
    total += 1;
    if (some.length < MOST_FIRING_NAMED) some.push(refreshed(draft, last));
  }
  return { total, some };
}

function channelOf(draft: Draft, name: string): ChannelPolicy | undefined {
  return draft.policy.notify.channels.find((channel) => channel.name === name);
}

function isResendOnly(batch: Batch): boolean {
  return batch.items.every(({ number }) => number === undefined);
}

function reportOutcome(
  draft: Draft,
  { channel, items }: Batch,
  { durationMs, detail }: Delivery,
  outcome: "delivered" | "failed" | "refused",
  repeated: boolean,
): void {
  draft.findings.push({
    type: "notified",
    channel,
    outcome,
    count: items.length,
    durationMs,
    repeated,
    detail,
  });
}

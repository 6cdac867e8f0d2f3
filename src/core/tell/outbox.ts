import type {
  ChannelPolicy,
  Notification,
  OutboxRow,
  WaitingNotification,
} from "../../domain/notification.ts";
import type { Instant } from "../../domain/time.ts";
import { newChannelState, type ChannelState } from "./channel-state.ts";
import { nextNumber, put, remove, touch, type Draft } from "../draft.ts";
import type { State } from "../state.ts";

/**
 * The outbox: the notifications that wait for each channel. A row stands for one subject, so a channel that
 * is down for a day holds the last notification on each, and not every one.
 */

/** The most that waits in one channel, except for what must not be lost. */
export const MOST_WAITING = 10_000;
/** The most events (remediations, holds) that wait in one channel. */
export const MOST_WAITING_EVENTS = 1_000;

export function channelState(state: State, name: string): ChannelState {
  const known = state.channels.get(name);
  if (known !== undefined) return known;
  const made = newChannelState();
  state.channels.set(name, made);
  return made;
}

/** The key of a row. A channel's name holds no bar. */
export function rowKey(channel: string, subject: string): string {
  return `${channel}|${subject}`;
}

export function alertSubject(key: string): string {
  return `alert ${key}`;
}

export function remediationSubject(id: string): string {
  return `remediation ${id}`;
}

/**
 * Restores the order of the rows after they were read from the journal. Each unit of senders numbers what waits by itself,
 * so the rows of several units may have the same numbers: those that follow one of their number get higher ones.
 */
export function indexOutbox(state: State): void {
  const { tables } = state;
  const waiting: Array<readonly [WaitingNotification, OutboxRow, string]> = [];
  for (const [key, row] of tables.notification) {
    channelState(state, row.channel).rows.add(key);
    if (row.waiting !== undefined) waiting.push([row.waiting, row, key]);
  }
  waiting.sort(([one], [other]) => one.number - other.number);
  let last = 0;
  for (const [own, row, key] of waiting) {
    const given = own.number > last ? own : { ...own, number: last + 1 };
    if (given !== own) tables.notification.set(key, { ...row, waiting: given });
    indexWaiting(channelState(state, row.channel), given, key);
    last = given.number;
  }
  if (last > (tables.counter.get("notification") ?? 0)) tables.counter.set("notification", last);
}

function indexWaiting(
  state: ChannelState,
  { number, news }: WaitingNotification,
  key: string,
): void {
  state.waiting.set(number, key);
  if (news.type === "event") state.events.add(number);
}

function unindexWaiting(state: ChannelState, { number }: WaitingNotification): void {
  state.waiting.delete(number);
  state.events.delete(number);
}

/** The last notification of a subject, delivered or waiting. */
export function lastNotification(row: OutboxRow | undefined): Notification | undefined {
  return row?.waiting?.news ?? row?.told?.news;
}

/** Queues a notification for the channel, in place of one that waits on the same subject. */
export function enqueue(
  draft: Draft,
  channel: ChannelPolicy,
  subject: string,
  notification: Notification,
): void {
  const { tables } = draft.state;
  const state = channelState(draft.state, channel.name);
  const key = rowKey(channel.name, subject);
  const row: OutboxRow = tables.notification.get(key) ?? { channel: channel.name, subject };
  const before = row.waiting;
  if (before !== undefined) unindexWaiting(state, before);
  row.waiting = {
    news: notification,
    number: nextNumber(draft, "notification"),
    since: before?.since ?? draft.at,
    superseded: before === undefined ? 0 : before.superseded + 1,
    // The receiver may know of the beginning, so it must get the end.
    ...(before?.tried === true ? { tried: true } : {}),
  };
  put(draft, "notification", key, row);
  state.rows.add(key);
  indexWaiting(state, row.waiting, key);
  enforceLimits(draft, channel.name, state, key);
}

/** Moves the notification of a row, which was refused, to the end of the queue, and sends it not before an instant. */
export function putOff(draft: Draft, key: string, notBefore: Instant): void {
  const row = draft.state.tables.notification.get(key);
  if (row?.waiting === undefined) return;
  const state = channelState(draft.state, row.channel);
  unindexWaiting(state, row.waiting);
  row.waiting = { ...row.waiting, number: nextNumber(draft, "notification"), notBefore };
  indexWaiting(state, row.waiting, key);
  touch(draft, "notification", key);
}

/** Takes the notification of a row out of the queue, and deletes the row if it remembers no delivery. */
export function dequeue(draft: Draft, key: string): void {
  const row = draft.state.tables.notification.get(key);
  if (row === undefined) return;
  if (row.waiting !== undefined) {
    unindexWaiting(channelState(draft.state, row.channel), row.waiting);
    delete row.waiting;
  }
  if (row.told === undefined) deleteRow(draft, key);
  else touch(draft, "notification", key);
}

export function deleteRow(draft: Draft, key: string): void {
  const row = draft.state.tables.notification.get(key);
  if (row === undefined) return;
  const state = channelState(draft.state, row.channel);
  if (row.waiting !== undefined) unindexWaiting(state, row.waiting);
  state.rows.delete(key);
  remove(draft, "notification", key);
}

/** Drops the oldest events, and ends of alerts whose beginning the receiver does not know. */
function enforceLimits(draft: Draft, channel: string, state: ChannelState, added: string): void {
  if (state.events.size > MOST_WAITING_EVENTS) {
    const [oldest = NaN] = state.events;
    dropOne(draft, channel, state.waiting.get(oldest));
  }
  const row = draft.state.tables.notification.get(added);
  if (state.waiting.size <= MOST_WAITING || row?.waiting?.news.type !== "alert") return;
  const isKnown = row.told !== undefined || row.waiting.tried === true;
  if (row.waiting.news.state === "resolved" && !isKnown) dropOne(draft, channel, added);
}

function dropOne(draft: Draft, channel: string, key: string | undefined): void {
  if (key === undefined) return;
  const subject = draft.state.tables.notification.get(key)?.subject ?? "";
  dequeue(draft, key);
  reportDropped(draft, channel, 1, `too much waits in the channel, and this may go: ${subject}`);
}

function reportDropped(draft: Draft, channel: string, count: number, detail: string): void {
  draft.findings.push({
    type: "notified",
    channel,
    outcome: "dropped",
    count,
    durationMs: 0,
    repeated: false,
    detail,
  });
}

/** Drops what waits for channels that are no longer configured. */
export function dropChannels(draft: Draft): void {
  const configured = new Set(draft.policy.notify.channels.map(({ name }) => name));
  for (const [name, state] of draft.state.channels) {
    if (configured.has(name)) continue;
    const waited = state.waiting.size;
    for (const key of state.rows) deleteRow(draft, key);
    draft.state.channels.delete(name);
    if (waited > 0) reportDropped(draft, name, waited, "the channel is not configured any more");
  }
  // The change may have repaired what was wrong with a channel.
  for (const state of draft.state.channels.values()) {
    state.retryAt = state.askedUntil;
    for (const key of state.waiting.values()) sendAtOnce(draft, key);
  }
}

function sendAtOnce(draft: Draft, key: string): void {
  const waiting = draft.state.tables.notification.get(key)?.waiting;
  if (waiting?.notBefore === undefined) return;
  delete waiting.notBefore;
  touch(draft, "notification", key);
}

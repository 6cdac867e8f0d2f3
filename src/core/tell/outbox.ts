import type { ChannelPolicy, News, Notification, Waiting } from "../../domain/notification.ts";
import { newChannelState, type ChannelState } from "./channel-state.ts";
import { nextNumber, touch, type Draft } from "../draft.ts";
import type { State } from "../state.ts";

/**
 * The outbox: what each channel is still to be told. A row stands for one subject, so a channel that
 * is down for a day holds the last word on each, and not every word.
 */

/** The most that waits in one channel, but for what must not be lost. */
export const MOST_WAITING = 10_000;
/** The most of what happened once (remediations, holds) that waits in one channel. */
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

/** Finds the rows' order again, after they were read from the journal. */
export function indexOutbox(state: State): void {
  const waiting: Array<readonly [Waiting, string, string]> = [];
  for (const [key, row] of state.tables.notification) {
    channelState(state, row.channel).rows.add(key);
    if (row.waiting !== undefined) waiting.push([row.waiting, row.channel, key]);
  }
  waiting.sort(([one], [other]) => one.number - other.number);
  for (const [own, channel, key] of waiting) addWaiting(channelState(state, channel), own, key);
}

function addWaiting(state: ChannelState, { number, news }: Waiting, key: string): void {
  state.waiting.set(number, key);
  if (news.type === "event") state.events.add(number);
}

function removeWaiting(state: ChannelState, { number }: Waiting): void {
  state.waiting.delete(number);
  state.events.delete(number);
}

/** The channel is to be told this; it takes the place of what waits about the same subject. */
export function awaitNews(draft: Draft, channel: ChannelPolicy, subject: string, news: News): void {
  const { tables } = draft.state;
  const state = channelState(draft.state, channel.name);
  const key = rowKey(channel.name, subject);
  const row: Notification = tables.notification.get(key) ?? { channel: channel.name, subject };
  const before = row.waiting;
  if (before !== undefined) removeWaiting(state, before);
  row.waiting = {
    news,
    number: nextNumber(draft, "notification"),
    since: before?.since ?? draft.at,
    superseded: before === undefined ? 0 : before.superseded + 1,
    // What the receiver may know of, it must be told the end of.
    ...(before?.tried === true ? { tried: true } : {}),
  };
  tables.notification.set(key, row);
  state.rows.add(key);
  addWaiting(state, row.waiting, key);
  touch(draft, "notification", key);
  keepBounds(draft, channel.name, state, key);
}

/** The row waits for nothing more; it goes where nothing is remembered of it either. */
export function stopWaiting(draft: Draft, key: string): void {
  const row = draft.state.tables.notification.get(key);
  if (row === undefined) return;
  if (row.waiting !== undefined) {
    removeWaiting(channelState(draft.state, row.channel), row.waiting);
    delete row.waiting;
  }
  if (row.told === undefined) forgetRow(draft, key);
  else touch(draft, "notification", key);
}

export function forgetRow(draft: Draft, key: string): void {
  const row = draft.state.tables.notification.get(key);
  if (row === undefined) return;
  const state = channelState(draft.state, row.channel);
  if (row.waiting !== undefined) removeWaiting(state, row.waiting);
  state.rows.delete(key);
  draft.state.tables.notification.delete(key);
  touch(draft, "notification", key);
}

/** Of what happened once the oldest go first; an end goes of which nobody knows the beginning. */
function keepBounds(draft: Draft, channel: string, state: ChannelState, added: string): void {
  if (state.events.size > MOST_WAITING_EVENTS) {
    const [oldest = NaN] = state.events;
    dropWaiting(draft, channel, state.waiting.get(oldest));
  }
  const row = draft.state.tables.notification.get(added);
  if (state.waiting.size <= MOST_WAITING || row?.waiting?.news.type !== "alert") return;
  const isKnown = row.told !== undefined || row.waiting.tried === true;
  if (row.waiting.news.state === "resolved" && !isKnown) dropWaiting(draft, channel, added);
}

function dropWaiting(draft: Draft, channel: string, key: string | undefined): void {
  if (key === undefined) return;
  const subject = draft.state.tables.notification.get(key)?.subject ?? "";
  stopWaiting(draft, key);
  foundDropped(draft, channel, 1, `too much waits in the channel, and this may go: ${subject}`);
}

export function foundDropped(draft: Draft, channel: string, count: number, detail: string): void {
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

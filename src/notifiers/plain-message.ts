import type { Batch, BatchItem, Notification } from "../domain/notification.ts";
import { UNRECORDED, type NotifyContext } from "./notifier.ts";
import {
  bodyOf,
  commandBelow,
  headOf,
  linkTo,
  notificationLine,
  plain,
  runbookLink,
  sinceText,
  stateOf,
  suppressedText,
} from "./wording.ts";

/** Up to this many notifications are written in full. */
const MOST_IN_FULL = 5;

type Form = {
  /** The limit of the text, in characters. */
  readonly longest: number;
  /** Escapes texts from outside. */
  readonly own?: (text: string) => string;
  /** The text stands below `titleOf` the batch, so a single notification does not repeat its head. */
  readonly isTitled?: true;
};

/**
 * The text of a batch for receivers that show plain text: few notifications in full, as far as that leaves a line for
 * each, many with a line each. If not all fit, the first ones and the number of the others.
 */
export function plainMessage(
  batch: Batch,
  context: NotifyContext,
  { longest, own = (text) => text, isTitled }: Form,
): string {
  const { items } = batch;
  const isFull = items.length <= MOST_IN_FULL;
  const between = isFull ? "\n\n" : "\n";
  const footer = footerOf(batch, context);
  const all = items.map((item) => {
    if (items.length === 1 && isTitled === true) return belowTitle(item, context, own);
    return isFull ? inFull(item, context, own) : inShort(item, own);
  });
  // One is cut; of several each must be named, as all of them count as delivered.
  if (isFull && items.length > 1) {
    const lines = items.map((item) => inShort(item, own));
    let room = roomAbove(footer, longest) - lines.join(between).length;
    for (const [index, line] of lines.entries()) {
      const more = (all[index] ?? "").length - line.length;
      if (more > room) all[index] = line;
      else room -= more;
    }
  }
  return firstOf(all, footer, { longest, between });
}

function roomAbove(footer: readonly string[], longest: number): number {
  return longest - footer.join("\n").length - "\n… and 9999 more".length;
}

/** What is said below all notifications of a batch. */
export function footerOf({ behind }: Batch, { unrecorded }: NotifyContext): readonly string[] {
  return [...(behind > 0 ? [`${behind} more follow`] : []), ...(unrecorded ? [UNRECORDED] : [])];
}

/** As many texts as fit before the footer, and the number of the others. */
export function firstOf(
  all: readonly string[],
  footer: readonly string[],
  { longest, between }: { readonly longest: number; readonly between: string },
): string {
  let room = roomAbove(footer, longest);
  const shown: string[] = [];
  for (const text of all) {
    const cut = shown.length === 0 ? text.slice(0, room).toWellFormed() : text;
    if (cut.length > room) break;
    room -= cut.length + between.length;
    shown.push(cut);
  }
  const left = all.length - shown.length;
  return [shown.join(between), ...(left > 0 ? [`… and ${left} more`] : []), ...footer].join("\n");
}

function inShort({ notification }: BatchItem, own: (text: string) => string): string {
  return `[${stateOf(notification).toUpperCase()}] ${own(headOf(notification))}`;
}

function inFull(item: BatchItem, context: NotifyContext, own: (text: string) => string): string {
  const state = `[${stateOf(item.notification).toUpperCase()}]`;
  const [first, ...others] = linesOf(item, context);
  return [`${state} ${own(first)}`, ...others.map((line) => textOf(line, own))].join("\n");
}

function belowTitle(
  item: BatchItem,
  context: NotifyContext,
  own: (text: string) => string,
): string {
  const [, ...others] = linesOf(item, context);
  const said = bodyOf(item.notification);
  const lines: Line[] = said === "" ? others : [said, ...others];
  return lines.map((line) => textOf(line, own)).join("\n");
}

function textOf(line: Line, own: (text: string) => string): string {
  if (typeof line === "string") return own(line);
  return "url" in line ? `${line.name}: ${line.url}` : line.ours;
}

/** A text from outside, one of ours, or a link. */
export type Line = string | { readonly ours: string } | Link;
type Link = { readonly name: string; readonly url: string };

/** The lines about a notification, without its state. */
export function linesOf(
  { notification, superseded }: BatchItem,
  { pageUrl }: NotifyContext,
): [string, ...Line[]] {
  const lines: Line[] = [];
  if (notification.type === "alert") {
    const suppressed = suppressedText(notification, 300);
    lines.push(sinceText(notification));
    if (suppressed !== undefined) lines.push(`not repaired: ${suppressed}`);
  } else {
    const command = commandBelow(notification, bodyOf(notification));
    if (command !== undefined) lines.push(plain(command, 300));
  }
  const earlier = supersededLines(superseded).map((ours) => ({ ours }));
  return [notificationLine(notification), ...lines, ...linksOf(notification, pageUrl), ...earlier];
}

/** The links below a notification, as far as their addresses are known. */
export function linksOf(notification: Notification, pageUrl: string | undefined): readonly Link[] {
  const isProposal = notification.type === "event" && notification.word === "proposed";
  const runbook = notification.type === "alert" ? runbookLink(notification, pageUrl) : "";
  return [
    { name: "runbook", url: runbook },
    { name: isProposal ? "decide" : "page", url: linkTo(notification, pageUrl) },
  ].filter(({ url }) => url !== "");
}

/** What is said of the notifications that the last one stands for, if there are any. */
export function supersededLines(superseded: number): readonly string[] {
  const were = superseded === 1 ? "was" : "were";
  return superseded > 0 ? [`(${superseded} earlier about it ${were} not delivered)`] : [];
}

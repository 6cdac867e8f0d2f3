import type { EntityId } from "../domain/entity.ts";
import { unmasked } from "../domain/shown/lookalike.ts";
import type {
  AlertNotification,
  Batch,
  EventNotification,
  Notification,
} from "../domain/notification.ts";
import { severityOf, severityRank, type Severity } from "../domain/shown/severity.ts";
import { runbookOf, runbookPath } from "../domain/runbook.ts";
import { formatDuration, formatInstant, toTheSecond } from "../domain/time.ts";

/**
 * The texts of all receivers. Names and texts come from aggregators, which may send anything, so
 * invisible characters are removed and lengths are limited.
 */

/** Controls, characters that change how the text after them is shown, and those that begin a line. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line of plain text, of at most `most` characters. */
export function plain(text: string, most: number): string {
  const shown = unmasked(text.replace(INVISIBLE, " ").toWellFormed());
  return shown.length <= most ? shown : `${shown.slice(0, most - 1).toWellFormed()}…`;
}

/** Escapes a text, and cuts it to at most `most` characters; no escape is cut in two. */
export function escapedWithin(
  text: string,
  most: number,
  escape: (text: string) => string,
): string {
  const whole = escape(text);
  if (whole.length <= most) return whole;
  let shown = "";
  for (const character of text) {
    const next = escape(character);
    if (shown.length + next.length > most - 1) break;
    shown += next;
  }
  return `${shown}…`;
}

/** `exchange BINANCE on bsc`. */
export function entityName({ entity: { aggregator, kind, id } }: AlertNotification): string {
  return plain(`${kind} ${id} on ${aggregator}`, 200);
}

/** The annotation `description`, or else `summary`; empty if there is neither. */
export function alertText({ annotations }: AlertNotification, most = 500): string {
  return plain(annotations["description"] ?? annotations["summary"] ?? "", most);
}

/** `critical, since 2026-01-02T03:01:05Z until 2026-01-02T03:03:05Z (2m)`. */
export function sinceText({ severity, firedAt, resolvedAt }: AlertNotification): string {
  const since = `${severity}, since ${formatInstant(firedAt)}`;
  if (resolvedAt === undefined) return toTheSecond(plain(since, 200));
  const lasted = formatDuration(resolvedAt - firedAt);
  return toTheSecond(plain(`${since} until ${formatInstant(resolvedAt)} (${lasted})`, 200));
}

/** The alerts that are not sent while this one fires: `PollFailing (3), PollStale (2)`; empty if there are none. */
export function mutedText({ mutes = {} }: AlertNotification): string {
  const all = Object.entries(mutes).map(([rule, count]) => `${rule} (${count})`);
  return plain(all.join(", "), 500);
}

/** Why no action is sent, with its instants to the second; undefined if none is held back. */
export function suppressedText(
  { suppressed }: AlertNotification,
  most: number,
): string | undefined {
  return suppressed === undefined ? undefined : toTheSecond(plain(suppressed, most));
}

/** The head of a notification: `ExchangeDisabled: exchange BINANCE on bsc`, or the title of an event. */
export function headOf(notification: Notification): string {
  return notification.type === "event"
    ? plain(notification.title, 200)
    : `${notification.rule}: ${entityName(notification)}`;
}

/** The head of one notification of several: `ExchangeDisabled: exchange BINANCE on bsc and 2 more`. */
export function headOfAll(one: Notification, total: number): string {
  return `${headOf(one)}${total > 1 ? ` and ${total - 1} more` : ""}`;
}

/** The text below the head; empty if there is none. */
export function bodyOf(notification: Notification): string {
  if (notification.type === "event")
    return toTheSecond(plain(notification.detail, longestOf(notification)));
  const muted = mutedText(notification);
  const said = alertText(notification);
  if (muted === "") return said;
  // A text may end with what an aggregator said, without a full stop.
  const end = said === "" || /[.!?…]$/.test(said) ? "" : ".";
  return `${said}${end} Not sent while it fires: ${muted}.`.trimStart();
}

/** In characters. A proposal should not be cut, as a person decides on it: with all facts it has about 600. */
export function longestOf({ word }: EventNotification): number {
  return word === "proposed" ? 1_200 : 500;
}

/**
 * Whether a proposal's text, as it is shown, or one of its facts is not whole: what a person cannot read must not be
 * approved from there. Every text that is cut has the sign of it.
 */
export function isCutProposal(event: EventNotification, shown: string): boolean {
  return event.word === "proposed" && `${headOf(event)} ${shown}`.includes("…");
}

/** The command below the text of an event, as that is shown; undefined if it has none. */
export function commandBelow(event: EventNotification, shown: string): string | undefined {
  const { command } = event;
  if (command === undefined || !isCutProposal(event, shown)) return command;
  return "too long to be shown here: decide on the page";
}

/** One line about one notification. */
export function notificationLine(notification: Notification): string {
  const said = bodyOf(notification);
  return `${headOf(notification)}${said === "" ? "" : `: ${said}`}`;
}

/** How much it matters which of several is named: the kill switch, then what fires, then other events. */
function weightOf(notification: Notification): number {
  const state = stateOf(notification);
  if (state === "resolved") return -1;
  const order = ["firing", "kill_off", "kill_on"].indexOf(state) + 1;
  return 10 * order + severityRank(notification.severity);
}

/** One line about a batch, after what matters most: `[FIRING:2 RESOLVED] ExchangeDisabled: exchange BINANCE on bsc and 2 more`. */
export function titleOf({ items }: Batch): string {
  const words = items.map(({ notification }) => stateOf(notification).toUpperCase());
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, all]) =>
    all.length === 1 ? word : `${word}:${all.length}`,
  );
  const all = items.map(({ notification }) => notification);
  // The sort is stable: of equals, the first.
  const [most] = all.toSorted((one, other) => weightOf(other) - weightOf(one));
  return most === undefined ? "" : `[${counts.join(" ")}] ${headOfAll(most, all.length)}`;
}

/** `firing`, `resolved`, or the word of the event. */
export function stateOf(notification: Notification): string {
  return notification.type === "alert" ? notification.state : notification.word;
}

export function highestSeverity(all: readonly Notification[]): string {
  return all
    .map(({ severity }) => severity)
    .reduce((one, other) => (severityRank(other) > severityRank(one) ? other : one), "info");
}

/** The highest severity of the notifications that are not resolved; undefined if all are. */
export function openSeverity({ items }: Batch): Severity | undefined {
  const open = items
    .map(({ notification }) => notification)
    .filter((notification) => stateOf(notification) !== "resolved");
  return open.length === 0 ? undefined : severityOf(highestSeverity(open));
}

/**
 * The link to an alert's own page, also for events about it, or to the proposal in the console; without either, to the
 * page. Empty if the address of the page is unknown.
 */
export function linkTo(
  notification: Notification | undefined,
  pageUrl: string | undefined,
): string {
  if (pageUrl === undefined) return "";
  const isTest = notification?.type === "alert" && notification.isTest === true;
  if (notification === undefined || isTest) return `${pageUrl}/`;
  if (notification.type === "alert")
    return `${pageUrl}/#/${alertPath(notification.rule, notification.entity)}`;
  const { proposal, alertname, aggregator, kind, entity } = notification.labels;
  if (proposal !== undefined) return `${pageUrl}/#${encodeURIComponent(proposal)}`;
  if (alertname === undefined || aggregator === undefined) return `${pageUrl}/`;
  const about = { aggregator, kind: kind ?? "", id: entity ?? "" };
  return `${pageUrl}/#/${alertPath(alertname, about)}`;
}

/** Receivers cut very long addresses, so an alert with a longer path is linked among the alerts of its rule. */
const LONGEST_PATH = 400;

/** As in `hashOf` of the console's address.ts. */
function alertPath(rule: string, { aggregator, kind, id }: EntityId): string {
  if (kind === "") return "alerts";
  const parts = ["alert", rule, aggregator, kind, id];
  const path = parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/");
  return path.length <= LONGEST_PATH ? path : `alerts?alertname=${encodeURIComponent(rule)}`;
}

/** The address of the alert's runbook; empty if it has none, or if it is ours and the page's address is unknown. */
export function runbookLink(
  { annotations }: AlertNotification,
  pageUrl: string | undefined,
): string {
  const runbook = runbookOf(annotations);
  if (runbook === undefined) return "";
  if ("url" in runbook) return plain(runbook.url, 500);
  return pageUrl === undefined ? "" : `${pageUrl}${runbookPath(runbook.name)}`;
}

/** The annotations, with an address in place of the path of a shipped runbook if the page's address is known. */
export function annotationsOf(
  notification: AlertNotification,
  pageUrl: string | undefined,
): Readonly<Record<string, string>> {
  const link = runbookLink(notification, pageUrl);
  return link === ""
    ? notification.annotations
    : { ...notification.annotations, runbook_url: link };
}

/** The text, or its beginning and a hash if it has more than `most` characters. */
export function shortKey(text: string, most: number): string {
  if (text.length <= most) return text;
  const hash = hashOf(text);
  return `${text.slice(0, most - hash.length - 1).toWellFormed()}~${hash}`;
}

/** The alerts among the notifications of a batch. */
export function alertsOf({ items }: Batch): readonly AlertNotification[] {
  return items.flatMap(({ notification }) => (notification.type === "alert" ? [notification] : []));
}

/**
 * The key of the incident that the alerts of a batch belong to: one for each rule on each aggregator. Each unit of
 * senders has its own, as it does not know what fires in the others.
 */
export function incidentKey(batch: Batch, most: number): string {
  const [first] = [...batch.firing.some, ...alertsOf(batch)];
  if (first === undefined) return "aggwatch";
  const ofUnit = batch.unit === undefined ? "" : `/${batch.unit}`;
  return shortKey(`aggwatch/${first.entity.aggregator}/${first.rule}${ofUnit}`, most);
}

/** FNV-1a over UTF-16, in two halves, as 16 hexadecimal digits. It keeps keys apart, but resists no attack. */
export function hashOf(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x01000193;
  for (let index = 0; index < text.length; index += 1) {
    one = Math.imul(one ^ text.charCodeAt(index), 0x01000193) >>> 0;
    other = Math.imul(other ^ text.charCodeAt(text.length - 1 - index), 0x811c9dc5) >>> 0;
  }
  return `${one.toString(16).padStart(8, "0")}${other.toString(16).padStart(8, "0")}`;
}

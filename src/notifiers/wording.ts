import { unmasked } from "../domain/lookalike.ts";
import type { AlertNews, Batch, News } from "../domain/notification.ts";
import { severityRank } from "../domain/notification.ts";

/**
 * What people read, whichever the receiver. Names and texts come from aggregators, which may say
 * anything: nothing invisible gets through, and nothing is longer than it may be.
 */

/** Controls, and what changes how the text after it is shown. */
const INVISIBLE = /[\p{Cc}\p{Cf}]+/gu;

/** One line of plain text, of at most so many characters. */
export function plain(text: string, most: number): string {
  const shown = unmasked(text.replace(INVISIBLE, " ").toWellFormed());
  return shown.length <= most ? shown : `${shown.slice(0, most - 1).toWellFormed()}…`;
}

/** `exchange BINANCE on bsc`. */
export function entityName({ entity: { aggregator, kind, id } }: AlertNews): string {
  return plain(`${kind} ${id} on ${aggregator}`, 200);
}

/** What the rule's annotations say for people. */
export function alertText({ annotations }: AlertNews, most = 500): string {
  return plain(annotations["description"] ?? annotations["summary"] ?? "", most);
}

/** One line about one notification. */
export function newsLine(news: News): string {
  if (news.type === "event") return plain(`${news.title}: ${news.detail}`, 600);
  const text = alertText(news);
  return `${news.rule}: ${entityName(news)}${text === "" ? "" : `: ${text}`}`;
}

/** One line about all: `[FIRING:2 RESOLVED] ExchangeDisabled: exchange BINANCE on bsc and 2 more`. */
export function titleOf({ items }: Batch): string {
  const words = items.map(({ news }) => stateOf(news).toUpperCase());
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, all]) =>
    all.length === 1 ? word : `${word}:${all.length}`,
  );
  const [first, ...others] = items.map(({ news }) => news);
  if (first === undefined) return "";
  const subject =
    first.type === "event" ? plain(first.title, 200) : `${first.rule}: ${entityName(first)}`;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `[${counts.join(" ")}] ${subject}${more}`;
}

/** `firing`, `resolved`, or the word of what happened. */
export function stateOf(news: News): string {
  return news.type === "alert" ? news.state : news.word;
}

export function highestSeverity(all: readonly News[]): string {
  return all
    .map(({ severity }) => severity)
    .reduce((one, other) => (severityRank(other) > severityRank(one) ? other : one), "info");
}

/** Where on the page a person finds it; empty where the page's address is not known. */
export function linkTo(news: News | undefined, pageUrl: string | undefined): string {
  if (pageUrl === undefined) return "";
  const proposal = news?.type === "event" ? news.labels["proposal"] : undefined;
  const anchor = proposal ?? (news?.type === "alert" ? "alerts" : undefined);
  return anchor === undefined ? `${pageUrl}/` : `${pageUrl}/#${encodeURIComponent(anchor)}`;
}

/** Of a text that is too long for a key, its beginning and a number that tells it from others. */
export function shortKey(text: string, most: number): string {
  if (text.length <= most) return text;
  // FNV-1a over UTF-16, in two lanes: it has to tell keys apart, not to withstand anybody.
  let one = 0x811c9dc5;
  let other = 0x01000193;
  for (let index = 0; index < text.length; index += 1) {
    one = Math.imul(one ^ text.charCodeAt(index), 0x01000193) >>> 0;
    other = Math.imul(other ^ text.charCodeAt(text.length - 1 - index), 0x811c9dc5) >>> 0;
  }
  const hash = `${one.toString(16).padStart(8, "0")}${other.toString(16).padStart(8, "0")}`;
  return `${text.slice(0, most - hash.length - 1).toWellFormed()}~${hash}`;
}

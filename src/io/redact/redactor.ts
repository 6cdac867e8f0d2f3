import type { Buffer } from "node:buffer";
import { REDACTED } from "../../domain/wording.ts";
import type { Json } from "../../domain/result.ts";
import { hiddenTexts } from "./hidden-texts.ts";
import { createPieceSearch, type PieceSearch, type Span } from "./piece-search.ts";
import { fold, PIECE, spellingsOf } from "./spellings.ts";
import { viewsOf } from "./unescape.ts";

/** Removes secrets from texts that others wrote, because a server may repeat what it was sent. */
export type Redactor = {
  /** The text without any piece of a secret; the same text if it has none. */
  readonly redact: (text: string) => string;
  /** The same for every text and every key of a value. */
  readonly redactJson: (value: Json) => Json;
  /** The same for our own texts, but only long pieces count: a word in a secret is not a secret. */
  readonly redactOwn: (text: string) => string;
  /** Also hides these from now on. Earlier ones stay hidden, because their echo may come late. */
  readonly learn: (secrets: readonly string[]) => void;
};

/** So many secrets that are replaced are kept beside as many as were ever learnt at once; the oldest go first. */
const MOST_REPLACED = 200;
/** In characters: longer than any word. */
const LONG_PIECE = 16;

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let search: PieceSearch = () => [];
  let short: readonly string[] = [];
  let mostAtOnce = 0;

  const learn = (more: readonly string[]): void => {
    const texts = more.flatMap(hiddenTexts);
    if (texts.every((text) => known.has(text))) return;
    for (const text of texts) {
      // The newest is the last.
      known.delete(text);
      known.add(text);
    }
    mostAtOnce = Math.max(mostAtOnce, texts.length);
    for (const text of [...known].slice(0, -(MOST_REPLACED + mostAtOnce))) known.delete(text);
    const all = [...known];
    search = createPieceSearch(all.filter((one) => one.length >= PIECE).map(spellingsOf));
    const views = all.filter((one) => one.length < PIECE).flatMap(viewsOf);
    short = [...new Set(views.map(({ bytes }) => fold(bytes)))];
  };
  learn(secrets);

  const redact = (text: string): string => without(text, spansIn(text, search, short));
  const redactOwn = (text: string): string => {
    const isLong = ([start, end]: Span): boolean => end - start >= LONG_PIECE;
    return without(text, spansIn(text, search, []).filter(isLong));
  };
  return { redact, redactOwn, redactJson: (value) => mapTexts(value, redact), learn };
}

/** The spans to hide, in the text as it is and in its unescaped forms. */
function spansIn(text: string, search: PieceSearch, short: readonly string[]): readonly Span[] {
  return viewsOf(text).flatMap((view, depth) => {
    const { bytes } = view;
    const found = short.length === 0 ? search(bytes) : [...search(bytes), ...wholes(bytes, short)];
    if (depth === 0 || found.length === 0) return found;
    const starts = view.starts();
    return found.map(([start, end]): Span => [starts[start] ?? 0, starts[end] ?? 0]);
  });
}

/** The spans of the texts as whole words, in any case: such short texts are in too many other words. */
function wholes(bytes: Buffer, texts: readonly string[]): readonly Span[] {
  const folded = fold(bytes);
  return texts.flatMap((one) => {
    const spans: Span[] = [];
    for (let at = folded.indexOf(one); at >= 0; at = folded.indexOf(one, at + 1))
      if (!isInWord(folded, at, at + one.length)) spans.push([at, at + one.length]);
    return spans;
  });
}

function isInWord(text: string, start: number, end: number): boolean {
  const isOne = (edge: number): boolean => /^[a-z\d]{2}$/.test(text.slice(edge - 1, edge + 1));
  return isOne(start) || isOne(end);
}

function without(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let shownTo = 0;
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (start > shownTo || shownTo === 0) pieces.push(text.slice(shownTo, start), REDACTED);
    shownTo = Math.max(shownTo, end);
  }
  return [...pieces, text.slice(shownTo)].join("");
}

/** The same value with every text and every key of it changed. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  );
}

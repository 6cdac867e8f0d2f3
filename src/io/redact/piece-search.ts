import type { Buffer } from "node:buffer";
import { fold, FOLDED, HEX_PIECE, PIECE, runsOf, type Spellings } from "./spellings.ts";

/** From the first character to the one after the last. */
export type Span = readonly [start: number, end: number];

/** Finds pieces of secrets: the spans that they cover, merged and in order. */
export type PieceSearch = (bytes: Buffer) => readonly Span[];

/**
 * The search of Wu and Manber: of eight characters that may be a piece, it looks at the last three. If no piece has
 * these, it goes on by six, so that it reads only half of most texts.
 */
const LOOK = 3;
const FARTHEST = PIECE - LOOK + 1;
const BITS = 6;

/** The six bits that stand for a character. Characters with the same bits cost time, but cause no false find. */
const LOOKED_AT = Uint8Array.from({ length: 256 }, (_, code) => {
  const sign = String.fromCharCode(FOLDED[code] ?? 0);
  const index = "abcdefghijklmnopqrstuvwxyz0123456789+/=".indexOf(sign);
  return index >= 0 ? index : 39 + (sign.charCodeAt(0) % 25);
});

export function createPieceSearch(spellings: readonly Spellings[]): PieceSearch {
  const pieces = new Set(
    spellings.flatMap(({ plain }) => plain.flatMap((one) => runsOf(one, PIECE))),
  );
  const hexPieces = new Set(spellings.flatMap(({ hex }) => runsOf(hex, HEX_PIECE)));
  if (pieces.size === 0) return () => [];
  const ends = [...pieces, ...[...hexPieces].map((one) => one.slice(-PIECE))];
  const steps = stepsOf(ends);
  const mayBe = sieveOf(ends);
  return (bytes) => {
    const spans: Span[] = [];
    for (let at = PIECE - 1; at < bytes.length;) {
      const step = steps[indexAt(bytes, at)] as number;
      at += step === 0 ? 1 : step;
      if (step !== 0 || !mayBe(bytes, at)) continue;
      const start = startOfPiece(bytes, at, pieces, hexPieces);
      if (start !== undefined) extend(spans, start, at);
    }
    return spans.filter((span) => !isAccident(bytes, span));
  };
}

function indexAt(bytes: Uint8Array, last: number): number {
  const one = LOOKED_AT[bytes[last - 2] as number] as number;
  const two = LOOKED_AT[bytes[last - 1] as number] as number;
  const three = LOOKED_AT[bytes[last] as number] as number;
  return (one << (2 * BITS)) | (two << BITS) | three;
}

/** How far the search may go on after three characters: 0 if a piece may end with them. */
function stepsOf(pieces: readonly string[]): Uint8Array {
  const steps = new Uint8Array(1 << (BITS * LOOK)).fill(FARTHEST);
  for (const piece of pieces) {
    const bytes = bytesOf(piece);
    for (let last = LOOK - 1; last < PIECE; last += 1) {
      const index = indexAt(bytes, last);
      steps[index] = Math.min(steps[index] ?? 0, PIECE - 1 - last);
    }
  }
  return steps;
}

/** Entries for each piece: a text that passes by accident costs a look-up in a set. */
const ROOM = 64;

/** Whether the eight characters before `end` may be a piece; false for nearly all that are none. */
function sieveOf(pieces: readonly string[]): (bytes: Uint8Array, end: number) => boolean {
  const bits = Math.max(8, Math.ceil(Math.log2(pieces.length * ROOM)));
  const isTaken = new Uint8Array(1 << bits);
  for (const piece of pieces) isTaken[hashAt(bytesOf(piece), PIECE) >>> (32 - bits)] = 1;
  return (bytes, end) => isTaken[hashAt(bytes, end) >>> (32 - bits)] === 1;
}

/** The hash of Fowler, Noll and Vo, of the eight folded characters before `end`. */
function hashAt(bytes: Uint8Array, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = end - PIECE; at < end; at += 1)
    hash = Math.imul(hash ^ (FOLDED[bytes[at] as number] as number), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
}

function bytesOf(piece: string): Uint8Array {
  return Uint8Array.from(piece, (sign) => sign.charCodeAt(0));
}

function startOfPiece(
  bytes: Buffer,
  end: number,
  pieces: ReadonlySet<string>,
  hexPieces: ReadonlySet<string>,
): number | undefined {
  const folded = fold(bytes, Math.max(0, end - HEX_PIECE), end);
  if (pieces.has(folded.slice(-PIECE))) return end - PIECE;
  return hexPieces.has(folded) ? end - HEX_PIECE : undefined;
}

/** Adds a span that ends after all before it. */
function extend(spans: Span[], start: number, end: number): void {
  const before = spans.at(-1);
  if (before === undefined || before[1] < start) spans.push([start, end]);
  else spans[spans.length - 1] = [Math.min(before[0], start), end];
}

/**
 * By accident, a few digits of a long number or id may be those of a secret. If they counted as a piece, the amount or
 * the hash could not be read.
 */
const DIGITS = [
  { ofOne: /^[\d.]+$/, around: /[\d.]*$/, behind: /^[\d.]*/, long: 12, accident: 12 },
  { ofOne: /^[\da-f]+$/i, around: /[\da-f]*$/i, behind: /^[\da-f]*/i, long: 32, accident: 16 },
];
/** In characters: no id is longer. */
const LONGEST_ID = 64;

function isAccident(bytes: Buffer, [start, end]: Span): boolean {
  if (end - start >= HEX_PIECE) return false;
  const found = bytes.toString("latin1", start, end);
  return DIGITS.some(({ ofOne, around, behind, long, accident }) => {
    if (found.length >= accident || !ofOne.test(found)) return false;
    const before = bytes.toString("latin1", Math.max(0, start - LONGEST_ID), start);
    const after = bytes.toString("latin1", end, end + LONGEST_ID);
    const more = (around.exec(before)?.[0].length ?? 0) + (behind.exec(after)?.[0].length ?? 0);
    return found.length + more >= long;
  });
}

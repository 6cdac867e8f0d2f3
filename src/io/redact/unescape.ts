import { Buffer } from "node:buffer";

/**
 * A text as it is searched: a byte for each of its characters, of which those beyond Latin-1 keep the lower one. No
 * secret has such characters, and eight in a row are not like one by accident.
 */
export type View = {
  readonly bytes: Buffer;
  /** Where each character began in the text itself, and after all of them its length. Not kept, as few ask. */
  readonly starts: () => Uint32Array;
};

export function viewOf(text: string): View {
  const bytes = Buffer.from(text, "latin1");
  return { bytes, starts: () => Uint32Array.from({ length: bytes.length + 1 }, (_, at) => at) };
}

/** What begins an escape: `%41`, or `\u0041`, `\x41`, `\/` and the like. */
const KINDS = [0x25, 0x5c] as const;
const [PERCENT] = KINDS;
type Kind = (typeof KINDS)[number];

/** How often a text is unescaped: a URL in JSON in JSON has three levels. */
const MOST_LEVELS = 3;

/**
 * A text, and what becomes of it as it is unescaped. One kind at a time: what is an escape of the one may only look so
 * because of what stands before it.
 */
export function viewsOf(text: string): readonly View[] {
  const views = [viewOf(text)];
  let last: readonly View[] = views;
  for (let level = 0; level < MOST_LEVELS && last.length > 0; level += 1) {
    const next: View[] = [];
    for (const view of last)
      for (const kind of KINDS) {
        const unescaped = unescapeOnce(view, kind);
        if (unescaped === undefined) continue;
        if (!next.some(({ bytes }) => bytes.equals(unescaped.bytes))) next.push(unescaped);
      }
    views.push(...next);
    last = next;
  }
  return views;
}

/** Undefined if there is nothing to undo. */
function unescapeOnce(before: View, kind: Kind): View | undefined {
  const { bytes } = before;
  if (!bytes.includes(kind)) return undefined;
  const out = Buffer.allocUnsafe(bytes.length);
  const size = unescapeInto(out, bytes, kind);
  if (size === bytes.length) return undefined;
  const starts = (): Uint32Array => {
    const here = new Uint32Array(size + 1);
    unescapeInto(out, bytes, kind, here);
    const earlier = before.starts();
    return here.map((start) => earlier[start] ?? 0);
  };
  return { bytes: out.subarray(0, size), starts };
}

/** Gives the length of what was written. `starts` is given where each character came from. */
function unescapeInto(out: Buffer, bytes: Buffer, kind: Kind, starts?: Uint32Array): number {
  const { length } = bytes;
  let size = 0;
  for (let from = 0; from < length; size += 1) {
    const code = bytes[from] as number;
    if (starts !== undefined) starts[size] = from;
    if (code !== kind) {
      out[size] = code;
      from += 1;
      continue;
    }
    const taken = escapeLength(bytes, from);
    out[size] = characterOf(bytes, from, taken);
    from += taken;
  }
  if (starts !== undefined) starts[size] = length;
  return size;
}

const LETTER_U = 0x75;
const LETTER_X = 0x78;
/** After a backslash they stand for themselves. What `\n` and the like stand for is in no secret. */
const SIGNS = new Set([0x22, 0x27, 0x2f, 0x5c]);

/** 1 if it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  if (bytes[at] === PERCENT) return areDigits(bytes, at + 1, 2) ? 3 : 1;
  const next = bytes[at + 1] ?? 0;
  if (next === LETTER_U) return areDigits(bytes, at + 2, 4) ? 6 : 1;
  if (next === LETTER_X) return areDigits(bytes, at + 2, 2) ? 4 : 1;
  return SIGNS.has(next) ? 2 : 1;
}

/** Of the four digits of `\u0041` the last two say it. */
function characterOf(bytes: Buffer, at: number, length: number): number {
  if (length <= 2) return bytes[at + length - 1] ?? 0;
  const [high = 0, low = 0] = [bytes[at + length - 2], bytes[at + length - 1]];
  return ((DIGIT[high] ?? 0) << 4) | (DIGIT[low] ?? 0);
}

function areDigits(bytes: Buffer, at: number, count: number): boolean {
  if (at + count > bytes.length) return false;
  for (let index = at; index < at + count; index += 1)
    if (DIGIT[bytes[index] ?? 0] === NO_DIGIT) return false;
  return true;
}

const NO_DIGIT = 255;

/** The value of a hexadecimal digit. */
const DIGIT = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase());
  return value < 0 ? NO_DIGIT : value;
});

import { Buffer } from "node:buffer";

/**
 * A text as it is searched: one byte for each character, the lower byte if it is beyond Latin-1. No secret has such
 * characters, and eight in a row do not look like a piece by accident.
 */
export type View = {
  readonly bytes: Buffer;
  /** Where each character began in the original text, and then its length. Made on request, as few ask. */
  readonly starts: () => Uint32Array;
};

export function viewOf(text: string): View {
  const bytes = Buffer.from(text, "latin1");
  return { bytes, starts: () => Uint32Array.from({ length: bytes.length + 1 }, (_, at) => at) };
}

/** The characters that begin an escape: `%41`, or `\u0041`, `\x41`, `\/` and the like. */
const KINDS = [0x25, 0x5c] as const;
const [PERCENT] = KINDS;
type Kind = (typeof KINDS)[number];

/** How often a text is unescaped: a URL in JSON in JSON has three levels. */
const MOST_LEVELS = 3;

/**
 * A text and its unescaped forms, with one kind of escape at a time: characters may look like an escape of one kind
 * only because of those before them.
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

/** Undefined if there is nothing to unescape. */
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

/** Returns the length of the output, and writes into `starts` where each character came from. */
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
/** After a backslash, these stand for themselves. `\n` and the like stand for characters that no secret has. */
const SIGNS = new Set([0x22, 0x27, 0x2f, 0x5c]);

/** The length of the escape at an index; 1 if there is none. */
function escapeLength(bytes: Buffer, at: number): number {
  if (bytes[at] === PERCENT) return areDigits(bytes, at + 1, 2) ? 3 : 1;
  const next = bytes[at + 1] ?? 0;
  if (next === LETTER_U) return areDigits(bytes, at + 2, 4) ? 6 : 1;
  if (next === LETTER_X) return areDigits(bytes, at + 2, 2) ? 4 : 1;
  return SIGNS.has(next) ? 2 : 1;
}

/** Of the four digits of `\u0041`, the last two count. */
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

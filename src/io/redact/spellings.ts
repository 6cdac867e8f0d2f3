import { Buffer } from "node:buffer";
import { viewsOf, viewOf } from "./unescape.ts";

/** This many consecutive characters of a secret are hidden wherever they are. */
export const PIECE = 8;
/** The same number of characters in hexadecimal; half of it is in too many ids by accident. */
export const HEX_PIECE = 2 * PIECE;

/** The forms in which a secret may come back, as the bytes of a view, folded. */
export type Spellings = {
  /** As it is, unescaped, as in a form, and in base64: any piece of these is hidden. */
  readonly plain: readonly string[];
  readonly hex: string;
};

/** In lower case, and with the usual signs of base64 in place of those for URLs. */
export const FOLDED = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  const sign = String.fromCharCode(code);
  if (sign === "-") return "+".charCodeAt(0);
  return sign === "_" ? "/".charCodeAt(0) : code;
});

/** The characters from `start` to before `end`, folded. */
export function fold(bytes: Buffer, start = 0, end = bytes.length): string {
  const folded = Buffer.allocUnsafe(end - start);
  for (let at = start; at < end; at += 1)
    folded[at - start] = FOLDED[bytes[at] as number] as number;
  return folded.toString("latin1");
}

export function spellingsOf(secret: string): Spellings {
  const bytes = Buffer.from(secret, "utf8");
  const plain = [
    ...viewsOf(secret).map(({ bytes: unescaped }) => unescaped),
    // As in a form, where a plus stands for a space.
    viewOf(secret.replaceAll(" ", "+")).bytes,
    bytes,
    ...[0, 1, 2].map((before) => insideBase64(bytes, before)),
  ];
  const folded = plain.map((spelling) => fold(spelling));
  return { plain: [...new Set(folded)], hex: bytes.toString("hex") };
}

/** The part that is the same in the base64 of every text with these bytes after `before` others. */
function insideBase64(bytes: Buffer, before: number): Buffer {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const start = Math.ceil((before * 8) / 6);
  return viewOf(encoded.slice(start, Math.floor(((before + bytes.length) * 8) / 6))).bytes;
}

/** Every run of `length` characters in a text. */
export function runsOf(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, index) =>
    text.slice(index, index + length),
  );
}

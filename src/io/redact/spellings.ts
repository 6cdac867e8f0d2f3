import { Buffer } from "node:buffer";
import { viewsOf, viewOf } from "./unescape.ts";

/** So many characters of a secret, one after the other, are hidden wherever they stand. */
export const PIECE = 8;
/** As many characters in hexadecimal; half of it is in too many ids by accident. */
export const HEX_PIECE = 2 * PIECE;

/** As what a secret may come back, in the bytes of a view and folded. */
export type Spellings = {
  /** As it is, and in base64: any piece of these is hidden. */
  readonly plain: readonly string[];
  readonly hex: string;
};

/** Without capitals, and with the signs of base64 that URLs have in their place. */
export const FOLDED = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  const sign = String.fromCharCode(code);
  if (sign === "-") return "+".charCodeAt(0);
  return sign === "_" ? "/".charCodeAt(0) : code;
});

/** The characters from `start` to before `end`, folded. */
export function fold(bytes: Buffer, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.subarray(start, end).map((code) => FOLDED[code] ?? 0)).toString(
    "latin1",
  );
}

export function spellingsOf(secret: string): Spellings {
  const bytes = Buffer.from(secret, "utf8");
  const plain = [
    ...viewsOf(secret).map(({ bytes: unescaped }) => unescaped),
    // As a form says it.
    viewOf(secret.replaceAll(" ", "+")).bytes,
    bytes,
    ...[0, 1, 2].map((before) => insideBase64(bytes, before)),
  ];
  const folded = plain.map((spelling) => fold(spelling));
  return { plain: [...new Set(folded)], hex: bytes.toString("hex") };
}

/** What is the same in the base64 of every text that holds these bytes behind so many others. */
function insideBase64(bytes: Buffer, before: number): Buffer {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const start = Math.ceil((before * 8) / 6);
  return viewOf(encoded.slice(start, Math.floor(((before + bytes.length) * 8) / 6))).bytes;
}

/** Every run of so many characters in a text. */
export function runsOf(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, index) =>
    text.slice(index, index + length),
  );
}

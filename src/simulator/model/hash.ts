import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** An order's id, a secret or its hash: `0x` and 64 hexadecimal digits. */
export const HASH_PATTERN = /^0x[0-9a-fA-F]{64}$/;
export const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;

/** The secretHash of a swap's secret: the keccak256, not the sha256, of its 32 bytes. */
export function hashSecret(secret: string): string {
  return `0x${bytesToHex(keccak_256(hexToBytes(secret.slice(2))))}`;
}

/** Cached, as replies name the same assets and brokers again and again. */
const digests = new Map<string, string>();
const MOST_DIGESTS = 1_000;

/** `0x` and 64 hexadecimal digits that follow from a text alone, for ids that must not use up random numbers. */
export function digest(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const made = `0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`;
  if (digests.size >= MOST_DIGESTS) digests.clear();
  digests.set(text, made);
  return made;
}

export function addressOf(text: string): string {
  return digest(text).slice(0, 42);
}

/** A UUID that follows from a text alone. */
export function uuidOf(text: string): string {
  const hex = digest(text).slice(2);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** A number of at least 0 and below 1 that follows from a text alone. */
export function fractionOf(text: string): number {
  return Number.parseInt(digest(text).slice(2, 14), 16) / 2 ** 48;
}

/** A checksum of 16 hexadecimal digits: two variants of FNV-1a, in a tenth of the time of `digest`. */
export function checksum(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9dc5811c];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x01000193) + index;
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

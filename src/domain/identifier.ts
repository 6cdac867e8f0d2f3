/**
 * Names with a slash between them, for texts that are kept. A template gives the same text as a tree of its parts, which V8
 * keeps beside the whole once the text is looked up: twice the memory.
 */
export function joined(...names: readonly string[]): string {
  return names.join("/");
}

/**
 * The form in which ids and addresses are compared. Hexadecimal ones are numbers, and some write them
 * with capitals (a checksum of the address). Any other text is compared as it stands: `aB` and `ab` may be
 * two ids, and lower case would turn the sign for kelvin into a `k`.
 */
export function identifierKey(text: string): string {
  // Usually there is nothing to change, and `toLowerCase` would give each caller a copy of the text to keep.
  return /[A-FX]/.test(text) && /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}

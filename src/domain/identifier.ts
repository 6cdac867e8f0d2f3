/**
 * By what two ids or addresses are compared. Hexadecimal ones are numbers, and some write them
 * with capitals (a checksum of the address). Any other text is an id only as it stands: elsewhere `aB` and
 * `ab` are two, and lower case would also make a `k` of the sign for kelvin.
 */
export function identifierKey(text: string): string {
  // Mostly there is nothing to change, and lower case would be a copy of the text, of which each caller keeps its own.
  return /[A-FX]/.test(text) && /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}

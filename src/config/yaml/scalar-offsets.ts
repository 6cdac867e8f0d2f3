import { isScalar, type Node } from "yaml";

/**
 * Where each character of a YAML scalar's value is in the text of the file, so that an error
 * inside an expression points at the right column, however the scalar is written: plain, quoted,
 * folded or literal.
 *
 * Folding and stripping change white space only. So the characters that are not white space match
 * one to one, in order, once escapes are read; white space takes the place that follows.
 */
export function scalarOffsets(text: string, node: Node | undefined): (index: number) => number {
  const range = node?.range;
  if (!isScalar(node) || typeof node.value !== "string" || range === null || range === undefined)
    return () => range?.[0] ?? 0;
  const [start, end] = range;
  const places = visibleCharacters(text, bodyStart(text, start, node.type), end, node.type);
  const offsets: number[] = [];
  let next = 0;
  let after = places[0] ?? start;
  for (const character of node.value) {
    if (/\s/.test(character)) {
      offsets.push(after);
      after += 1;
    } else {
      const place = places[next] ?? after;
      next += 1;
      offsets.push(place);
      after = place + 1;
    }
    // A character outside the basic plane is two units of a string.
    if (character.length === 2) offsets.push((offsets.at(-1) ?? start) + 1);
  }
  return (index) => offsets[index] ?? after;
}

function bodyStart(text: string, start: number, type: unknown): number {
  if (type === "BLOCK_FOLDED" || type === "BLOCK_LITERAL") {
    const lineEnd = text.indexOf("\n", start);
    return lineEnd < 0 ? text.length : lineEnd + 1;
  }
  return type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE" ? start + 1 : start;
}

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
/** Escapes that stand for white space or for nothing that can be seen. */
const BLANK_ESCAPES = new Set(["n", "t", "r", "v", "f", "N", "_", "L", "P", " ", "\n", "\t", "\r"]);

/** Offsets of the characters that are not white space, an escape counting as one. */
function visibleCharacters(text: string, start: number, end: number, type: unknown): number[] {
  const places: number[] = [];
  let at = start;
  while (at < end) {
    const character = text[at] ?? "";
    if (type === "QUOTE_DOUBLE" && character === "\\") {
      const escaped = text[at + 1] ?? "";
      if (!BLANK_ESCAPES.has(escaped)) places.push(at);
      at += ESCAPE_LENGTHS[escaped] ?? 2;
    } else if (type === "QUOTE_SINGLE" && character === "'" && text[at + 1] === "'") {
      places.push(at);
      at += 2;
    } else {
      if (!/\s/.test(character)) places.push(at);
      // The low half of a pair belongs to the character before it.
      at += character >= "\uD800" && character <= "\uDBFF" ? 2 : 1;
    }
  }
  return places;
}

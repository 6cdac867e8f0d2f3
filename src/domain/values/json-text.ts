/** Far deeper JSON is an attack: no reply of the interface and no watch list is deeper than six levels. */
export const DEEPEST_JSON = 64;

/** Whether a text is deeper JSON than that, at a glance: a parser would take seconds, and what walks its value a stack. */
export function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfText(text, index);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > DEEPEST_JSON) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Where the text that begins at a quote ends; the end of the body if it does not. */
export function endOfText(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    // A quote after an odd number of backslashes belongs to the text.
    let from = end;
    while (text.charCodeAt(from - 1) === 0x5c) from -= 1;
    if ((end - from) % 2 === 0) return end;
  }
}

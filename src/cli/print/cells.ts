/** How much room characters take on a terminal, which counts cells. */

/** Two cells each: what Unicode calls wide or full-width (East_Asian_Width), and emoji. */
const WIDE =
  /[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;

/** No cell: accents, which are drawn over the character before them. The selector FE0F may make that one wider. */
const OVER = /(?!\uFE0F)[\p{Mn}\p{Me}]/u;

function cellsOfOne(character: string): number {
  if (character <= "~") return 1;
  if (WIDE.test(character)) return 2;
  return OVER.test(character) ? 0 : 1;
}

/** How many cells a text without control characters takes; rather too many than too few. */
export function cellsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += cellsOfOne(character);
  return cells;
}

/** As much of a text, from its beginning, as these cells have room for. */
export function startWithin(text: string, cells: number): string {
  let [room, end] = [cells, 0];
  for (const character of text) {
    room -= cellsOfOne(character);
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Finds the known word that was probably meant, for "did you mean". */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { readonly word: string; readonly distance: number } | undefined;
  if (word.length > 100) return undefined;
  for (const candidate of known) {
    const distance = distanceBetween(word.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance <= limit && (best === undefined || distance < best.distance))
      best = { word: candidate, distance };
  }
  return best?.word;
}

/** If one word is the beginning of the other, they are near, whatever their length. */
function distanceBetween(word: string, candidate: string, limit: number): number {
  const difference = Math.abs(word.length - candidate.length);
  const isLong = Math.min(word.length, candidate.length) > 2;
  const isCut = isLong && (candidate.startsWith(word) || word.startsWith(candidate));
  if (isCut) return 1 - 1 / (1 + difference);
  return difference > limit ? Infinity : editDistance(word, candidate);
}

/** The hint for an unknown word: the word that was probably meant, or all that are known. */
export function hintFor(word: string, known: readonly string[]): string | undefined {
  const suggestion = suggest(word, known);
  if (suggestion !== undefined) return `did you mean "${suggestion}"?`;
  return known.length > 0 ? `known: ${known.join(", ")}` : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into another. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped)
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

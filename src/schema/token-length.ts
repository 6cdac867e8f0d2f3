/** The most characters of a token. */
export const LONGEST_TOKEN = 1_000;

/** Why a token of this length is refused, and what to do; undefined if it is not too long. */
export function tokenTooLong({ length }: string): string | undefined {
  if (length <= LONGEST_TOKEN) return undefined;
  return `is too long: it has ${length} characters, and a token has at most ${LONGEST_TOKEN}. Make a shorter one (docs/operations.md says how).`;
}

/**
 * Names that look like other names: a Cyrillic А in `BINАNCE`, a hyphen of another sort in `BTC‐USDT`, an
 * accent that is a character of its own. They are other names, and never mistaken for one another; but a person
 * must be able to see it.
 */

const WORD = /[\p{L}\p{N}\p{M}_\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]+/gu;
/** Letters of other alphabets, marks that stand by themselves, and hyphens that are none. */
const FOREIGN = /(?!\p{Script=Latin})\p{L}|\p{M}|[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/u;
/** Cyrillic and Greek letters that are drawn as Latin ones are. */
const TWINS = /^[АВЕЗІЈКМНОРСТУХЅЬаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο\p{N}_-]+$/u;

/**
 * For people: in a word that mixes alphabets, or is drawn as a Latin one, what is not Latin is written as
 * `\u{410}`. Words of one other alphabet stay as they are.
 */
export function unmasked(text: string): string {
  if (!/[^ -~\s]/.test(text)) return text;
  return text.replaceAll(WORD, (word) => {
    const isMixed = /[A-Za-z]/.test(word) || TWINS.test(word);
    return isMixed ? [...word].map(shown).join("") : word;
  });
}

/**
 * Characters that are invisible, or change how the text after them is shown: controls, and marks of the writing
 * direction.
 */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

/** Control characters and invisible ones: formatting, line separators, half surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a name has characters that a person would not see in it. */
export function isUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/** Writes characters that would not be seen as `\u{200d}`. */
export function withUnseenShown(text: string): string {
  return text.replace(new RegExp(UNSEEN, "gu"), escaped);
}

/** A text as a person or an agent may read it: an aggregator's must not make aggwatch say something else. */
export function readable(text: string): string {
  return /^[ -~\n]*$/.test(text) ? text : unmasked(text.replace(INVISIBLE, "\ufffd"));
}

/** The real name for one that a person or an agent was shown. */
export function meant(text: string): string {
  return text.replace(/\\u\{([0-9a-f]{1,6})\}/g, (whole, hex: string) => {
    const code = parseInt(hex, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** The real names for those that are given. */
export function meantAll(
  names: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const given = Object.entries(names).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [key, meant(String(value))]));
}

function shown(character: string): string {
  if (character <= "~") return character;
  // Latin letters of full width, of mathematics, and signs such as that for kelvin.
  const isDrawnAs = character.normalize("NFKC") !== character;
  if (!isDrawnAs && !FOREIGN.test(character)) return character;
  return escaped(character);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

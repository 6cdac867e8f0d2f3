/**
 * What people write in an expression out of habit from another language, and what CEL has for it. To name the other
 * language's word is an idea of Elm and Rust.
 */

type Slip = readonly [pattern: RegExp, hint: string | ((found: RegExpExecArray) => string)];

const HOURS_A_UNIT: Readonly<Record<string, number>> = { d: 24, w: 168 };

function durationOf([, count = "", unit = ""]: RegExpExecArray): string {
  const hours = HOURS_A_UNIT[unit];
  const text = hours === undefined ? `${count}${unit}` : `${Number(count) * hours}h`;
  return `write duration("${text}")`;
}

/** Looked for in the text outside of quotes; more specific patterns come first. */
const SLIPS: readonly Slip[] = [
  [/["']/g, 'a text ends with the quote that it began with: "text"'],
  [/===/g, "write =="],
  [/!==/g, "write !="],
  [/=~|~=/g, 'write .re2("pattern") for a regular expression'],
  [/<>/g, "write !="],
  [/=>/g, "write >="],
  [/=</g, "write <="],
  [/(?<![=!<>])=(?![=~])/g, "write == to compare"],
  [/\band\b/gi, "write &&"],
  [/\bor\b/gi, "write ||"],
  [/\bnot\s+in\b/gi, "write !(a in b)"],
  [/\bnot\b/gi, "write ! right before it: !x"],
  [/\bis\b/gi, "write =="],
  [/\b(?:like|matches)\s/gi, 'write .contains("…"), .startsWith("…"), .endsWith("…") or .re2("…")'],
  [/(?<!&)&(?!&)/g, "write &&"],
  [/(?<!\|)\|(?!\|)/g, "write ||"],
  [/[‘’“”`´]/g, 'write straight quotes: "text"'],
  [/;/g, "an expression has no ; at its end, and cannot be followed by another"],
  [
    /\[\s*\d+\w+\s*\]/g,
    "CEL has no ranges such as [5m]: what a fact was over time is a fact of its own, by with: (docs/rules.md)",
  ],
  [/(?<![\w.])(\d+(?:\.\d+)?)(ms|s|m|h|d|w)\b/g, durationOf],
  [/\bin\s*\(/g, 'write a list in brackets: in ["a", "b"]'],
  [/\b(?:if|when)\b/gi, "write the condition alone, without such a word"],
  [/\?[^:]*$/g, "write condition ? this : that"],
];

/** How far from the error a slip may be: a parser notices some only after the next word. */
const NEAR = 8;

/** What to write, and the range of the expression that it replaces. */
type FoundSlip = { readonly hint: string; readonly start: number; readonly end: number };

/** The slip of an expression that cannot be parsed; undefined if it has none near the place. */
export function slipNear(source: string, start: number, end: number): FoundSlip | undefined {
  if (source.trim() === "")
    return {
      hint: "write an expression; one that begins with ! needs quotes around all of it",
      start,
      end,
    };
  const text = source.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (quoted) =>
    "_".repeat(quoted.length),
  );
  for (const [pattern, hint] of SLIPS)
    for (const found of text.matchAll(pattern)) {
      if (found.index > end || found.index + found[0].length < start - NEAR) continue;
      return {
        hint: typeof hint === "string" ? hint : hint(found),
        start: found.index,
        end: found.index + found[0].trimEnd().length,
      };
    }
  return undefined;
}

/** The hint for a name that means nothing. */
export function nameHint(name: string, source: string, start: number): string | undefined {
  if (/^(?:true|false)$/i.test(name)) return `write ${name.toLowerCase()}`;
  if (/^(?:nil|none|undefined)$/i.test(name)) return UNKNOWN;
  if (/(?:[=!<>]=?|\[|,)\s*$/.test(source.slice(0, start)) && /^\w+$/.test(name))
    return `if it is a text, write it in quotes: "${name}"`;
  return undefined;
}

const COMPARED_INSTANT =
  /timestamp [<>]=? (?:int|double|string|duration)|duration [<>]=? timestamp/;

const UNKNOWN = "whether a fact is known is asked by has(exchange.status) or !has(…)";

/** The hint for operands that do not fit, by what the type checker says of them. */
export function typeHint(message: string): string | undefined {
  if (/duration [*/] |[*/] duration/.test(message))
    return 'a duration cannot be multiplied: write the whole of it, such as duration("22m30s")';
  if (/duration (?:[<>]=?|[=!]=|[+-]) (?:string|int|double|uint)/.test(message))
    return 'compare it with a duration: duration("15m")';
  if (/timestamp - (?:int|double)/.test(message) || COMPARED_INSTANT.test(message))
    return 'an instant is compared with another, or by its age: age(x.since) > duration("15m")';
  if (/: !\w/.test(message))
    return "! takes only what is right behind it: write !(a == b), or a != b";
  if (/\bnull\b/.test(message)) return UNKNOWN;
  return undefined;
}

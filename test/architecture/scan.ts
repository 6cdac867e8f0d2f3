/**
 * Reads TypeScript without a parser: TypeScript 7 ships no JavaScript API. It knows comments,
 * strings, templates and regular expressions, which is enough to look at code alone.
 */

export type SourceFile = {
  /** From the repository's root, with forward slashes: `src/core/step.ts`. */
  readonly path: string;
  readonly text: string;
};

export type Comment = { readonly line: number; readonly text: string };

export type Scanned = SourceFile & {
  /**
   * The text with comments and the insides of strings, templates and regular expressions turned
   * into spaces. It is as long as the text, so that an offset means the same place in both.
   */
  readonly code: string;
  readonly comments: readonly Comment[];
  /** The line, counted from 1, of an offset. */
  readonly lineOf: (offset: number) => number;
};

type Cursor = {
  readonly text: string;
  at: number;
  readonly code: string[];
  readonly comments: Array<{ offset: number; text: string }>;
  /** For each template that is open: how many braces are open inside its current `${`. */
  readonly templates: number[];
};

const WORD_BEFORE_REGEX =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do)$/;

export function scan(file: SourceFile): Scanned {
  const cursor: Cursor = { text: file.text, at: 0, code: [], comments: [], templates: [] };
  while (cursor.at < cursor.text.length) step(cursor);
  const lineOf = lineIndex(file.text);
  return {
    ...file,
    code: cursor.code.join(""),
    comments: cursor.comments.map(({ offset, text }) => ({ line: lineOf(offset), text })),
    lineOf,
  };
}

function step(cursor: Cursor): void {
  const { text, at } = cursor;
  const char = text.charAt(at);
  const two = text.slice(at, at + 2);
  if (two === "//" || two === "/*") comment(cursor, two);
  else if (char === '"' || char === "'") quoted(cursor, char);
  else if (char === "`") template(cursor);
  else if (char === "/" && regexMayStart(cursor)) regex(cursor);
  else if (char === "}" && cursor.templates.at(-1) === 0) {
    cursor.templates.pop();
    template(cursor);
  } else {
    countBrace(cursor, char);
    keep(cursor, 1);
  }
}

function countBrace(cursor: Cursor, char: string): void {
  const open = cursor.templates.at(-1);
  if (open === undefined || (char !== "{" && char !== "}")) return;
  cursor.templates[cursor.templates.length - 1] = open + (char === "{" ? 1 : -1);
}

function keep(cursor: Cursor, count: number): void {
  cursor.code.push(cursor.text.slice(cursor.at, cursor.at + count));
  cursor.at += count;
}

function blank(cursor: Cursor, count: number): void {
  cursor.code.push(cursor.text.slice(cursor.at, cursor.at + count).replace(/[^\n]/g, " "));
  cursor.at += count;
}

function comment(cursor: Cursor, opening: string): void {
  const start = cursor.at;
  const found = cursor.text.indexOf(opening === "//" ? "\n" : "*/", start + 2);
  const end = found === -1 ? cursor.text.length : found + (opening === "//" ? 0 : 2);
  cursor.comments.push({ offset: start, text: cursor.text.slice(start, end) });
  blank(cursor, end - start);
}

/** Keeps the quotes, so that an import can be found, and blanks what is between them. */
function quoted(cursor: Cursor, quote: string): void {
  let end = cursor.at + 1;
  while (end < cursor.text.length && cursor.text[end] !== quote && cursor.text[end] !== "\n")
    end += cursor.text[end] === "\\" ? 2 : 1;
  keep(cursor, 1);
  blank(cursor, Math.min(end, cursor.text.length) - cursor.at);
  if (cursor.at < cursor.text.length) keep(cursor, 1);
}

/** From an opening backtick, or from the brace that ends `${…}`, to the next one of either. */
function template(cursor: Cursor): void {
  keep(cursor, 1);
  let end = cursor.at;
  while (end < cursor.text.length && cursor.text[end] !== "`") {
    if (cursor.text.startsWith("${", end)) {
      blank(cursor, end - cursor.at);
      keep(cursor, 2);
      cursor.templates.push(0);
      return;
    }
    end += cursor.text[end] === "\\" ? 2 : 1;
  }
  blank(cursor, Math.min(end, cursor.text.length) - cursor.at);
  if (cursor.at < cursor.text.length) keep(cursor, 1);
}

/** A slash divides after a value, and opens a regular expression after anything else. */
function regexMayStart(cursor: Cursor): boolean {
  const before = cursor.code.slice(-80).join("").trimEnd();
  return before === "" || /[^\w$)\]"'`]$/.test(before) || WORD_BEFORE_REGEX.test(before);
}

function regex(cursor: Cursor): void {
  let end = cursor.at + 1;
  let inClass = false;
  while (end < cursor.text.length && cursor.text[end] !== "\n") {
    const char = cursor.text[end];
    if (char === "\\") end += 1;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) break;
    end += 1;
  }
  keep(cursor, 1);
  blank(cursor, end - cursor.at);
  if (cursor.at < cursor.text.length) keep(cursor, 1);
}

function lineIndex(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}

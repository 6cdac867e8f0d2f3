import { isAlias, isCollection, isScalar, visit } from "yaml";
import type { Document, LineCounter, YAMLError, YAMLMap } from "yaml";

/** What is wrong with a text before anything is read from it, in words of this project; offsets into the text. */
export type SyntaxFault = {
  readonly id: string;
  readonly message: string;
  readonly hint?: string;
  readonly start: number;
  readonly end: number;
};

type Parsed = {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly lines: LineCounter;
};

/**
 * All faults, without those that only follow from others: whatever the parser makes of the rest of a text after a tab
 * or another space that indents, or of a text in which a quote or a bracket is not closed, which it finds at the end.
 * A key that is there already is a fault, and is dropped from the document, so that the rest can be checked.
 */
export function syntaxFaults(parsed: Parsed): readonly SyntaxFault[] {
  const { errors } = parsed.document;
  const tab = errors.find(({ code }) => code === "TAB_AS_INDENT");
  if (tab !== undefined) return [faultOf(tab, parsed)];
  const indent = otherIndent(parsed);
  if (indent !== undefined) return [indent];
  const openQuote = errors.find(({ message }) => message.startsWith("Missing closing "));
  if (openQuote !== undefined) return [faultOf(openQuote, parsed)];
  // A bracket that is not closed leaves open those around it as well.
  const bracket = errors.find(isOpenBracket);
  const own = errors.filter((error) => error === bracket || !isOpenBracket(error));
  const tags = tagsIn(parsed);
  const found = [...own.map((error) => faultOf(error, parsed)), ...dropRepeatedKeys(parsed)];
  return [...found.toSorted((one, other) => one.start - other.start), ...tags];
}

/** White space that pages and chats put in place of spaces, at the beginning of a line. To YAML it is a text. */
const OTHER_SPACE = /^ *([\u{A0}\u{1680}\u{2000}-\u{200B}\u{202F}\u{205F}\u{3000}])/gmu;

/** The first line that such a space indents, if it does harm: the line is not understood, or a key begins with it. */
function otherIndent({ document, text, lines }: Parsed): SyntaxFault | undefined {
  const indented = [...text.matchAll(OTHER_SPACE)];
  if (indented.length === 0) return undefined;
  const wrong = new Set(document.errors.map(({ pos: [start] }) => lines.linePos(start).line));
  const keys = new Set<number | undefined>();
  visit(document, { Pair: (_, { key }) => void (isScalar(key) && keys.add(key.range?.[0])) });
  for (const { index, 0: all, 1: space = "" } of indented) {
    const start = index + all.length - 1;
    if (!keys.has(start) && !wrong.has(lines.linePos(start).line)) continue;
    const code = space.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    const message = `a space that YAML does not know (U+${code}) indents this line`;
    return { id: "yaml/syntax", message, hint: "indent with spaces alone", start, end: start + 1 };
  }
  return undefined;
}

function isOpenBracket({ message }: YAMLError): boolean {
  return / and end with a [\]}]$/.test(message);
}

/** More aliases than that take the parser seconds, as it looks for the anchor of each in the whole text. */
const MOST_ALIASES = 5_000;

/** Aliases of anchors that are not there, which the parser notices only when it makes values; and too many of any. */
export function wrongAliases(document: Document.Parsed): readonly SyntaxFault[] {
  const anchors = new Set<string>();
  const faults: SyntaxFault[] = [];
  let aliases = 0;
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) aliases += 1;
      if (isAlias(node) && aliases === MOST_ALIASES + 1) {
        const start = node.range?.[0] ?? 0;
        const message = `this is one alias more than the ${MOST_ALIASES} that a file may have`;
        faults.push({ id: "yaml/alias", message, start, end: start + 1 });
      }
      if (isAlias(node) && !anchors.has(node.source)) {
        const [start = 0, end = start + 1] = node.range ?? [];
        const message = `there is no anchor &${node.source} before this alias`;
        faults.push({ id: "yaml/alias", message, hint: QUOTES, start, end });
      } else if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return faults;
}

/** What begins with `!` and is not a tag that YAML has: it drops that, and of `!a && b` or `! b` would leave `b`. */
function tagsIn({ document, text }: Parsed): readonly SyntaxFault[] {
  const fault = { id: "yaml/tag", message: DROPPED_TAG, hint: QUOTES };
  const lone: SyntaxFault[] = [];
  visit(document, {
    Node: (_, { tag, range }) => {
      if (tag !== "!") return;
      // To look for it at every node would take minutes of a long file.
      const start = text.lastIndexOf("!", range?.[0]);
      lone.push({ ...fault, start, end: start + 1 });
    },
  });
  const unknown = document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  return [...unknown.map(({ pos: [start, end] }) => ({ ...fault, start, end })), ...lone];
}

const DROPPED_TAG =
  "YAML reads this as a tag, because it begins with !, and not as part of the text";
const QUOTES = "if it is one text, write single quotes around all of it: '…'";
/** A text that begins with a quote or with a sign of YAML's own, as an expression may, or that has `: ` in it. */
const NEEDS_QUOTES = /^(?:Unexpected scalar at node end|Plain value cannot start|Nested mappings)/;

function faultOf(error: YAMLError, parsed: Parsed): SyntaxFault {
  const { code, message } = error;
  const [start, end] = error.pos;
  const fault = { id: "yaml/syntax", message, start, end };
  if (code === "TAB_AS_INDENT")
    return { ...fault, message: "a tab indents this line", hint: "indent with spaces alone" };
  if (code === "MULTIPLE_DOCS")
    return {
      ...fault,
      end: start + 3,
      message: "a second document begins here",
      hint: "a file holds one: leave out this `---` and what belongs to another file",
    };
  if (message.startsWith("Missing closing ")) {
    const opened = lastOpened(
      parsed,
      (node) => isScalar(node) && node.type?.startsWith("QUOTE") === true,
    );
    return { ...fault, ...opened, message: "this quote is not closed" };
  }
  if (isOpenBracket(error)) {
    const opened = lastOpened(parsed, (node) => isCollection(node) && node.flow === true, start);
    return { ...fault, ...opened, message: `this bracket is not closed by a ${message.at(-1)}` };
  }
  return NEEDS_QUOTES.test(message) ? { ...fault, hint: QUOTES } : fault;
}

/**
 * Leaves the first of each key that occurs again in its mapping. The parser compares each key with all before it: half
 * a minute for 60 000.
 */
function dropRepeatedKeys({ document, lines }: Parsed): readonly SyntaxFault[] {
  const maps: YAMLMap[] = [];
  visit(document, { Map: (_, map) => void maps.push(map) });
  return maps.flatMap((map) => {
    const first = new Map<unknown, number>();
    const faults: SyntaxFault[] = [];
    map.items = map.items.filter(({ key }) => {
      if (!isScalar(key) || !key.range) return true;
      const [start, end] = key.range;
      const before = first.get(key.value);
      if (before === undefined) {
        first.set(key.value, start);
        return true;
      }
      const { line, col } = lines.linePos(before);
      const message = `this key occurs twice, first at ${line}:${col}`;
      faults.push({ id: "yaml/duplicate-key", message, start, end: Math.max(end, start + 1) });
      return false;
    });
    return faults;
  });
}

/** The first character of the last such node that begins before an offset. */
function lastOpened(
  { document }: Parsed,
  isMeant: (node: unknown) => boolean,
  before = Infinity,
): Pick<SyntaxFault, "start" | "end"> | undefined {
  let start: number | undefined;
  visit(document, {
    Node: (_, node) => {
      const from = node.range?.[0];
      if (from !== undefined && from < before && isMeant(node)) start = from;
    },
  });
  return start === undefined ? undefined : { start, end: start + 1 };
}

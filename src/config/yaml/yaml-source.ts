import { isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Document, Node } from "yaml";
import { madeOnce } from "../../domain/lists/changed-items.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Problem } from "../problem.ts";
import { scalarOffsets } from "./scalar-offsets.ts";
import { syntaxFaults, wrongAliases, type SyntaxFault } from "./syntax-faults.ts";
import { messageOf } from "../../domain/error-message.ts";

/** A path into a YAML document: keys and list positions. */
export type YamlPath = ReadonlyArray<string | number>;

/** A YAML file that was read, and what is needed to say where in it something is. */
export type YamlSource = {
  readonly file: string;
  readonly text: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** The content as plain values. */
  readonly value: unknown;
};

/** `readable`: all that is wrong is that keys occur twice, and of each the first counts, so the rest can be checked. */
type YamlRead =
  | Result<YamlSource, readonly Problem[]>
  | { readonly ok: false; readonly problem: readonly Problem[]; readonly readable: YamlSource };

/** Offsets into the text of a source; `end` is exclusive. */
type SourceRange = { readonly start: number; readonly end: number };

type Details = Omit<Problem, "file" | "line" | "column" | "length" | "excerpt">;

const LONGEST_TEXT = 1_000_000;
const MOST_ALIASES = 100;
const DEEPEST_NESTING = 30;
const MOST_OPEN_BRACKETS = 200;
/** Of one list or mapping: the schemas' library gives the problems of all as arguments of one call, on the stack. */
const MOST_ENTRIES = 100_000;
/** More faults than this of one text are counted, and left out. */
const MOST_FAULTS = 100;
/** A longer line is not shown, as it is no line for people. */
const LONGEST_EXCERPT = 10_000;

/**
 * Reads a YAML text. It never throws; what cannot be read is a list of problems. Without aliases, what is read is no
 * larger than the text.
 */
export function readYamlSource(
  file: string,
  text: string,
  longest = LONGEST_TEXT,
  mostAliases = MOST_ALIASES,
): YamlRead {
  const whole = (id: string, message: string) => fail([{ id, file, line: 1, column: 1, message }]);
  if (text.length > longest)
    return whole("yaml/too-large", `the file is longer than ${longest} characters`);
  if (nestsTooDeeply(text))
    return whole("yaml/too-deep", `more than ${MOST_OPEN_BRACKETS} brackets are open at once`);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      uniqueKeys: false,
      // Warnings would go past the command line, straight to the terminal.
      logLevel: "error",
    });
    const { deepest, widest } = extentOf(document.contents);
    const isDeep = deepest > DEEPEST_NESTING;
    const refuse = (faults: readonly SyntaxFault[]): ReturnType<typeof whole> => {
      const shown = faults
        .slice(0, MOST_FAULTS)
        .map(({ start, end, ...details }) =>
          problemAtRange({ file, text, lines }, { start, end }, details),
        );
      const more = faults.length - shown.length;
      if (more === 0) return fail(shown);
      const message = `${more} more problems are not shown`;
      return fail([...shown, { id: "yaml/syntax", file, line: 1, column: 1, message }]);
    };
    const faults =
      isDeep && document.errors.length === 0 ? [] : syntaxFaults({ document, text, lines });
    const isReadable = faults.every(({ id }) => id === "yaml/duplicate-key");
    if (!isReadable) return refuse(faults);
    if (isDeep) return whole("yaml/too-deep", `values nest more than ${DEEPEST_NESTING} deep`);
    if (widest > MOST_ENTRIES)
      return whole("yaml/too-wide", `a list or mapping has more than ${MOST_ENTRIES} entries`);
    const aliases = wrongAliases(document);
    if (aliases.length > 0) return refuse([...faults, ...aliases]);
    const value: unknown = document.toJS({ maxAliasCount: mostAliases });
    const source = { file, text, document, lines, value };
    return faults.length > 0 ? { ...refuse(faults), readable: source } : succeed(source);
  } catch (error) {
    // The library throws on alias bombs and, where the stack ends, on absurd nesting.
    return whole("yaml/unreadable", `the file cannot be read as YAML: ${messageOf(error)}`);
  }
}

/** The same of a file, read once for all who ask for that very object. */
export const readYamlFile = madeOnce(
  ({ name, text }: { readonly name: string; readonly text: string }) => readYamlSource(name, text),
);

/** A cheap look before parsing, as the parser itself recurses. Brackets in texts count as well. */
function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MOST_OPEN_BRACKETS) return true;
  }
  return false;
}

/** How deep a node nests, and how many entries its longest list or mapping has, as far as both are allowed. */
function extentOf(node: unknown, depth = 0): { readonly deepest: number; readonly widest: number } {
  const items = isMap(node) || isSeq(node) ? node.items : [];
  let [deepest, widest] = [depth, items.length];
  if (deepest > DEEPEST_NESTING || widest > MOST_ENTRIES) return { deepest, widest };
  for (const item of items) {
    const within = extentOf(isPair(item) ? item.value : item, depth + 1);
    deepest = Math.max(deepest, within.deepest);
    widest = Math.max(widest, within.widest);
  }
  return { deepest, widest };
}

/** What a file holds, also if keys in it occur twice; undefined if it cannot be read. */
export function readableSource(read: YamlRead): YamlSource | undefined {
  if (read.ok) return read.value;
  return "readable" in read ? read.readable : undefined;
}

/** The nodes at a path, as far as the document goes: the pair that holds it, and its value. */
export function nodeAt(
  source: YamlSource,
  path: YamlPath,
): { readonly node: Node | undefined; readonly key: Node | undefined; readonly found: boolean } {
  let node: unknown = source.document.contents;
  let key: Node | undefined;
  for (const step of path) {
    const container = isAlias(node) ? node.resolve(source.document) : node;
    if (isMap(container)) {
      const pair = container.items.find((item) => keyText(item.key) === String(step));
      if (pair === undefined) return { node: asNode(node), key, found: false };
      key = asNode(pair.key);
      node = pair.value;
    } else if (isSeq(container) && typeof step === "number" && step < container.items.length) {
      key = undefined;
      node = container.items[step];
    } else return { node: asNode(node), key, found: false };
  }
  return { node: asNode(node), key, found: true };
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function asNode(value: unknown): Node | undefined {
  return typeof value === "object" && value !== null && "range" in value
    ? (value as Node)
    : undefined;
}

/** A problem at a path: at its key, at its value, or at what is nearest above it. */
export function problemAtPath(
  source: YamlSource,
  path: YamlPath,
  details: Details,
  at: "key" | "value" = "value",
): Problem {
  const { node, key, found } = nodeAt(source, path);
  const chosen = (at === "key" || !found ? (key ?? node) : (node ?? key)) ?? node;
  const range = chosen?.range;
  const start = range?.[0] ?? 0;
  const end = isScalar(chosen) ? (range?.[1] ?? start + 1) : start + 1;
  return problemAtRange(source, { start, end }, { path: pathText(path), ...details });
}

/**
 * Places problems within a scalar, which is read once for all of them: their ranges are those of the scalar's value, not
 * of how it is written.
 */
export function placerInScalar(
  source: YamlSource,
  path: YamlPath,
): (range: SourceRange, details: Details) => Problem {
  const offsetOf = scalarOffsets(source.text, nodeAt(source, path).node);
  return ({ start, end }, details) => {
    const range = { start: offsetOf(start), end: offsetOf(Math.max(start, end - 1)) + 1 };
    return problemAtRange(source, range, details);
  };
}

/** The line on which what is at a path begins, from 1. */
export function lineAt(source: YamlSource, path: YamlPath): number {
  return source.lines.linePos(nodeAt(source, path).node?.range?.[0] ?? 0).line;
}

/** A problem at a stretch of the text. */
export function problemAtRange(
  source: Pick<YamlSource, "file" | "text" | "lines">,
  range: SourceRange,
  details: Details,
): Problem {
  const start = Math.min(range.start, source.text.length);
  const { line, col } = source.lines.linePos(start);
  const lineStart = start - Math.max(0, col - 1);
  const lineEnd = source.text.indexOf("\n", lineStart);
  const excerpt = source.text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).trimEnd();
  const end = Math.min(range.end, lineStart + Math.max(excerpt.length, 1));
  return {
    ...details,
    file: source.file,
    line: Math.max(1, line),
    column: Math.max(1, col),
    length: Math.max(1, end - start),
    ...(excerpt.length > LONGEST_EXCERPT ||
    mayHoldSecret(`${(details.path ?? "").replaceAll(/[.[]/g, ":")}:${excerpt}`)
      ? {}
      : { excerpt }),
  };
}

/** Each is tried once, from its beginning, so that the time is in proportion to the text. */
const KEYS = /(?<![^\s:"'{},[\]])([^\s:"'{},[\]]+)["']?\s*:/g;
const OF_SECRET = /auth|pass|token|secret|key|cookie|(?:value|\burl)(?:_file|_env)?$/i;
const USER_IN_URL = /\/\/[^/\s]*@/;
/** The URL of a receiver of notifications is a secret. */
const OF_RECEIVER = /^:?notify|slack|discord|hook/i;

/** A secret must not be in a config; if one is, in a key or below it, it is not shown as well. */
function mayHoldSecret(text: string): boolean {
  if (USER_IN_URL.test(text) || (text.includes("://") && OF_RECEIVER.test(text))) return true;
  return text.matchAll(KEYS).some(([, key = ""]) => OF_SECRET.test(key));
}

/** A path as people write it: `aggregators[0].base_url`. */
export function pathText(path: YamlPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

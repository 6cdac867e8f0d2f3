import type { Scanned } from "./scan.ts";

/** A function in a file, and how many lines it takes from its head to its last brace. */
export type FunctionSize = {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
};

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const NOT_A_FUNCTION = new Set(["if", "for", "while", "switch", "catch", "with"]);

/** Every function, method and arrow function of a file, nested ones too. */
export function functionSizes(file: Scanned): readonly FunctionSize[] {
  return [...declared(file), ...arrows(file)].sort((one, other) => one.line - other.line);
}

/** `function name(…) {` and methods: a name, a list of parameters, perhaps a type, and a body. */
function declared(file: Scanned): FunctionSize[] {
  const found: FunctionSize[] = [];
  for (const match of file.code.matchAll(/([A-Za-z_$][\w$]*)\s*(?:<[^(){};]*>)?\s*\(/g)) {
    const name = match[1] ?? "";
    if (NOT_A_FUNCTION.has(name)) continue;
    const end = bodyEnd(file.code, match.index + match[0].length - 1);
    if (end !== undefined) found.push(sized(file, named(name), match.index, end));
  }
  return found;
}

function arrows(file: Scanned): FunctionSize[] {
  return [...file.code.matchAll(/=>\s*/g)].map((match) => {
    const start = match.index + match[0].length;
    const end =
      file.code[start] === "{" ? closing(file.code, start) : expressionEnd(file.code, start);
    const head = file.code.slice(0, match.index);
    const given =
      /(?:const|let)\s+([\w$]+)[^;]*$|([\w$]+)\s*:\s*(?:async\s*)?\([^()]*\)[^;]*$/.exec(
        head.slice(head.lastIndexOf("\n") + 1),
      );
    return sized(file, named(given?.[1] ?? given?.[2] ?? ""), match.index, end);
  });
}

function named(name: string): string {
  return name === "" || name === "function" ? "(anonymous)" : name;
}

function sized(file: Scanned, name: string, start: number, end: number): FunctionSize {
  const line = file.lineOf(start);
  return { name, line, lines: file.lineOf(end) - line + 1 };
}

/** Where the body ends whose parameters open at `open`; undefined for what is only a call. */
function bodyEnd(code: string, open: number): number | undefined {
  let at = skipSpace(code, closing(code, open) + 1);
  if (code[at] === ":") at = typeEnd(code, at + 1);
  return code[at] === "{" ? closing(code, at) : undefined;
}

/**
 * Where a return type ends: at the first brace that cannot belong to the type, since what stands
 * before it is already whole.
 */
function typeEnd(code: string, start: number): number {
  let at = skipSpace(code, start);
  let whole = false;
  while (at < code.length && !";,)]}=".includes(code.charAt(at))) {
    const char = code.charAt(at);
    if (char === "{" && whole) return at;
    if (CLOSING[char] !== undefined) at = closing(code, at);
    const word = /^(?:is|extends|keyof|readonly|asserts|typeof)\b/.exec(
      code.slice(at, at + 9),
    )?.[0];
    whole = word === undefined && !"|&<".includes(char);
    at = skipSpace(code, at + (word?.length ?? wordLength(code, at)));
  }
  return at;
}

function wordLength(code: string, at: number): number {
  return /^[\w$.]+/.exec(code.slice(at, at + 100))?.[0].length ?? 1;
}

function skipSpace(code: string, from: number): number {
  let at = from;
  while (/\s/.test(code.charAt(at))) at += 1;
  return at;
}

/** The offset of the bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  const opener = code.charAt(open);
  const closer = CLOSING[opener];
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === opener) depth += 1;
    else if (code[at] === closer) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length - 1;
}

/** Where an expression ends that starts at `start`: before what does not belong to it. */
function expressionEnd(code: string, start: number): number {
  let at = start;
  while (at < code.length && !",;)]}".includes(code.charAt(at))) {
    if (CLOSING[code.charAt(at)] !== undefined) at = closing(code, at);
    at += 1;
  }
  return at - 1;
}

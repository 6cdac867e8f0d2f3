/** The tokens of @marcbachmann/cel-js 8 (lib/parser.js), as people write them. */
const TOKENS: Readonly<Record<string, string>> = {
  EOF: "the end",
  NUMBER: "a number",
  STRING: "a text",
  BOOLEAN: "true or false",
  NULL: "null",
  IDENTIFIER: "a name",
  BYTES: "bytes",
  IN: "in",
  PLUS: "+",
  MINUS: "-",
  MULTIPLY: "*",
  DIVIDE: "/",
  MODULO: "%",
  EQ: "==",
  NE: "!=",
  LT: "<",
  LE: "<=",
  GT: ">",
  GE: ">=",
  AND: "&&",
  OR: "||",
  NOT: "!",
  LPAREN: "(",
  RPAREN: ")",
  LBRACKET: "[",
  RBRACKET: "]",
  LBRACE: "{",
  RBRACE: "}",
  DOT: ".",
  COMMA: ",",
  COLON: ":",
  QUESTION: "?",
};

/** Its limits on the size of an expression. */
const LIMITS: Readonly<Record<string, (most: string) => string>> = {
  maxAstNodes: (most) => `the expression has more than ${most} parts`,
  maxDepth: (most) => `the expression nests more than ${most} deep`,
  maxListElements: (most) => `a list has more than ${most} elements`,
  maxMapEntries: (most) => `a map has more than ${most} entries`,
  maxCallArguments: (most) => `a call has more than ${most} arguments`,
};

/** What the parser says of an expression's syntax, without the names that it gives its tokens and limits. */
export function syntaxMessage(said: string): string {
  const [, limit = "", most = ""] = /^Exceeded (\w+) \((\d+)\)$/.exec(said) ?? [];
  const exceeded = LIMITS[limit];
  if (exceeded !== undefined) return exceeded(most);
  const [, expected, got] = /^Expected (\w+), got (\w+)$/.exec(said) ?? [];
  if (expected !== undefined && got !== undefined)
    return got === "EOF"
      ? `${named(expected)} is missing at the end`
      : `${named(expected)} is missing before ${named(got)}`;
  const [, unexpected] = /^Unexpected token: (\w+)$/.exec(said) ?? [];
  if (unexpected === undefined) return said;
  return unexpected === "EOF"
    ? "the expression ends too early"
    : `${named(unexpected)} is not expected here`;
}

function named(token: string): string {
  return TOKENS[token] ?? token;
}

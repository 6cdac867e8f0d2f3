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

/** What the parser says of an expression's syntax, without the names that it gives its tokens. */
export function syntaxMessage(said: string): string {
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
